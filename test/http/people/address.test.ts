import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { codeFor, SIGN_IN_UNLIMITED, signInToAccount } from "../../support/connect.ts";
import { mailedFacts } from "../../support/mail.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { askCode, bodyOf, eventsOf, type SentLogin, signIn, startLogin, verifyLatest } from "../../support/sign-in.ts";

const DAY_MS = 86_400_000;

const service = serviceFor(SIGN_IN_UNLIMITED);
let made = 0;
const someone = () => `moving-${++made}@example.com`;

const me = async (secret: string) => await send(service, "GET", "/v1/me", undefined, as({ secret }));
const emailOf = async (secret: string) => ((await (await me(secret)).json()) as { email: string }).email;

async function change(person: { readonly secret: string }, email: string): Promise<void> {
	const login = await bodyOf<SentLogin>(await send(service, "PATCH", "/v1/me", { email }, as(person)), 202);
	await bodyOf(await verifyLatest(service, login, email), 200);
}

/** The links of the letters that went to an address, newest first. */
async function linksTo(email: string, template: string): Promise<readonly string[]> {
	const letters = await mailedFacts(service.database, sql`recipient = ${email} AND template = ${template}`);
	return letters.map(({ facts }) => String(facts.link)).toReversed();
}

async function undo(link: string) {
	const browser = new Browser(service);
	const page = await browser.open(link);
	return { page, answer: await browser.submit(page, "/account/undo/") };
}

const addressOf = (id: string) =>
	service.database
		.read(() => service.database.queries.values<[string]>(sql`SELECT email FROM accounts WHERE id = ${id}`))
		.then(([row]) => row?.[0]);

describe("a new address", () => {
	test("ends all other sessions and all tokens when it takes effect, and leaves a way back for a week", async () => {
		const person = await addPerson(service.database);
		const other = await addSession(service.database, person.id);
		const token = await addSession(service.database, person.id, { scopes: ["apps:write"] });
		const email = someone();
		await change(person, email);
		expect(await emailOf(person.secret)).toBe(email);
		expect([(await me(other)).status, (await me(token)).status]).toEqual([401, 401]);
		const [link = ""] = await linksTo(person.email, "email_changed");
		expect(link).toMatch(/^http:\/\/localhost:3000\/account\/undo\/[a-z]+$/);
		const { page, answer } = await undo(link);
		expect(page.status).toBe(200);
		expect([answer.status, await addressOf(person.id)]).toEqual([303, person.email]);
		expect((await me(person.secret)).status).toBe(401);
		expect(await eventsOf(service.database, person.id)).toEqual(["account.email_changed", "account.email_restored"]);
	});

	test("GET of the way back changes nothing, however often mail scanners follow it; it works once", async () => {
		const person = await addPerson(service.database);
		const email = someone();
		await change(person, email);
		const [link = ""] = await linksTo(person.email, "email_changed");
		for (let count = 0; count < 3; count++) expect((await new Browser(service).open(link)).status).toBe(200);
		await new Browser(service).open(link, { method: "HEAD" });
		expect(await addressOf(person.id)).toBe(email);
		const browser = new Browser(service);
		const page = await browser.open(link);
		expect((await browser.post(link, {}, { headers: { Origin: "https://evil.example" } })).status).toBe(403);
		expect(await addressOf(person.id)).toBe(email);
		const done = await browser.follow(await browser.submit(page, "/account/undo/"));
		expect(done.title).toBe("The change was taken back · Svc");
		expect((await browser.submit(page, "/account/undo/")).status).toBe(409);
		expect((await browser.open(`${link.slice(0, -1)}${link.endsWith("b") ? "c" : "b"}`)).status).toBe(404);
	});

	test("of several, the oldest letter leads to the oldest address and outranks the others", async () => {
		const person = await addPerson(service.database);
		const [second, third] = [someone(), someone()];
		await change(person, second);
		await change(person, third);
		const [first = "", later = ""] = [
			...(await linksTo(person.email, "email_changed")),
			...(await linksTo(second, "email_changed")),
		];
		await undo(later);
		expect(await addressOf(person.id)).toBe(second);
		await undo(first);
		expect(await addressOf(person.id)).toBe(person.email);
		const again = await addSession(service.database, person.id);
		await change({ secret: again }, someone());
		const [newest = ""] = await linksTo(person.email, "email_changed");
		expect(newest).not.toBe(first);
		expect((await new Browser(service).post(later, {})).status).toBe(409);
		expect((await new Browser(service).post(first, {})).status).toBe(409);
	});

	test("is over after seven days, and the old address is free then", async () => {
		const person = await addPerson(service.database);
		await change(person, someone());
		const [link = ""] = await linksTo(person.email, "email_changed");
		service.clock.advance(7 * DAY_MS + 1_000);
		expect((await new Browser(service).open(link)).status).toBe(404);
		expect((await new Browser(service).post(link, {})).status).toBe(404);
		expect((await signIn(service, person.email)).account.id).not.toBe(person.id);
	});

	test("keeps the old address for its account: sign-in gets the usual answer, and a letter that says why", async () => {
		const person = await addPerson(service.database);
		const begun = await startLogin(service, person.email);
		await change(person, someone());
		expect((await errorOf(await verifyLatest(service, begun, person.email))).code).toBe("invalid_code");
		const usual = (await (await askCode(service, { email: someone() })).json()) as object;
		const answer = await askCode(service, { email: person.email.toUpperCase() });
		expect(answer.status).toBe(202);
		expect(Object.keys((await answer.json()) as object)).toEqual(Object.keys(usual));
		expect(await linksTo(person.email, "address_given_up")).toEqual(await linksTo(person.email, "email_changed"));
		const codes = sql`SELECT count(*) FROM emails WHERE recipient = ${person.email} AND template = 'sign_in_code'`;
		expect(await countOf(service.database, codes)).toBe(1);
		const accounts = sql`SELECT count(*) FROM accounts WHERE email_norm = ${person.email}`;
		expect(await countOf(service.database, accounts)).toBe(0);
		const operator = await addPerson(service.database, { operator: true });
		const named = { email: person.email };
		expect((await send(service, "POST", "/v1/operator/operators", named, as(operator))).status).toBe(409);
		const other = await addPerson(service.database);
		const login = await bodyOf<SentLogin>(await send(service, "PATCH", "/v1/me", named, as(other)), 202);
		expect((await errorOf(await verifyLatest(service, login, person.email))).fields).toEqual(["email"]);
	});

	test("409 for deleting the account meanwhile", async () => {
		const person = await addPerson(service.database);
		await change(person, someone());
		const remove = () => send(service, "DELETE", "/v1/me", undefined, as(person));
		expect((await errorOf(await remove())).code).toBe("state_conflict");
		service.clock.advance(7 * DAY_MS + 1_000);
		const later = { secret: await addSession(service.database, person.id) };
		expect((await send(service, "DELETE", "/v1/me", undefined, as(later))).status).toBe(202);
	});
});

