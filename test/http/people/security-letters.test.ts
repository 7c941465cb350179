import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { addConnectApp, connectLink, exchanged, returned, SIGN_IN_UNLIMITED, signInTo } from "../../support/connect.ts";
import { mailedFacts } from "../../support/mail.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { bodyOf, eventsOf, type SentLogin, signIn, verifyLatest } from "../../support/sign-in.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const service = serviceFor(SIGN_IN_UNLIMITED);
let made = 0;
const someone = () => `told-${++made}@example.com`;

interface Facts {
	readonly deed: string;
	readonly link: string;
	readonly name: string;
	readonly app: string;
	readonly who: string;
	readonly device: string;
	readonly network: string;
}

/** The letters to an address, oldest first. */
async function lettersTo(email: string): Promise<readonly Facts[]> {
	const letters = sql`recipient = ${email} AND template = 'security_letter'`;
	return (await mailedFacts<Facts>(service.database, letters)).map(({ facts }) => facts);
}

const deedsTo = async (email: string) => (await lettersTo(email)).map(({ deed }) => deed);
const linkTo = async (email: string, deed: string) =>
	(await lettersTo(email)).findLast((letter) => letter.deed === deed)?.link ?? "";
const status = async (secret: string) => (await send(service, "GET", "/v1/me", undefined, as({ secret }))).status;
const call = (person: { readonly secret: string }, method: string, path: string, body?: object) =>
	send(service, method, path, body, as(person));

/** Opens the link of a letter, and presses its button. */
async function notMe(link: string) {
	const browser = new Browser(service);
	const page = await browser.open(link);
	const answer = await browser.submit(page, "/account/not-me/");
	return { browser, page, answer };
}

async function ownerOf(): Promise<TestPerson & { readonly appId: string; readonly key: string }> {
	const app = await addApp(service.database, "Night Sky");
	const email = `${app.ownerId.toLowerCase()}@example.com`;
	return {
		id: app.ownerId,
		email,
		secret: await addSession(service.database, app.ownerId),
		appId: app.id,
		key: app.key,
	};
}

