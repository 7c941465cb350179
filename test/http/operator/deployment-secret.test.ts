import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { hmac, toToken } from "@svc/base/crypto/macs";
import { hashSecret } from "@svc/base/crypto/secrets";
import { openDatabase } from "@svc/base/database/open";
import { countMadeThings, endTickets } from "@svc/operator/secret-ends-store";
import { linkToken, newRef } from "@svc/people/letter-links";
import { sql } from "drizzle-orm";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { ended, startProgram } from "../../support/program.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { signIn } from "../../support/sign-in.ts";
import { ask, makeTeam } from "../../support/teams.ts";
import { readTicket, ticket, useTicket } from "../../support/tickets.ts";

/* A data directory as the release before left it: its keys lie readable in the database, and there is no secret. */

const DAY_MS = 86_400_000;
const KEYS = ["cursors", "logins", "upload_tickets", "delivery"];
const HOOK = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

let dataDir = "";
let made: Awaited<ReturnType<typeof makeOlder>>;

beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "svc-moving-"));
	made = await makeOlder();
});
afterAll(() => removeData(dataDir));

const open = () => openService({ SVC_DATA_DIR: dataDir, SVC_SIGN_IN_EMAIL_RATE: "0" });
const file = () => join(dataDir, "deployment-secret");

async function makeOlder() {
	const service = await open();
	const { database } = service;
	const team = await makeTeam(service);
	const person = await signIn(service, "letters@example.com");
	const { id } = await ticket(service);
	const hook = await ask(service, team.admin, "POST", `${team.path}/webhook_endpoints`, {
		url: "https://app.example.com/h",
	});
	const key = await hmac(new Uint8Array(32).fill(5));
	const token = toToken(await key("token", id));
	const ref = newRef();
	await database.write([
		{ run: sql`DELETE FROM meta WHERE value LIKE 'sealed:%' OR key = 'deployment-secret'` },
		...KEYS.map((name) => ({ run: sql`INSERT INTO meta (key, value) VALUES (${name}, ${"05".repeat(32)})` })),
		{ run: sql`UPDATE upload_tickets SET hash = ${await hashSecret(token)} WHERE id = ${id}` },
		{ run: sql`UPDATE webhook_endpoints SET secret = ${HOOK} WHERE id = ${String(hook.body.id)}` },
		{ run: sql`DELETE FROM emails` },
		{
			run: sql`INSERT INTO security_letters (ref, account_pk, deed, subject, facts, until_ms, created_ms)
				VALUES (${ref}, (SELECT pk FROM accounts WHERE id = ${person.account.id}), 'device', ${person.id}, '{}', ${Date.now() + 7 * DAY_MS}, 0)`,
		},
	]);
	const { apiKey } = service;
	await service.close();
	await rm(file());
	return {
		ticket: id,
		token,
		letter: await linkToken(key, "not_me", ref),
		key,
		caller: { key: apiKey },
		session: person.secret,
	};
}

/** How many of the older keys and secrets stand readable. */
async function readable({ database }: OpenService): Promise<number> {
	const rows = await database.rows(
		"SELECT (SELECT count(*) FROM meta WHERE value = ?) + (SELECT count(*) FROM webhook_endpoints WHERE secret = ?)",
		["05".repeat(32), HOOK],
	);
	return Number(rows[0]?.[0]);
}

const ready = async (service: OpenService) => {
	const answer = await service.open(`${service.rooms.addresses.base}/readyz`);
	return ((await answer.json()) as { readonly checks: Readonly<Record<string, string>> }).checks.secret;
};

async function expectAlive(service: OpenService): Promise<void> {
	const { url } = await readTicket(service, made.ticket, made.caller);
	expect(url).toEndWith(`/v1/uploads/${made.token}`);
	expect((await service.open(`${service.rooms.addresses.web}/account/not-me/${made.letter}`)).status).toBe(200);
	const me = await service.api("/v1/me", { headers: { Authorization: `Bearer ${made.session}` } });
	expect(me.status).toBe(200);
}

describe("an installation of the release before", () => {
	test("goes on with all that lives, makes what is new with a secret of its own, and stays readable for that release for a day", async () => {
		const service = await open();
		try {
			expect((await stat(file())).mode & 0o777).toBe(0o600);
			await expectAlive(service);
			const fresh = await ticket(service, {}, made.caller);
			expect(fresh.url).not.toContain(toToken(await made.key("token", fresh.id)));
			await service.careForSecret();
			expect([await readable(service), await ready(service)]).toEqual([KEYS.length + 1, "moving"]);
		} finally {
			await service.close();
		}
	});

	test("closes a file of its secret that was brought back readable by all", async () => {
		await chmod(file(), 0o644);
		await (await open()).close();
		expect((await stat(file())).mode & 0o777).toBe(0o600);
	});

	test("seals its keys and secrets after a day without that release, and loses no ticket, link or session by it", async () => {
		const service = await open();
		try {
			service.clock.advance(DAY_MS / 2);
			await service.careForSecret();
			expect(await readable(service)).toBe(KEYS.length + 1);
			service.clock.advance(DAY_MS / 2);
			await service.careForSecret();
			expect([await readable(service), await ready(service)]).toEqual([0, undefined]);
			service.clock.advance(-DAY_MS);
			await expectAlive(service);
			expect((await service.rooms.webhooks.deliveries.listReceivers(undefined)).map(({ secret }) => secret)).toEqual([
				expect.stringMatching(/^sealed:/),
			]);
		} finally {
			await service.close();
		}
		// The next start writes the file anew: nothing is left in its free pages.
		const again = await open();
		await again.close();
		const bytes = await readFile(join(dataDir, "svc.db"));
		expect([bytes.includes(HOOK), bytes.includes("05".repeat(32))]).toEqual([false, false]);
	});

	test("has its tickets used, and its letters' links taken, for a month after, and the keys of before no longer", async () => {
		const service = await open();
		try {
			const used = await useTicket(
				service,
				{ url: `${service.rooms.addresses.base}/v1/uploads/${made.token}` },
				await plain(20, 10),
			);
			expect(used.status).toBe(201);
			service.clock.advance(32 * DAY_MS);
			const { proofs } = service.rooms.people;
			expect(proofs.all()).toHaveLength(1);
		} finally {
			await service.close();
		}
	});
});

