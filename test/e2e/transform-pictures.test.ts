import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { EXAMPLES } from "../gallery/transform-examples.ts";

const ROOT = join(import.meta.dirname, "../..");
const KEPT = join(ROOT, "docs/reference/pictures");
/** Of 255, for one channel of a pixel: another release of an encoder makes other pixels. */
const MEAN_DIFFERENCE = 3;

let made = "";

beforeAll(async () => {
	made = await mkdtemp(join(tmpdir(), "svc-pictures-"));
	// In a process of its own: it draws SVG, for which sharp may be closed here.
	const child = Bun.spawn([process.execPath, "test/gallery/transforms.ts", made], { cwd: ROOT, stderr: "pipe" });
	expect([await new Response(child.stderr).text(), await child.exited]).toEqual(["", 0]);
}, 120_000);
afterAll(() => rm(made, { recursive: true, force: true }));

const pixelsOf = async (folder: string, name: string) =>
	await sharp(await readFile(join(folder, `${name}.webp`)))
		.raw()
		.toBuffer();

test("the reference has a picture for each parameter that changes one, and no other", async () => {
	expect((await readdir(KEPT)).toSorted()).toEqual(
		Object.keys(EXAMPLES)
			.map((name) => `${name}.webp`)
			.toSorted(),
	);
});

test.each(Object.keys(EXAMPLES))(
	"the picture of %s is what the service makes of it today: else `bun test/gallery/transforms.ts`",
	async (name) => {
		const kept = await pixelsOf(KEPT, name);
		const today = await pixelsOf(made, name);
		expect(today.length).toBe(kept.length);
		const sum = today.reduce((total, value, at) => total + Math.abs(value - (kept[at] ?? 0)), 0);
		expect(sum / today.length).toBeLessThan(MEAN_DIFFERENCE);
	},
);
