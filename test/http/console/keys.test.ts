import { describe, expect, test } from "bun:test";
import type { Browser, Shown } from "../../support/browser.ts";
import { formOf, sendForm, signedIn } from "../../support/console.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeKey, makeTeam, statusOfKey, type Team } from "../../support/teams.ts";

/* Keys of an App in the console, without a script. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const keys = () => `/console/${team.appId}/keys`;

/** Each secret on a page. */
function secretsOn({ html }: Shown): readonly string[] {
	return [...html.matchAll(/<code class="secret"[^>]*>([^<]*)</g)].map(([, secret = ""]) => secret);
}

async function create(browser: Browser, name: string, typed: Readonly<Record<string, string>> = {}) {
	const page = await browser.open(keys());
	const fields = { name, reach: "app", permissions: "read,write", ...typed };
	return { page, made: await sendForm(browser, page, "create", fields) };
}

async function keyNamed(name: string) {
	const { body } = await ask(service, team.admin, "GET", `${team.path}/keys?limit=100`);
	const all = body.data as { id: string; name: string; revoked_at: string | null; expires_at: string | null }[];
	return all.filter((key) => key.name === name);
}

describe("keys", () => {
	test("one is made: its secret stands on the answer once, with the line for .env, and on no page after it", async () => {
		const browser = await signedIn(service, team.admin);
		const { page, made } = await create(browser, "Web server");
		const [secret = ""] = secretsOn(made);
		expect([made.status, await statusOfKey(service, { id: "", secret })]).toEqual([200, 200]);
		expect(made.html).toContain(`SVC_API_KEY=${secret}`);
		expect(made.headers.get("cache-control")).toBe("no-store, no-transform");
		const again = await sendForm(browser, page, "create", {
			name: "Web server",
			permissions: "read,write",
			reach: "app",
		});
		expect([again.status, secretsOn(again), (await keyNamed("Web server")).length]).toEqual([200, [], 1]);
		expect((await browser.open(keys())).html).not.toContain(secret);
		expect(await eventsOf(service, team)).toContain("key.created");
	});

	test("what the API refuses of a new one stands beside its field, with what was typed", async () => {
		const { made } = await create(await signedIn(service, team.admin), "Ends too late", { expires_at: "2099-01-01" });
		expect([made.status, await keyNamed("Ends too late")]).toEqual([422, []]);
		expect(made.html).toMatch(/<input id="expires_at"[^>]*aria-invalid="true"/);
		expect(made.html).toContain('value="Ends too late"');
	});

	test("one is renamed, rotated with an overlap, and revoked", async () => {
		const browser = await signedIn(service, team.admin);
		const { id, secret } = await makeKey(service, team.admin, team.path, { name: "Old name" });
		const at = { key: id };
		const saved = await sendForm(browser, await browser.open(keys()), "save", {
			...at,
			name: "Worker",
			expires_at: "",
		});
		expect((await browser.follow(saved)).html).toContain("Saved.");
		const rotated = await sendForm(browser, await browser.open(keys()), "rotate", { ...at, old_expires_in: "1h" });
		const [successor = ""] = secretsOn(rotated);
		expect(await statusOfKey(service, { id: "", secret: successor })).toBe(200);
		expect(await statusOfKey(service, { id, secret })).toBe(200);
		expect((await keyNamed("Worker")).filter(({ expires_at }) => expires_at !== null)).toHaveLength(1);
		const revoked = await sendForm(browser, await browser.open(keys()), "revoke", at);
		expect((await browser.follow(revoked)).html).toContain("Revoked.");
		expect(await statusOfKey(service, { id, secret })).toBe(401);
		expect((await eventsOf(service, team)).slice(-3)).toEqual(["key.rotated", "key.created", "key.revoked"]);
	});

	test("a Viewer sees no control and each forged form is 403; another's key is not theirs to rotate", async () => {
		const { id, secret } = await makeKey(service, team.admin, team.path, { name: "Not theirs" });
		const viewer = await signedIn(service, team.viewer);
		const page = await viewer.open(keys());
		expect([page.status, page.forms.filter(({ fields }) => fields.act !== undefined)]).toEqual([200, []]);
		expect(page.html).toContain("Not theirs");
		const { form_token = "" } = formOf(await viewer.open("/console"), "create").fields;
		const fields = { form_token, key: id, name: "Forged", reach: "app", permissions: "read" };
		for (const act of ["create", "save", "rotate", "revoke"])
			expect([act, (await viewer.post(keys(), { ...fields, act })).status]).toEqual([act, 403]);
		const owner = await signedIn(service, team.owner);
		const rotated = await owner.post(keys(), {
			...formOf(await owner.open(keys()), "revoke").fields,
			...fields,
			form_token: formOf(await owner.open(keys()), "create").fields.form_token ?? "",
			act: "rotate",
		});
		expect([rotated.status, await statusOfKey(service, { id, secret })]).toEqual([403, 200]);
	});

	test("of another App are 404, and a form without its token is 403", async () => {
		const stranger = await signedIn(service, (await makeTeam(service, "Elsewhere")).owner);
		expect((await stranger.open(keys())).status).toBe(404);
		const own = await signedIn(service, team.admin);
		expect((await own.post(keys(), { act: "create", name: "Forged" })).status).toBe(403);
	});
});
