import { expect, test } from "bun:test";
import type { Shown } from "../../support/browser.ts";
import { sendForm, signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, makeTeam } from "../../support/teams.ts";

/* Which addresses of an App's images are answered, in the console and without a script. */

const service = serviceFor();

async function openShop() {
	const team = await makeTeam(service, "Moth Garden");
	const image = await uploaded(service, await plain(60, 40), "a.png", {}, as(team.editor, team.appId));
	return { ...team, image, at: `/console/${team.appId}/delivery`, browser: await signedIn(service, team.admin) };
}

/** The addresses of the pictures in the table of presets. */
function picturesOn({ html }: Shown): readonly string[] {
	return [...html.matchAll(/<img class="preset" src="([^"]*)"/g)].map(([, src = ""]) => src.replaceAll("&amp;", "&"));
}

test("a preset is shown by the newest picture of the App under each policy, until a ceiling is reached [C]", async () => {
	const { browser, at, path, admin } = await openShop();
	expect((await sendForm(browser, await browser.open(at), "create", { name: "card", parameters: "w=30" })).status).toBe(
		303,
	);
	for (const delivery of ["open", "presets", "signed"]) {
		await ask(service, admin, "PATCH", path, { delivery });
		const [src = "", ...others] = picturesOn(await browser.open(at));
		expect(others).toEqual([]);
		expect((await service.open(src)).status).toBe(200);
	}
	await ask(service, admin, "PATCH", path, { delivery_limits: { bytes: 0 } });
	const spent = await browser.open(at);
	expect([picturesOn(spent), spent.html.includes("Reached")]).toEqual([[], true]);
});

test("today's use stands beside the ceilings, which are written as people write sizes [C]", async () => {
	const { browser, at, path, admin, image } = await openShop();
	const bounds = { "delivery_limits.bytes": "1.5 gb", "delivery_limits.renditions": "20" };
	await sendForm(browser, await browser.open(at), "save", {
		...bounds,
		delivery_referrers: "example.com *.example.org",
	});
	const { body } = await ask(service, admin, "GET", path);
	expect(body).toMatchObject({
		delivery_limits: { bytes: 1_500_000_000, renditions: 20 },
		delivery_referrers: ["example.com", "*.example.org"],
	});
	expect((await service.open(`${image.url}?w=9`)).status).toBe(200);
	await service.writeUsage();
	const { html } = await browser.open(at);
	const text = html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
	expect(text).toMatch(/Bytes served \d+ bytes \/ 1\.5 GB/);
	expect(text).toMatch(/Renditions made 1 \/ 20/);
	expect(html).toContain('value="1500 MB"');
});

test("422 what cannot be is said beside its field, and what was typed stays [C]", async () => {
	const { browser, at } = await openShop();
	const typed = {
		delivery_referrers: "example.com/path",
		"delivery_limits.bytes": "much",
		"delivery_limits.renditions": "7",
	};
	const refused = await sendForm(browser, await browser.open(at), "save", typed);
	expect(refused.status).toBe(422);
	expect(refused.html).toContain('id="delivery_limits.bytes-fault"');
	for (const words of ["example.com/path", 'value="much"', 'value="7"']) expect(refused.html).toContain(words);
	const preset = await sendForm(browser, await browser.open(at), "create", { name: "card", parameters: "w=9999" });
	expect([preset.status, preset.html.includes("w=9999")]).toEqual([422, true]);
});

test("a signing key is shown once with the line for .env; rotated, both sign until the old one is revoked [C]", async () => {
	const { browser, at, path, admin } = await openShop();
	const secretOn = ({ html }: Shown) => /<code class="secret"[^>]*>([^<]*)</.exec(html)?.[1] ?? "";
	const made = await sendForm(browser, await browser.open(at), "sign", { name: "web" });
	expect(made.html).toContain(`SVC_SIGNING_SECRET=${secretOn(made)}`);
	expect([secretOn(made).startsWith("svc_sig_"), made.headers.get("cache-control")]).toEqual([
		true,
		expect.stringContaining("no-store"),
	]);
	expect((await browser.open(at)).html).not.toContain(secretOn(made));
	const keys = async () =>
		(await ask(service, admin, "GET", `${path}/signing_keys`)).body.data as { id: string; name: string }[];
	const [{ id: key } = { id: "" }] = await keys();
	const rotated = await sendForm(browser, await browser.open(at), "rotate", { key, name: "web" });
	expect(secretOn(rotated)).not.toBe(secretOn(made));
	expect((await keys()).map(({ name }) => name)).toEqual(["web", "web"]);
	await sendForm(browser, await browser.open(at), "revoke", { key });
	expect((await keys()).map(({ id }) => id)).not.toContain(key);
});