describe("changing it on the account's page", () => {
	test("takes the code to the old address where the session is not fresh, then the one to the new address", async () => {
		const [browser, email, next] = [new Browser(service), someone(), someone()];
		await signInToAccount(service, browser, email);
		await service.database.write([{ run: sql`UPDATE sessions SET fresh_ms = 0 WHERE kind = 'web'` }]);
		const asked = await browser.submit(await browser.open("/account/address"), "/account/address", { email: next });
		const confirm = await browser.follow(asked);
		expect(confirm.html).toContain(`To change your address to ${next}.`);
		const confirmed = await browser.submit(confirm, "/account/confirm", {
			code: await codeFor(service.database, email),
		});
		const code = await browser.follow(confirmed);
		expect(code.title).toBe("Confirm your new address · Svc");
		const done = await browser.submit(code, "/account/address/code", { code: await codeFor(service.database, next) });
		expect((await browser.follow(done)).html).toContain(`Your address is ${next} now.`);
	});

	test("says what is wrong with an address, and with one that is another's once its code was right", async () => {
		const [browser, email] = [new Browser(service), someone()];
		await signInToAccount(service, browser, email);
		const page = await browser.open("/account/address");
		for (const wrongly of ["no address", email]) {
			const refused = await browser.submit(page, "/account/address", { email: wrongly });
			expect([refused.status, refused.alerts.length]).toEqual([422, 1]);
		}
		const taken = await addPerson(service.database);
		const code = await browser.follow(await browser.submit(page, "/account/address", { email: taken.email }));
		const typed = { code: await codeFor(service.database, taken.email) };
		const refused = await browser.submit(code, "/account/address/code", typed);
		expect([refused.status, refused.alerts]).toEqual([422, ["This address belongs to another account."]]);
	});

	test("the link of a letter is not in the log", async () => {
		const person: TestPerson = await addPerson(service.database);
		await change(person, someone());
		const [link = ""] = await linksTo(person.email, "email_changed");
		await undo(link);
		expect(JSON.stringify(service.log.lines)).not.toContain(link.slice(-32));
	});
});
