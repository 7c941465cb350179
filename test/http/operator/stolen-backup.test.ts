import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hmac, toToken } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { openDatabase } from "@svc/base/database/open";
import { linkToken } from "@svc/people/letter-links";
import { codeMacOf, linkMacOf } from "@svc/people/sign-in/login-codes";
import { deviceToken } from "@svc/people/sign-in/login-limits";
import { sql } from "drizzle-orm";
import { Browser } from "../../support/browser.ts";
import { codeFor } from "../../support/connect.ts";
import { mailedFacts } from "../../support/mail.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { send, uploaded } from "../../support/requests.ts";
import { restoreInto } from "../../support/restore.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { askCode, bodyOf, type SentLogin, signIn, startLogin, verifyLatest } from "../../support/sign-in.ts";
import { ask, makeTeam, type Team } from "../../support/teams.ts";
import { readTicket, type TicketAnswer, ticket } from "../../support/tickets.ts";

/*
 * What a thief has who has a backup and nothing else. Everything that opens something is made in a service; then it is looked for in the
 * backup, computed from all that lies there, and asked of a service that is started on the copy.
 */

const EMAIL = "owner@example.com";
const UNLIMITED = { SVC_SIGN_IN_IP_RATE: "0", SVC_SIGN_IN_EMAIL_RATE: "0" };

/** Its answer is kept, to be given again. */
const KEYED = { headers: { "Idempotency-Key": "ticket-1" } };

let parent = "";
let service: OpenService;
let backup = "";
let copy: Database;
let opens: Awaited<ReturnType<typeof makeAll>>;

beforeAll(async () => {
	parent = await mkdtemp(join(tmpdir(), "svc-stolen-"));
	service = await openService(UNLIMITED);
	opens = await makeAll();
	backup = await backedUp();
	const taken = join(parent, "taken.db");
	await Bun.write(taken, await readFile(join(backup, "svc.db")));
	copy = await openDatabase({ url: pathToFileURL(taken).href });
});
afterAll(async () => {
	await copy.close();
	await service.close();
	await removeData(parent);
});

async function makeAll() {
	const { database } = service;
	const operator = await addPerson(database, { operator: true });
	const team = await makeTeam(service);
	const first = await signIn(service, EMAIL);
	// From a device that is not known: a letter tells of it.
	await signIn(service, EMAIL);
	const changing = await bodyOf<SentLogin>(
		await send(service, "PATCH", "/v1/me", { email: `new-${EMAIL}` }, as(first)),
		202,
	);
	await bodyOf(await verifyLatest(service, changing, `new-${EMAIL}`), 200);
	const login = await startLogin(service, "waiting@example.com");
	const linked = await mailedLink();
	await uploaded(service, await plain(40, 30));
	const [letter] = await mailedFacts(database, sql`template = 'security_letter'`);
	const [changed] = await mailedFacts(database, sql`template = 'email_changed'`);
	const invite = await ask(service, team.admin, "POST", `${team.path}/invites`, {
		email: "i@example.com",
		role: "editor",
	});
	const token = await ask(service, team.owner, "POST", "/v1/tokens", {
		name: "t",
		scopes: ["apps:read"],
		expires_in: "1d",
	});
	return {
		operator,
		team,
		device: first.device_token,
		login: { id: login.id, code: await codeFor(database, "waiting@example.com") },
		linked,
		notMe: lastOf(letter?.facts.link),
		undo: lastOf(changed?.facts.link),
		invite: String(invite.body.token),
		token: String(token.body.secret),
		session: first.secret,
		ticket: await ticket(service, {}, KEYED),
		hooks: await madeEndpoint(team),
		signing: await ask(service, team.admin, "POST", `${team.path}/signing_keys`, { name: "site" }),
	};
}

const lastOf = (link: string | undefined) => link?.split("/").at(-1) ?? "";

/** A link that signs in, as a person gets one whom wrong codes keep out. */
async function mailedLink(): Promise<{ readonly id: string; readonly token: string }> {
	const email = "locked@example.com";
	const start = { purpose: "account", email, device: "", address: "192.0.2.1", knownDevice: null } as const;
	const { startLogin: begin } = await import("@svc/people/sign-in/login-start");
	const { id } = await begin(service.rooms.people, { ...start, link: (_, token) => `https://x.example/${token}` });
	const [mail] = await mailedFacts(service.database, sql`recipient = ${email}`);
	return { id, token: lastOf(mail?.facts.link) };
}

async function madeEndpoint({
	admin,
	path,
}: Team): Promise<{ readonly id: string; readonly secrets: readonly string[] }> {
	const { body } = await ask(service, admin, "POST", `${path}/webhook_endpoints`, { url: "https://app.example.com/h" });
	const rotated = await ask(service, admin, "POST", `${path}/webhook_endpoints/${body.id}/rotate`, {
		old_expires_in: "1d",
	});
	return { id: String(body.id), secrets: [String(body.secret), String(rotated.body.secret)] };
}

