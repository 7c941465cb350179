import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, countOf } from "../../support/apps.ts";
import type { Browser, Shown } from "../../support/browser.ts";
import { codeFor, hostedSignIn, signInToAccount, wrong } from "../../support/connect.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { send } from "../../support/requests.ts";

const { service, browse, someone } = hostedSignIn();
const SECTIONS = ["apps", "sessions", "tokens", "passkeys", "address", "language", "activity", "export"];
/** Pages of another kind, and those that hold several sections. */
const ELSEWHERE = ["plans", "delete", "security", "developer"];

async function signedIn() {
	const [browser, email] = [browse(), someone()];
	const page = await signInToAccount(service, browser, email);
	const accountId = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT id FROM accounts WHERE email = ${email}`),
	);
	return { browser, email, page, id: accountId[0]?.[0] ?? "" };
}

const sessionsOf = (id: string) =>
	countOf(
		service.database,
		sql`SELECT count(*) FROM sessions WHERE revoked_ms IS NULL AND account_pk = (SELECT pk FROM accounts WHERE id = ${id})`,
	);
const makeStale = (id: string) =>
	service.database.write([
		{ run: sql`UPDATE sessions SET fresh_ms = 0 WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${id})` },
	]);

describe("the account's page", () => {
	test("leads to each section by its id, and each has a page of its own, which says who is signed in", async () => {
		const { browser, email, page } = await signedIn();
		for (const id of SECTIONS) {
			expect(page.html).toContain(` id="${id}"`);
			const alone = await browser.open(`/account/${id}`);
			expect([alone.status, alone.links.get("← Your account")]).toEqual([200, "/account"]);
			expect(alone.html).toContain(email);
			expect(alone.html).toContain(` id="${id}"`);
		}
	});

	test("leads to the pages of another kind as well; sessions, passkeys and address stand on one", async () => {
		const { browser, page } = await signedIn();
		for (const id of ELSEWHERE) {
			expect([...page.links.values()]).toContain(`/account/${id}`);
			expect((await browser.open(`/account/${id}`)).status).toBe(200);
		}
		const security = await browser.open("/account/security");
		for (const id of ["sessions", "passkeys", "address"]) expect(security.html).toContain(`<h2 id="${id}"`);
	});

	test("shows nothing that is for developers alone: tokens and the documentation are behind a door", async () => {
		const { browser, id, page } = await signedIn();
		await addSession(service.database, id, { scopes: ["apps:read"] });
		expect([page.html.includes("svc tokens"), [...page.links.values()].some((to) => to.endsWith("/docs"))]).toEqual([
			false,
			false,
		]);
		const developer = await browser.open("/account/developer");
		expect(developer.html).toContain("apps:read");
		expect(developer.links.get("the documentation")).toEndWith("/docs");
	});

	test("is where somebody who is signed out comes back to, at the section that they opened", async () => {
		for (const id of [...SECTIONS, ...ELSEWHERE]) {
			const [browser, email] = [browse(), someone()];
			const asked = await browser.open(`/account/${id}`);
			const code = await browser.follow(await browser.submit(asked, "/account/sign-in", { email }));
			const answer = await browser.submit(code, "/account/code", { code: await codeFor(service.database, email) });
			expect([id, answer.location]).toEqual([id, `/account/${id}`]);
		}
		const planted = await browse().open("/account/code?to=/account/../../evil");
		expect([...planted.links.values()]).toContain("/account");
	});

	test("names the Apps of the teams that one is in", async () => {
		const { browser, id } = await signedIn();
		await addMember(service.database, await addApp(service.database, "Night Sky"), { id }, "editor");
		const page = await browser.open("/account/apps");
		expect(page.html).toContain("Night Sky");
		expect(page.html).toContain("Editor");
	});

	test("ends one session, or revokes one token, and says so once", async () => {
		const { browser, id } = await signedIn();
		const other = await addSession(service.database, id);
		const token = await addSession(service.database, id, { scopes: ["apps:read", "keys:write"] });
		const page = await browser.open("/account/security");
		const ends = page.forms.filter(({ action }) => action.endsWith("/end"));
		expect(ends).toHaveLength(2);
		const otherId = (
			await service.database.read(() =>
				service.database.queries.values<
					[string]
				>(sql`SELECT id FROM sessions WHERE kind = 'console' AND revoked_ms IS NULL
					AND account_pk = (SELECT pk FROM accounts WHERE id = ${id})`),
			)
		)[0]?.[0];
		const ended = await browser.follow(await browser.submit(page, `/account/sessions/${otherId}/end`));
		expect(ended.html).toContain("That device is signed out.");
		expect((await browser.open("/account/security")).html).not.toContain("That device is signed out.");
		const tokens = await browser.open("/account/developer");
		expect(tokens.html).toContain("apps:read, keys:write");
		const revoked = await browser.follow(await browser.submit(tokens, "/revoke"));
		expect(revoked.html).toContain("The token is revoked");
		for (const secret of [other, token]) {
			expect((await send(service, "GET", "/v1/me", undefined, as({ secret }))).status).toBe(401);
		}
	});

	test("signs out everywhere else, whatever the number, and tokens too unless they are kept", async () => {
		const { browser, id } = await signedIn();
		for (let count = 0; count < 120; count++) await addSession(service.database, id);
		const token = await addSession(service.database, id, { scopes: ["apps:read"] });
		const page = await browser.open("/account/security");
		const kept = await browser.follow(await browser.submit(page, "/sign-out-others", { keep_tokens: "yes" }));
		expect(kept.html).toContain("You are signed out everywhere else: 120 other sign-ins ended.");
		expect((await send(service, "GET", "/v1/me", undefined, as({ secret: token }))).status).toBe(200);
		const all = await browser.follow(await browser.submit(kept, "/sign-out-others"));
		expect(all.html).toContain("You are signed out everywhere else: 1 token revoked.");
		expect(await sessionsOf(id)).toBe(1);
	});

	test("says what was done to the session that did it alone, once, and nothing that a link makes up", async () => {
		const { browser, email } = await signedIn();
		const other = browse();
		await signInToAccount(service, other, email);
		for (const done of ["signed-out-others", "disconnected", "revoked", "others_ended"]) {
			expect((await browser.open(`/account?done=${done}`)).html).not.toContain('role="status"');
		}
		const answer = await browser.submit(await browser.open("/account/security"), "/sign-out-others");
		expect(answer.location).toBe("/account/security");
		expect((await other.open("/account")).html).not.toContain('role="status"');
		expect((await browser.follow(answer)).html).toContain('role="status"');
		expect((await browser.follow(answer)).html).not.toContain('role="status"');
	});

	test("shows what happened to the account, by oneself and by operators, without saying which", async () => {
		const { browser, id } = await signedIn();
		const operator = await addPerson(service.database, { operator: true });
		for (const verb of ["disable", "enable"]) {
			const path = `/v1/operator/accounts/${id}/${verb}`;
			expect((await send(service, "POST", path, undefined, as(operator))).status).toBe(200);
		}
		const page = await browser.open("/account/activity");
		for (const text of ["Signed in", "The account was made", "The account was disabled"]) {
			expect(page.html).toContain(text);
		}
		expect(page.html).toContain("by an operator");
		expect(page.html).not.toContain(operator.id);
	});
});

describe("a form that needs a fresh session", () => {
	test("asks for the code in place, and then does what was asked", async () => {
		const { browser, email, id } = await signedIn();
		await makeStale(id);
		const confirm = await askToDelete(browser, email);
		expect([confirm.status, confirm.title]).toEqual([200, "Confirm that it is you · Svc"]);
		expect(confirm.html).toContain("To delete your account.");
		const code = await codeFor(service.database, email);
		const refused = await browser.follow(await browser.submit(confirm, "/account/confirm", { code: wrong(code) }));
		expect(refused.alerts).toEqual(["That is not the code. You have 4 more tries."]);
		const done = await browser.submit(refused, "/account/confirm", { code });
		expect([done.status, done.location]).toEqual([303, "/account/deleted"]);
	});

	test("keeps its step-up to the browser and the session that began it", async () => {
		const { browser, email, id } = await signedIn();
		await makeStale(id);
		const confirm = await askToDelete(browser, email);
		const stranger = (await signedIn()).browser;
		expect((await stranger.open(confirm.url)).status).toBe(410);
		const code = await codeFor(service.database, email);
		expect((await stranger.post(confirm.url, { ...confirm.forms[0]?.fields, code })).status).toBe(410);
		expect(await sessionsOf(id)).toBe(1);
	});

	test("what could not be done anyhow is said before a code is asked for", async () => {
		const { browser, email, id } = await signedIn();
		const app = await addApp(service.database, "Mine");
		await service.database.write([
			{
				run: sql`UPDATE members SET account_pk = (SELECT pk FROM accounts WHERE id = ${id})
					WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})`,
			},
		]);
		await makeStale(id);
		const refused = await browser.submit(await browser.open("/account/delete"), "/account/delete", { email });
		expect([refused.status, refused.alerts[0]?.startsWith("You are the Owner of Mine")]).toEqual([409, true]);
	});

	async function askToDelete(browser: Browser, email: string): Promise<Shown> {
		return await browser.follow(
			await browser.submit(await browser.open("/account/delete"), "/account/delete", { email }),
		);
	}
});

describe("GET /v1/me/activity", () => {
	test("lists what concerns oneself alone, newest first, from a time on, a page at a time; a token gets none of it", async () => {
		const [person, other] = [await addPerson(service.database), await addPerson(service.database)];
		const asked = { name: "CI", scopes: ["apps:read"], expires_in: "1d" };
		for (const one of [person, other]) await send(service, "POST", "/v1/tokens", asked, as(one));
		await send(service, "POST", "/v1/apps", { name: "Mine" }, as(person));
		await send(service, "POST", "/v1/sessions/end-others", { keep_tokens: true }, as(person));
		const activity = async (query: string) => {
			const answer = await send(service, "GET", `/v1/me/activity?${query}`, undefined, as(person));
			const body = (await answer.json()) as {
				data: { event: string; actor: string }[];
				pagination: { next_cursor: string };
			};
			return { events: body.data.map(({ event }) => event), cursor: body.pagination.next_cursor, body };
		};
		expect((await activity("")).events).toEqual(["session.others_ended", "token.created"]);
		const first = await activity("limit=1");
		expect((await activity(`limit=1&cursor=${first.cursor}`)).events).toEqual(["token.created"]);
		const later = new Date(service.clock.now() + 60_000).toISOString();
		expect((await activity(`since=${later}`)).events).toEqual([]);
		const token = await addSession(service.database, person.id, { scopes: ["audit:read"] });
		expect((await send(service, "GET", "/v1/me/activity", undefined, as({ secret: token }))).status).toBe(403);
	});
});
