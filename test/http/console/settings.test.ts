import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { codeFor } from "../../support/connect.ts";
import { formOf, sendForm, signedIn } from "../../support/console.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeKey, makeTeam, type Team } from "../../support/teams.ts";

/* An App's settings and what was done in it, in the console without a script. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const settings = () => `/console/${team.appId}/settings`;
const activity = () => `/console/${team.appId}/activity`;
const app = async () => (await ask(service, team.viewer, "GET", team.path)).body;

describe("settings", () => {
	test("an Admin renames, pauses and resumes the App; an empty name is refused beside its field", async () => {
		const browser = await signedIn(service, team.admin);
		const refused = await sendForm(browser, await browser.open(settings()), "save", { name: " " });
		expect(refused.status).toBe(422);
		expect(refused.html).toMatch(/<input id="name"[^>]*aria-invalid="true"/);
		await sendForm(browser, await browser.open(settings()), "save", { name: "Moth House" });
		expect((await app()).name).toBe("Moth House");
		const paused = await browser.follow(await sendForm(browser, await browser.open(settings()), "pause"));
		expect([(await app()).state, paused.html.includes("Paused.")]).toEqual(["paused", true]);
		await sendForm(browser, paused, "resume");
		expect((await app()).state).toBe("active");
		expect((await eventsOf(service, team)).slice(-3)).toEqual(["app.renamed", "app.paused", "app.resumed"]);
	});

	test("the Owner says how tax is worked out, and nobody else can", async () => {
		const tax = { mode: "automatic", behavior: "exclusive" };
		const owner = await signedIn(service, team.owner);
		await sendForm(owner, await owner.open(settings()), "tax", tax);
		expect((await app()).tax).toEqual(tax);
		const admin = await signedIn(service, team.admin);
		const { form_token = "" } = formOf(await admin.open(settings()), "save").fields;
		const forged = await admin.post(settings(), { form_token, act: "tax", mode: "none", behavior: "inclusive" });
		expect([forged.status, (await app()).tax]).toEqual([403, tax]);
	});

	test("the Owner hands the App over once they have confirmed who they are", async () => {
		const given = await makeTeam(service, "To be given");
		const at = `/console/${given.appId}/settings`;
		const owner = await signedIn(service, given.owner, { freshForMs: 0 });
		const asked = await sendForm(owner, await owner.open(at), "transfer", { member: given.admin.id });
		expect(asked.location).toStartWith("/account/confirm");
		const confirm = await owner.follow(asked);
		const code = await codeFor(service.database, given.owner.email);
		const confirmed = await owner.submit(confirm, "/account/confirm", { code });
		expect((await owner.follow(confirmed)).html).toContain("Handed over.");
		expect((await ask(service, given.admin, "GET", given.path)).body.role).toBe("owner");
		expect(await eventsOf(service, { ...given, admin: given.admin })).toContain("app.transferred");
	});

	test("a Viewer sees no control, each forged form is 403, and another App's settings are 404", async () => {
		const viewer = await signedIn(service, team.viewer);
		const page = await viewer.open(settings());
		expect([page.status, page.forms.filter(({ fields }) => fields.act !== undefined)]).toEqual([200, []]);
		const { form_token = "" } = formOf(await viewer.open("/console"), "create").fields;
		const forged = { form_token, name: "Forged", member: team.viewer.id, mode: "none", behavior: "inclusive" };
		for (const act of ["save", "pause", "resume", "transfer", "tax"])
			expect([act, (await viewer.post(settings(), { ...forged, act })).status]).toEqual([act, 403]);
		const stranger = await signedIn(service, (await makeTeam(service, "Elsewhere")).owner);
		for (const path of [settings(), activity()]) expect((await stranger.open(path)).status).toBe(404);
	});
});

/** What is noted of accounts, of the service and of its store, and in no App's audit. */
const OF_NO_APP =
	/^(account|session|token|passkey|blob|database|decoder|report)\.|^operator\.(created|removed|clock_advanced|processor_forgotten)$/;

/** The events that the source notes in an App's audit. */
async function notedEvents(): Promise<readonly string[]> {
	const root = join(import.meta.dirname, "../../..");
	const noted = new Set<string>();
	for await (const file of new Bun.Glob("packages/*/**/*.ts").scan(root)) {
		if (/node_modules|test\.ts$|^packages\/(sdk|mail|nouns|mcp)\//.test(file)) continue;
		const text = await Bun.file(join(root, file)).text();
		for (const [, event = ""] of text.matchAll(/\bevent: "(\w+\.\w+)"/g)) noted.add(event);
	}
	return [...noted].filter((event) => !OF_NO_APP.test(event));
}

describe("activity", () => {
	test("an Admin reads who did what, narrows it by both, and pages on and back", async () => {
		for (let made = 0; made < 51; made++) await makeKey(service, team.owner, team.path, { name: `Key ${made}` });
		await ask(service, team.admin, "PATCH", team.path, { name: "Moths" });
		const browser = await signedIn(service, team.admin);
		const all = await browser.open(activity());
		expect(all.html).toContain('<strong title="app.renamed">The App was renamed</strong>');
		const made = await browser.open(`${activity()}?event=key.created&actor=${team.owner.id}`);
		expect(made.html).not.toContain('title="app.renamed"');
		const next = await browser.open(made.links.get("Next") ?? "");
		expect([next.html.includes('title="key.created"'), next.html.includes('title="app.renamed"')]).toEqual([
			true,
			false,
		]);
		const back = await browser.open(next.links.get("Previous") ?? "");
		expect(back.html.match(/title="key\.created"/g)).toEqual(made.html.match(/title="key\.created"/g));
		expect((await browser.open(`${activity()}?since=nonsense`)).status).toBe(422);
	});

	test("says in words what the product notes of an App, in each language", async () => {
		const noted = await notedEvents();
		expect(noted.length).toBeGreaterThan(50);
		for (const language of ["en", "de", "es", "fr", "ja"]) {
			const { html } = await (await signedIn(service, team.admin, { language })).open(activity());
			const missing = noted.filter((event) => !new RegExp(`<option value="${event}">(?!${event})[^<]+`).test(html));
			expect([language, missing]).toEqual([language, []]);
		}
	});

	test("is left out of the bar of who may not read it, and 403", async () => {
		const editor = await signedIn(service, team.editor);
		expect((await editor.open(settings())).links.has("Activity")).toBe(false);
		expect((await editor.open(activity())).status).toBe(403);
		expect((await (await signedIn(service, team.admin)).open(settings())).links.has("Activity")).toBe(true);
	});
});
