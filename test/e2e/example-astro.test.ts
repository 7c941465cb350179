import { expect, test } from "bun:test";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { registryNote, startExample, withoutRegistry } from "../support/example.ts";
import { imagesOf, photo, walkGallery } from "../support/example-gallery.ts";

/* Astro needs a newer Node than all else here. */
const onPath = Bun.spawnSync(["node", "--print", "process.versions.node"]).stdout.toString();
const node = [process.env.NODE22, process.env.NODE24].find((one) => one);
const isPossible = node !== undefined || Bun.semver.satisfies(onPath.trim(), ">=22.12.0");
const note = isPossible ? "" : " (SKIPPED: no Node from 22.12 on, and NODE22 names none)";

test.skipIf(withoutChromium || withoutRegistry || !isPossible)(
	`[C] examples/astro is built, takes a picture from a form, and shows it with <Image>${chromiumNote}${registryNote}${note}`,
	async () => {
		await using example = await startExample("astro", { node });
		await using chromium = await launchChromium();
		const page = await walkGallery(chromium, example, "astro");
		const srcset = await page.getByRole("img", { name: "A lake" }).getAttribute("srcset");
		expect(srcset).toMatch(
			new RegExp(`^${example.service.cdnUrl}/\\S+\\.jpg\\?format=auto&w=320&h=240&fit=cover 320w, `),
		);

		const form = new FormData();
		form.append("file", new File([(await photo()).buffer], "IMG_2.jpg"));
		const headers = { Origin: "https://elsewhere.example" };
		const forged = await fetch(`${example.address}/photos`, { method: "POST", body: form, headers });
		expect(forged.status).toBe(403);
		expect(await imagesOf(example, "astro")).toHaveLength(1);
	},
	240_000,
);
