import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { deploymentSecret, newDeploymentSecret } from "@svc/base/crypto/deployment-secret";
import { openDatabase } from "@svc/base/database/open";
import { sql } from "drizzle-orm";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { type OpenService, openService } from "../support/service.ts";
import { readTicket, ticket } from "../support/tickets.ts";

/* Several processes on one database server have one secret, which each of them is told. */

const [one, two] = [newDeploymentSecret(), newDeploymentSecret()];
const [first, second] = [one, two].map((text) => deploymentSecret(text).fingerprint);

let server: LibsqlServer;
let key = "";
beforeAll(async () => {
	if (!withoutLibsql) server = await startLibsql();
});
afterAll(async () => {
	if (!withoutLibsql) await server[Symbol.asyncDispose]();
});

/** A process that is told this; nothing where it is empty. */
const open = (secrets: string) => openService({ SVC_DATABASE_URL: server.url, SVC_DEPLOYMENT_SECRET: secrets });

async function readiness(service: OpenService): Promise<string | undefined> {
	const answer = await service.open(`${service.rooms.addresses.base}/readyz`);
	return ((await answer.json()) as { readonly checks: Readonly<Record<string, string>> }).checks.secret;
}

/** Makes a ticket at one process, and reads its address at another. */
async function isUnderstood(maker: OpenService, reader: OpenService): Promise<boolean> {
	const made = await ticket(maker, {}, { key });
	return (await readTicket(reader, made.id, { key })).url === made.url;
}

describe.skipIf(withoutLibsql)(`the secret of a deployment on a database server${libsqlNote}`, () => {
	test("has to be told to a new one, which writes nothing without it", async () => {
		await expect(open("")).rejects.toThrow("set SVC_DEPLOYMENT_SECRET to the same value for all");
		const database = await openDatabase({ url: server.url });
		expect(await database.rows("SELECT count(*) FROM sqlite_master WHERE name = 'meta'", [])).toEqual([[0]]);
		await database.close();
	});

	test("is the same for all: a process with another one, or with none, does not start, and names both fingerprints", async () => {
		const service = await open(one);
		key = service.apiKey;
		await service.close();
		for (const [given, told] of [
			[two, `the secret ${second}`],
			["", "no secret"],
		]) {
			const said = await open(given ?? "").then(
				() => "it started",
				(cause: unknown) => String(cause),
			);
			expect(said).toContain(`the secret ${first}\n  SVC_DEPLOYMENT_SECRET: ${told}`);
		}
	});

	test("is changed process by process: until all have the new one what is made is understood by all, then the old one may go", async () => {
		const old = await open(one);
		const fresh = await open(`${two},${one}`);
		expect([await isUnderstood(old, fresh), await isUnderstood(fresh, old)]).toEqual([true, true]);
		await old.close();
		await fresh.beat();
		const made = await ticket(fresh, {}, { key });
		await fresh.careForSecret();
		expect(await readiness(fresh)).toBe("moving");
		fresh.clock.advance(32 * 86_400_000);
		expect(await readiness(fresh)).toBe("spare");
		fresh.clock.advance(-32 * 86_400_000);
		await fresh.close();
		await expect(open(one)).rejects.toThrow(`the secret ${second}`);
		const last = await open(two);
		expect((await readTicket(last, made.id, { key })).url).toBe(made.url);
		expect(await readiness(last)).toBeUndefined();
		await last.close();
	});

	test("may come later to an older installation: it goes on without, says so, and understands those that have it", async () => {
		const database = await openDatabase({ url: server.url });
		const keys = ["cursors", "logins", "upload_tickets", "delivery"];
		await database.write([
			{ run: sql`DELETE FROM meta WHERE value LIKE 'sealed:%' OR key = 'deployment-secret'` },
			...keys.map((name) => ({ run: sql`INSERT INTO meta (key, value) VALUES (${name}, ${"05".repeat(32)})` })),
		]);
		await database.close();
		const without = await open("");
		expect(await readiness(without)).toBe("missing");
		const beside = await open(one);
		expect([await isUnderstood(without, beside), await isUnderstood(beside, without)]).toEqual([true, true]);
		await without.close();
		await beside.beat();
		expect(await readiness(beside)).toBe("moving");
		const { url, id } = await ticket(beside, {}, { key });
		await beside.close();
		await expect(open("")).rejects.toThrow(`the secret ${first}`);
		const again = await open(one);
		expect((await readTicket(again, id, { key })).url).toBe(url);
		await again.close();
	});
});