describe("svc server rotate-secret", () => {
	const svc = async (...words: string[]) => {
		const { exit, out, err } = await ended(
			startProgram(["server", "rotate-secret", "--json", ...words], { cwd: tmpdir(), env: { SVC_DATA_DIR: dataDir } }),
		);
		expect([exit, err]).toEqual([0, ""]);
		return JSON.parse(out) as Readonly<Record<string, unknown>>;
	};
	const lines = async () => (await readFile(file(), "utf8")).trim().split("\n");

	test("only looks with --dry-run; else the file has another secret and the one before, and all that lives goes on", async () => {
		const [before] = await lines();
		const first = await open();
		const { url, id } = await ticket(first, {}, made.caller);
		await first.close();
		expect(await svc("--dry-run")).toMatchObject({ rotated: false, tickets: 2, place: file() });
		expect((await lines()).join()).toBe(before ?? "");
		const rotated = await svc("--yes");
		expect(rotated).toMatchObject({ rotated: true, former_until: expect.stringMatching(/^20/) });
		const [now, former] = await lines();
		expect([now === before, former?.startsWith(`${before} until `)]).toEqual([false, true]);
		const service = await open();
		try {
			expect(service.rooms.people.keyring.secrets[0]?.fingerprint).toBe(String(rotated.fingerprint));
			expect((await readTicket(service, id, made.caller)).url).toBe(url);
			const [receiver] = await service.rooms.webhooks.deliveries.listReceivers(undefined);
			expect(receiver?.secret).toStartWith(`sealed:${rotated.fingerprint}:`);
			expect(service.rooms.people.keyring.open(receiver?.secret ?? "", `webhook ${receiver?.id}`)).toBe(HOOK);
			expect(await ready(service)).toBe("moving");
		} finally {
			await service.close();
		}
	});

	test("with --now ends what was made with the one before: the ticket's address takes nothing any more", async () => {
		const first = await open();
		const { url } = await ticket(first, {}, made.caller);
		await first.close();
		expect(await svc("--now", "--yes")).toMatchObject({ rotated: true, former_until: null });
		expect(await lines()).toHaveLength(1);
		const service = await open();
		try {
			expect((await useTicket(service, { url }, await plain(20, 10))).status).toBe(409);
			expect((await service.api("/v1/me", { headers: { Authorization: `Bearer ${made.session}` } })).status).toBe(200);
			expect(await ready(service)).toBeUndefined();
		} finally {
			await service.close();
		}
	});
});

describe("a secret that is lost", () => {
	test("stops the start, and svc server adopt goes on without it and counts what it has made anew", async () => {
		const { fingerprint } = JSON.parse(await stateOf());
		await rm(file());
		await expect(open()).rejects.toThrow(`the secret ${fingerprint}\n  ${file()}: no secret`);
		expect(await readdir(dataDir)).not.toContain("deployment-secret");
		const adopt = ["server", "adopt", "--json", "--yes"];
		const { exit, out } = await ended(startProgram(adopt, { cwd: tmpdir(), env: { SVC_DATA_DIR: dataDir } }));
		expect(exit).toBe(0);
		expect(JSON.parse(out)).toMatchObject({ secret: { known: fingerprint }, lost: { webhook: 1 } });
		const service = await open();
		try {
			const [receiver] = await service.rooms.webhooks.deliveries.listReceivers(undefined);
			const secret = service.rooms.people.keyring.open(receiver?.secret ?? "", `webhook ${receiver?.id}`);
			expect(secret).toMatch(/^whsec_/);
			expect(secret).not.toBe(HOOK);
			expect((await service.api("/v1/me", { headers: { Authorization: `Bearer ${made.session}` } })).status).toBe(200);
		} finally {
			await service.close();
		}
	});
});

/** What the database says of its secret. */
async function stateOf(): Promise<string> {
	const database = await openDatabase({ url: pathToFileURL(join(dataDir, "svc.db")).href });
	const rows = await database.rows("SELECT value FROM meta WHERE key = 'deployment-secret'", []);
	await database.close();
	return String(rows[0]?.[0]);
}

test("what lives that was made with the secret is counted, and ends on demand", async () => {
	const service = await openService();
	const { database, clock } = service;
	const made = await ticket(service);
	expect(await countMadeThings(database, clock.now())).toEqual({ tickets: 1, links: 0 });
	await endTickets(database, clock.now());
	expect((await readTicket(service, made.id)).state).toBe("cancelled");
	expect(await countMadeThings(database, clock.now())).toEqual({ tickets: 0, links: 0 });
	await service.close();
});