async function backedUp(): Promise<string> {
	const asked = await send(service, "POST", "/v1/operator/backups", undefined, as(opens.operator));
	const { id } = (await asked.json()) as { readonly id: string };
	await service.runJobs();
	const job = await send(service, "GET", `/v1/jobs/${id}`, undefined, as(opens.operator));
	return ((await job.json()) as { readonly result: { readonly path: string } }).result.path;
}

const tokenOf = ({ url }: Pick<TicketAnswer, "url">) => lastOf(url ?? undefined);

/** Everything in the backup that could be a key: each value of each row, as it is, and as what it may be the text of. */
async function keysIn(database: Database): Promise<readonly Uint8Array<ArrayBuffer>[]> {
	const found = new Map<string, Uint8Array<ArrayBuffer>>();
	const tables = await database.rows(
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
		[],
	);
	for (const [table] of tables) {
		const values = (await database.rows(`SELECT * FROM "${table}"`, [])).flat();
		const keys = values.flatMap(readings).filter(({ length }) => length >= 16 && length <= 128);
		for (const key of keys) found.set(key.toString("hex"), new Uint8Array(key));
	}
	return [...found.values()];
}

/** A value, and each part of a text, as the bytes that it may be. */
function readings(value: unknown): readonly Buffer[] {
	if (value instanceof ArrayBuffer) return [Buffer.from(value)];
	if (typeof value !== "string") return [];
	return [value, ...value.split(/[\s":,]/)].flatMap((text) => [
		Buffer.from(text),
		...(/^[0-9a-f]{32,}$/i.test(text) ? [Buffer.from(text, "hex")] : []),
		...(/^[\w+/=-]{22,}$/.test(text) ? [Buffer.from(text, "base64")] : []),
	]);
}

/** What can be made or opened with a key that should not be: names of kinds. */
async function opened(key: Uint8Array<ArrayBuffer>): Promise<readonly string[]> {
	const mac = await hmac(key);
	const { login, linked, notMe, undo, device } = opens;
	const [real] = service.rooms.people.keyring.secrets;
	const isKeyOf = (purpose: string) => toToken(key) === toToken(real?.derive(purpose) ?? key);
	const row = async (query: string, id: string) => (await copy.rows(query, [id]))[0]?.[0];
	const digest = Buffer.from((await row("SELECT code_mac FROM logins WHERE id = ?", login.id)) as ArrayBuffer);
	const linkDigest = Buffer.from((await row("SELECT code_mac FROM logins WHERE id = ?", linked.id)) as ArrayBuffer);
	const [nonce = ""] = device.split(".");
	const kinds: Readonly<Record<string, boolean>> = {
		ticket: toToken(await mac("token", opens.ticket.id)) === tokenOf(opens.ticket),
		code: digest.equals(await codeMacOf(mac, login.id, login.code)),
		link: linkDigest.equals(await linkMacOf(mac, linked.id, linked.token)),
		not_me: (await linkToken(mac, "not_me", notMe.slice(0, 20))) === notMe,
		undo: (await linkToken(mac, "undo", undo.slice(0, 20))) === undo,
		device: (await deviceToken({ current: () => mac, all: () => [mac] }, EMAIL, `device:${nonce}`)) === device,
		address: isKeyOf("delivery"),
		cursor: isKeyOf("cursors"),
	};
	return Object.keys(kinds).filter((kind) => kinds[kind]);
}

describe("with a backup alone", () => {
	test("no secret can be read: none stands in its files, as text or in base64", async () => {
		const { notMe, undo, invite, token, session, device, hooks, signing, linked } = opens;
		const readable = {
			...{ notMe, undo, invite, token, session, linked: linked.token, ticket: tokenOf(opens.ticket) },
			...{ device: device.split(".")[1] ?? "", key: service.apiKey, first: hooks.secrets[0] ?? "" },
			...{ second: hooks.secrets[1] ?? "", signing: String(signing.body.secret) },
		};
		const file = await readFile(join(backup, "svc.db"));
		for (const [name, secret] of Object.entries(readable)) {
			expect([name, secret.length >= 20]).toEqual([name, true]);
			for (const form of [secret, Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")])
				expect([name, file.includes(form)]).toEqual([name, false]);
		}
		const mails = await copy.rows("SELECT facts FROM emails WHERE facts ->> '$.code' IS NOT NULL", []);
		expect(mails.length).toBeGreaterThan(0);
		for (const [facts] of mails) expect(JSON.parse(String(facts)).code).toStartWith("sealed:");
		expect(
			file.includes(await readFile(join(service.dataDir, "deployment-secret"), "utf8").then((text) => text.trim())),
		).toBe(false);
	});

	test("nothing can be computed: no value of any row makes a ticket, a code, a link, a device's token, an address or a cursor", async () => {
		const [real] = service.rooms.people.keyring.secrets;
		const made = async (purpose: string) => await opened(real?.derive(purpose) ?? new Uint8Array());
		// What is looked for below would be found.
		expect((await made("logins")).toSorted()).toEqual(["code", "device", "link", "not_me", "undo"]);
		const others = [await made("upload_tickets"), await made("delivery"), await made("cursors")];
		expect(others).toEqual([["ticket"], ["address"], ["cursor"]]);
		const keys = await keysIn(copy);
		expect(keys.length).toBeGreaterThan(100);
		for (const key of keys) expect(await opened(key)).toEqual([]);
	});

	test("the program opens nothing on a copy of it: it refuses, and once brought back it has other secrets and shows none of before", async () => {
		const bare = join(parent, "bare");
		await Bun.write(join(bare, "svc.db"), await readFile(join(backup, "svc.db")));
		const { fingerprint = "" } = service.rooms.people.keyring.secrets[0] ?? {};
		await expect(openService({ SVC_DATA_DIR: bare })).rejects.toThrow(`the secret ${fingerprint}`);

		const dataDir = join(parent, "restored");
		await restoreInto(backup, dataDir);
		const thief = await openService({ SVC_DATA_DIR: dataDir, ...UNLIMITED });
		try {
			// A thief can write a key of their own into the copy: that of the test stands for it.
			const seen = await bodyOf<TicketAnswer>(
				await send(thief, "GET", `/v1/upload_tickets/${opens.ticket.id}`, undefined, { key: service.apiKey }),
				200,
			);
			expect(seen.url).toBeNull();
			// Another ticket is not made in its place, and its address is not known here.
			const again = await send(thief, "POST", "/v1/upload_tickets", {}, { key: service.apiKey, ...KEYED });
			expect([again.status, await again.json()]).toMatchObject([201, { id: opens.ticket.id, url: null }]);
			const [operator] = await operatorsOf(thief);
			const mails = await (
				await send(thief, "GET", "/v1/operator/emails?limit=100", undefined, as(operator as TestPerson))
			).text();
			for (const secret of [opens.login.code, opens.notMe, opens.undo, opens.invite])
				expect(mails).not.toContain(secret);
			const fresh = thief.rooms.people.keyring;
			expect(fresh.fingerprints).not.toBe(service.rooms.people.keyring.fingerprints);
			const receivers = await thief.rooms.webhooks.deliveries.listReceivers(undefined);
			const theirs = receivers.map(({ id, secret }) => fresh.open(secret, `webhook ${id}`));
			expect(theirs).toEqual([expect.stringMatching(/^whsec_/)]);
			for (const secret of opens.hooks.secrets) expect(theirs).not.toContain(secret);
			expect(await thief.database.rows("SELECT count(*) FROM signing_keys", [])).toEqual([[0]]);
			const made = await ticket(thief, {}, { key: service.apiKey });
			// What the copy makes works there alone.
			const page = await new Browser(service).open(`${service.rooms.addresses.base}/v1/uploads/${tokenOf(made)}`);
			expect(page.status).toBeGreaterThanOrEqual(400);
			expect(
				thief.log.lines.some(({ message }) => message.includes("without the secret that this data was made with")),
			).toBe(true);
		} finally {
			await thief.close();
		}
	});

	test("keys, tokens and sessions go on in what was brought back, and with its secret beside it everything does", async () => {
		const dataDir = join(parent, "whole");
		await restoreInto(backup, dataDir);
		await Bun.write(join(dataDir, "deployment-secret"), await readFile(join(service.dataDir, "deployment-secret")));
		const back = await openService({ SVC_DATA_DIR: dataDir, ...UNLIMITED });
		try {
			const seen = await readTicket(back, opens.ticket.id, { key: service.apiKey });
			expect(seen.url).toBe(opens.ticket.url);
			const again = await ticket(back, {}, { key: service.apiKey, ...KEYED });
			expect(again).toMatchObject({ id: opens.ticket.id, url: opens.ticket.url });
			expect((await send(back, "GET", "/v1/me", undefined, as({ secret: opens.session }))).status).toBe(200);
			const { web } = back.rooms.addresses;
			expect((await back.open(`${web}/account/not-me/${opens.notMe}`)).status).toBe(200);
			expect((await back.open(`${web}/account/undo/${opens.undo}`)).status).toBe(200);
			expect(await askCode(back, { email: "x@example.com" })).toMatchObject({ status: 202 });
		} finally {
			await back.close();
		}
	});
});

async function operatorsOf(on: OpenService): Promise<readonly TestPerson[]> {
	return [await addPerson(on.database, { operator: true })];
}