describe("a letter tells", () => {
	test("of a new device, not of one that is known, and not of the sign-in that makes the account", async () => {
		const email = someone();
		const first = await signIn(service, email);
		expect(await deedsTo(email)).toEqual([]);
		await signIn(service, email, { device_token: first.device_token });
		expect(await deedsTo(email)).toEqual([]);
		const stranger = await signIn(service, email, { client: "svc on elsewhere" });
		const [letter] = await lettersTo(email);
		expect(letter).toMatchObject({ deed: "device", device: "svc on elsewhere", network: "203.0.113.0/24" });
		const { page, answer } = await notMe(letter?.link ?? "");
		expect(page.html).toContain("A new device signed in");
		expect(answer.status).toBe(303);
		expect([await status(stranger.secret), await status(first.secret)]).toEqual([401, 401]);
		expect(await eventsOf(service.database, first.account.id)).toEqual(["account.created", "account.secured"]);
	});

	test("of a new token, which is revoked with all others", async () => {
		const person = await addPerson(service.database);
		const token = await bodyOf<{ secret: string }>(
			await call(person, "POST", "/v1/tokens", { name: "Nightly", scopes: ["apps:read"], expires_in: "1d" }),
			201,
		);
		expect(await lettersTo(person.email)).toMatchObject([{ deed: "token", name: "Nightly" }]);
		await notMe(await linkTo(person.email, "token"));
		expect([await status(token.secret), await status(person.secret)]).toEqual([401, 401]);
	});

	test("the Owner of a new key and who of the team made it; taken back, that key is revoked and no other", async () => {
		const owner = await ownerOf();
		const admin = await addPerson(service.database);
		await addMember(service.database, { id: owner.appId }, admin, "admin");
		const asked = { name: "Deploys", reach: "app", permissions: ["read"] };
		const key = await bodyOf<{ id: string; secret: string }>(
			await call(admin, "POST", `/v1/apps/${owner.appId}/keys`, asked),
			201,
		);
		const rotated = await call(admin, "POST", `/v1/apps/${owner.appId}/keys/${key.id}/rotate`, {});
		const successor = await bodyOf<{ id: string; secret: string }>(rotated, 201);
		expect(await lettersTo(owner.email)).toMatchObject([
			{ deed: "key", name: "Deploys", app: "Night Sky", who: admin.email },
			{ deed: "key", name: "Deploys", app: "Night Sky", who: admin.email },
		]);
		await notMe(await linkTo(owner.email, "key"));
		const images = async (secret: string) =>
			(await send(service, "GET", "/v1/images", undefined, { key: secret })).status;
		expect([await images(successor.secret), await images(key.secret), await images(owner.key)]).toEqual([
			401, 200, 200,
		]);
		expect([await status(owner.secret), await status(admin.secret)]).toEqual([401, 200]);
		expect(await eventsOf(service.database, successor.id)).toEqual(["key.created", "key.revoked"]);
	});

	test("of an App that was connected; taken back, it reaches nothing, and its pictures stay for a week", async () => {
		const app = await addConnectApp(service.database, "Sunday Hikers");
		const email = someone();
		const browser = new Browser(service);
		const first = returned(await signInTo(service, browser, connectLink(app), email));
		expect(await deedsTo(email)).toEqual([]);
		const { user } = await exchanged(service, app, first.code ?? "");
		const caller = { key: app.key, headers: { "X-Svc-User": user.id } };
		await signInTo(service, browser, connectLink(app), email);
		expect(await deedsTo(email)).toEqual([]);
		const other = await addConnectApp(service.database, "Harbour");
		const { code } = returned(await signInTo(service, browser, connectLink(other), email));
		expect(await lettersTo(email)).toMatchObject([{ deed: "app_connected", app: "Harbour" }]);
		const harbour = await exchanged(service, other, code ?? "");
		const theirs = { key: other.key, headers: { "X-Svc-User": harbour.user.id } };
		const image = await uploaded(service, await plain(40, 30), "a.png", {}, theirs);
		await notMe(await linkTo(email, "app_connected"));
		expect((await send(service, "GET", "/v1/images", undefined, theirs)).status).toBe(403);
		expect((await send(service, "GET", "/v1/images", undefined, caller)).status).toBe(200);
		const stored = async () => {
			await service.rooms.jobs.wake();
			const rows = await service.database.read(() =>
				service.database.queries.values<[number]>(sql`SELECT count(*) FROM images WHERE id = ${image.id}`),
			);
			return rows[0]?.[0];
		};
		service.clock.advance(7 * DAY_MS - HOUR_MS);
		expect(await stored()).toBe(1);
		const due = await service.database.read(() =>
			service.database.queries.values<[number]>(
				sql`SELECT run_ms FROM jobs WHERE kind = 'storage.empty' ORDER BY pk DESC LIMIT 1`,
			),
		);
		expect((due[0]?.[0] ?? 0) - service.clock.now()).toBeGreaterThan(0);
	});

	test("the person and all other operators of a new one; taken back, they are none any more", async () => {
		const [one, other] = [
			await addPerson(service.database, { operator: true }),
			await addPerson(service.database, { operator: true }),
		];
		const person = await addPerson(service.database);
		expect((await call(one, "POST", "/v1/operator/operators", { email: person.email })).status).toBe(201);
		for (const { email } of [one, other, person]) expect(await deedsTo(email)).toEqual(["operator"]);
		await notMe(await linkTo(other.email, "operator"));
		const me = await bodyOf<{ operator: boolean }>(await call(person, "GET", "/v1/me"), 200);
		expect(me.operator).toBe(false);
		expect([await status(other.secret), await status(one.secret)]).toEqual([401, 200]);
	});

	test("both of a transfer; taken back, the App is its former Owner's, also where that one was put out of the team", async () => {
		const owner = await ownerOf();
		const thief = await addPerson(service.database);
		await addMember(service.database, { id: owner.appId }, thief, "editor");
		const path = `/v1/apps/${owner.appId}`;
		expect((await call(owner, "POST", `${path}/transfer`, { member: thief.id })).status).toBe(200);
		for (const { email } of [owner, thief]) expect(await deedsTo(email)).toEqual(["transfer"]);
		expect((await call(thief, "DELETE", `${path}/members/${owner.id}?revoke_keys=true`)).status).toBe(200);
		await notMe(await linkTo(owner.email, "transfer"));
		const again = { secret: await addSession(service.database, owner.id) };
		const role = async (person: { secret: string }) =>
			(await bodyOf<{ role: string }>(await call(person, "GET", path), 200)).role;
		expect([await role(again), await role(thief)]).toEqual(["owner", "editor"]);
		// The other letter has nothing left to take back.
		expect((await notMe(await linkTo(thief.email, "transfer"))).answer.status).toBe(303);
		expect(await role(again)).toBe("owner");
	});

	test("the new address of a change, which its button takes back as the letter to the old one does", async () => {
		const person = await addPerson(service.database);
		const email = someone();
		const login = await bodyOf<SentLogin>(await call(person, "PATCH", "/v1/me", { email }), 202);
		await bodyOf(await verifyLatest(service, login, email), 200);
		const [letter] = await lettersTo(email);
		expect(letter).toMatchObject({ deed: "address", name: `${person.email[0]}•••@example.com` });
		await notMe(letter?.link ?? "");
		const rows = await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT email FROM accounts WHERE id = ${person.id}`),
		);
		expect(rows).toEqual([[person.email]]);
	});
});

describe("the link of a letter", () => {
	test("shows the deed and changes nothing until its button is pressed; it works once, for a week, and is in no log", async () => {
		const email = someone();
		await signIn(service, email);
		const { secret } = await signIn(service, email);
		const link = await linkTo(email, "device");
		const browser = new Browser(service);
		for (let count = 0; count < 3; count++) expect((await browser.open(link)).status).toBe(200);
		expect((await browser.post(link, {}, { headers: { Origin: "https://evil.example" } })).status).toBe(403);
		expect(await status(secret)).toBe(200);
		const done = await browser.follow(await browser.submit(await browser.open(link), "/account/not-me/"));
		expect([done.title, done.links.get("Sign in")]).toEqual(["It was taken back · Svc", "/account"]);
		expect((await browser.post(link, {})).status).toBe(409);
		expect((await browser.open(`${link.slice(0, -1)}${link.endsWith("b") ? "c" : "b"}`)).status).toBe(404);
		await signIn(service, email);
		const later = await linkTo(email, "device");
		service.clock.advance(7 * DAY_MS + 1_000);
		expect((await browser.open(later)).status).toBe(404);
		expect(JSON.stringify(service.log.lines)).not.toContain(link.slice(-32));
	});

	test("after twenty letters in an hour one sums up, and takes back all that had none of its own", async () => {
		const owner = await ownerOf();
		const keys: string[] = [];
		for (let count = 0; count < 24; count++) {
			const asked = { name: `Key ${count}`, reach: "app", permissions: ["read"] };
			const key = await call(owner, "POST", `/v1/apps/${owner.appId}/keys`, asked);
			keys.push((await bodyOf<{ secret: string }>(key, 201)).secret);
		}
		const deeds = await deedsTo(owner.email);
		expect([deeds.filter((deed) => deed === "key").length, deeds.filter((deed) => deed === "many").length]).toEqual([
			20, 1,
		]);
		await notMe(await linkTo(owner.email, "many"));
		const works = await Promise.all(
			keys.map(async (key) => (await send(service, "GET", "/v1/images", undefined, { key })).status === 200),
		);
		expect(works).toEqual([...Array(20).fill(true), ...Array(4).fill(false)]);
		service.clock.advance(HOUR_MS + 1_000);
		const again = { secret: await addSession(service.database, owner.id) };
		await call(again, "POST", "/v1/tokens", { name: "After", scopes: ["apps:read"], expires_in: "1d" });
		expect(await deedsTo(owner.email)).toHaveLength(22);
	});
});
