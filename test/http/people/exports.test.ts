import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, connectUser } from "../../support/apps.ts";
import { placeholdersMade } from "../../support/background.ts";
import { keptPasskey } from "../../support/passkeys.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { corners } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { HAS_PYTHON, readZip } from "../../support/zip-file.ts";

const DAY_MS = 86_400_000;
const service = serviceFor();
const [red, blue] = [await corners(16, 12), await corners(24, 20)];

interface Exporter {
	readonly id: string;
	readonly secret: string;
	readonly userId: string;
	readonly key: string;
	readonly appId: string;
}

/** Somebody with a picture in an App. */
async function exporter(): Promise<Exporter> {
	const app = await addApp(service.database);
	const user = await connectUser(service.database, app);
	const secret = await addSession(service.database, user.accountId);
	return { id: user.accountId, secret, userId: user.id, key: app.key, appId: app.id };
}

const store = ({ key, userId }: Exporter, file = red) =>
	uploaded(service, file, "picture.png", {}, { key, headers: { "X-Svc-User": userId } });
const ask = (who: { readonly secret: string }, body: object = {}) =>
	send(service, "POST", "/v1/me/export", body, as(who));
const jobsOf = async (who: { readonly secret: string }) =>
	(await (await send(service, "GET", "/v1/me/exports", undefined, as(who))).json()).data;
const fileOf = (who: { readonly secret: string }, id: string) =>
	send(service, "GET", `/v1/me/exports/${id}/file`, undefined, as(who));

/** The id of an export that is ready. */
async function exported(who: Exporter, body: object = {}): Promise<string> {
	const answer = await ask(who, body);
	expect(answer.status).toBe(202);
	const { id } = await answer.json();
	await service.runJobs();
	return id;
}

const mailsTo = (id: string) =>
	service.database.read(() =>
		service.database.queries.values<[string, string]>(
			sql`SELECT template, facts FROM emails WHERE recipient = ${`${id.toLowerCase()}@example.com`}`,
		),
	);

describe("an export", () => {
	test.skipIf(!HAS_PYTHON)(
		"holds the pictures as they are stored, what the API says of them, and the account",
		async () => {
			const who = await exporter();
			const [first, second] = [await store(who), await store(who, blue)];
			const other = await exporter();
			await store(other);
			const token = await send(
				service,
				"POST",
				"/v1/tokens",
				{ name: "CI", scopes: ["apps:read"], expires_in: "1d" },
				as(who),
			);
			const { secret } = await token.json();
			const { id: passkey } = await keptPasskey(service, who, "Phone");
			const id = await exported(who);

			const [job] = await jobsOf(who);
			const url = `${service.rooms.addresses.web}/account/export/${id}.zip`;
			const expires = expect.any(String);
			expect(job).toMatchObject({ id, kind: "account.export", state: "done", done: 2, total: 2 });
			const bytes = first.bytes + second.bytes;
			expect(job.result).toEqual({ url, expires_at: expires, images: 2, bytes });

			const answer = await fileOf(who, id);
			expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
			expect(answer.headers.get("cache-control")).toBe("no-store");
			const files = await readZip(await answer.arrayBuffer());
			const names = [first, second].map((image) => `${who.appId}/${image.id}.png`);
			expect([...files.keys()]).toEqual([...names, "images.json", "account.json"]);
			expect(Buffer.from(files.get(names[0] ?? "") ?? []).equals(Buffer.from(red))).toBe(true);
			const json = (name: string) => JSON.parse(Buffer.from(files.get(name) ?? []).toString());
			expect(json("images.json")).toEqual([first, second]);
			const account = json("account.json");
			expect(Object.keys(account)).toEqual([
				...["account", "addresses", "sessions", "tokens", "passkeys", "connections", "plans", "invoices"],
				...["activity", "left_out"],
			]);
			expect(account.account).toEqual(await (await send(service, "GET", "/v1/me", undefined, as(who))).json());
			expect(account.connections).toHaveLength(1);
			expect(account.tokens).toMatchObject([{ name: "CI" }]);
			expect(account.passkeys).toEqual([
				{ id: passkey, object: "passkey", name: "Phone", last_used_at: null, created_at: expect.any(String) },
			]);
			expect(account.activity.map(({ event }: { event: string }) => event)).toContain("account.exported");
			const all = Buffer.concat([...files.values()]).toString("latin1");
			expect(all).not.toContain(secret);
			expect(all).not.toContain(other.id);
		},
	);

	test("is made while it is read, a picture at a time", async () => {
		const who = await exporter();
		for (let count = 0; count < 5; count++) await store(who);
		const id = await exported(who);
		await placeholdersMade(service);
		const { masters } = service.rooms.images;
		const find = masters.findWhole.bind(masters);
		let found = 0;
		masters.findWhole = (blobKey) => {
			found += 1;
			return find(blobKey);
		};
		const reader = (await fileOf(who, id)).body?.getReader();
		expect(found).toBe(0);
		await reader?.read();
		expect(found).toBe(1);
		await reader?.cancel();
		expect(found).toBe(1);
		masters.findWhole = find;
	});

	test("429 with Retry-After while two of one person are being read", async () => {
		const who = await exporter();
		await store(who);
		const id = await exported(who);
		const readers = [];
		for (let count = 0; count < 2; count++) {
			const reader = (await fileOf(who, id)).body?.getReader();
			await reader?.read();
			readers.push(reader);
		}
		const refused = await fileOf(who, id);
		expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
		await readers[0]?.cancel();
		expect((await fileOf(who, id)).status).toBe(200);
		await readers[1]?.cancel();
	});

	test("tells its owner by mail once, with size, end and where", async () => {
		const who = await exporter();
		const { bytes } = await store(who);
		await exported(who);
		const mails = (await mailsTo(who.id)).filter(([template]) => template === "export_ready");
		expect(mails).toHaveLength(1);
		const page = `${service.rooms.addresses.web}/account/export`;
		expect(JSON.parse(mails[0]?.[1] ?? "")).toEqual({ images: 1, bytes, until: expect.any(String), page });
	});

	test.skipIf(!HAS_PYTHON)(
		"of one App has nothing of another; what was blocked or deleted since is in none",
		async () => {
			const who = await exporter();
			const [kept, blocked, deleted] = [await store(who), await store(who), await store(who)];
			const app = await addApp(service.database);
			await service.database.write([
				{
					run: sql`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms)
					SELECT 'sto_elsewhere', apps.pk, 'user', accounts.pk, 'hash_elsewhere', 'active', 0
					FROM apps, accounts WHERE apps.id = ${app.id} AND accounts.id = ${who.id}`,
				},
			]);
			const id = await exported(who, { app: who.appId });
			const operator = await addPerson(service.database, { operator: true });
			await send(service, "POST", `/v1/moderation/images/${blocked.id}/block`, { reason: "spam" }, as(operator));
			const caller = { key: who.key, headers: { "X-Svc-User": who.userId } };
			expect((await send(service, "DELETE", `/v1/images/${deleted.id}`, undefined, caller)).status).toBe(200);
			const files = await readZip(await (await fileOf(who, id)).arrayBuffer());
			expect([...files.keys()]).toEqual([`${who.appId}/${kept.id}.png`, "images.json", "account.json"]);
		},
	);

	test.skipIf(!HAS_PYTHON)("leaves out a picture whose bytes are damaged, and names it", async () => {
		const who = await exporter();
		const [whole, damaged] = [await store(who), await store(who)];
		const id = await exported(who);
		const [row] = await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT blob_key FROM images WHERE id = ${damaged.id}`),
		);
		await service.rooms.images.blobs.remove(row?.[0] ?? "");
		const files = await readZip(await (await fileOf(who, id)).arrayBuffer());
		expect([...files.keys()]).toEqual([`${who.appId}/${whole.id}.png`, "images.json", "account.json"]);
		const account = JSON.parse(Buffer.from(files.get("account.json") ?? []).toString());
		expect(account.left_out).toEqual([damaged.id]);
	});

	test("404 for others, for another job's id, and after seven days; then it is tidied away", async () => {
		const [who, other] = [await exporter(), await exporter()];
		const id = await exported(who);
		const deletion = await (await send(service, "DELETE", "/v1/me", undefined, as(other))).json();
		const stranger = await addPerson(service.database, { operator: true });
		expect((await fileOf(stranger, id)).status).toBe(404);
		expect((await fileOf(who, deletion.id)).status).toBe(404);
		expect((await fileOf(who, "job_none")).status).toBe(404);
		expect((await fileOf(who, id)).status).toBe(200);
		service.clock.advance(7 * DAY_MS + 1_000);
		const later = { secret: await addSession(service.database, who.id) };
		expect((await fileOf(later, id)).status).toBe(404);
		expect(await jobsOf(later)).toEqual([]);
		await service.sweep();
		expect((await send(service, "GET", `/v1/jobs/${id}`, undefined, as(later))).status).toBe(404);
	});
});

test("of many files that one person opens at once two are made, and no other begins before one of them has ended", async () => {
	const who = await exporter();
	await store(who);
	const id = await exported(who);
	const opened = await Promise.all(Array.from({ length: 5 }, () => fileOf(who, id)));
	const readers = opened.flatMap(({ status, body }) => (status === 200 && body ? [body.getReader()] : []));
	const begun = await Promise.allSettled(readers.map((reader) => reader.read()));
	const going = readers.filter((_, place) => begun[place]?.status === "fulfilled");
	expect(going).toHaveLength(2);
	const refused = await fileOf(who, id);
	expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
	for (const reader of going) await reader.cancel();
	expect(await (await fileOf(who, id)).bytes()).not.toHaveLength(0);
});

describe("POST /v1/me/export", () => {
	test("409 while one is being made, 429 with Retry-After within a day of it", async () => {
		const who = await exporter();
		expect((await ask(who)).status).toBe(202);
		expect(await errorOf(await ask(who))).toMatchObject({ status: 409, code: "state_conflict" });
		await service.runJobs();
		const early = await ask(who);
		const seconds = Number(early.headers.get("retry-after"));
		expect(early.status).toBe(429);
		expect(seconds).toBeGreaterThan(86_400 - 600);
		expect(seconds).toBeLessThanOrEqual(86_400);
		expect(await errorOf(early)).toMatchObject({ code: "rate_limited" });
		service.clock.advance(DAY_MS + 1_000);
		expect((await ask({ secret: await addSession(service.database, who.id) })).status).toBe(202);
	});

	test("one that failed does not count", async () => {
		const who = await exporter();
		const id = await exported(who);
		await service.database.write([{ run: sql`UPDATE jobs SET state = 'failed', failure = 'x' WHERE id = ${id}` }]);
		expect((await ask(who)).status).toBe(202);
	});

	test("403 under session for a token, and for a session that is not fresh, once nothing else refuses it", async () => {
		const who = await exporter();
		const token = await addSession(service.database, who.id, { scopes: ["apps:write", "operator:write"] });
		expect(await errorOf(await ask({ secret: token }))).toMatchObject({ status: 403, fields: ["session"] });
		const reads = [`/v1/me/exports`, `/v1/me/exports/job_1/file`];
		for (const path of reads) {
			const answer = await send(service, "GET", path, undefined, as({ secret: token }));
			expect(await errorOf(answer)).toMatchObject({ status: 403, fields: ["session"] });
		}
		const stale = { secret: await addSession(service.database, who.id, { freshForMs: 0 }) };
		expect(await errorOf(await ask(stale))).toMatchObject({ status: 403, fields: ["session"] });
		expect(await jobsOf(who)).toEqual([]);
		expect(await errorOf(await ask(stale, { app: "app_none" }))).toMatchObject({ status: 422, fields: ["app"] });
		await ask(who);
		expect((await ask(stale)).status).toBe(409);
		await service.runJobs();
		expect((await ask(stale)).status).toBe(429);
	});

	test("422 under app for an App that keeps nothing for one", async () => {
		const [who, other] = [await exporter(), await exporter()];
		for (const app of [other.appId, "app_none", ""]) {
			expect(await errorOf(await ask(who, { app }))).toMatchObject({ status: 422, fields: ["app"] });
		}
	});

	test("is audited with who asked, for what", async () => {
		const who = await exporter();
		const id = await exported(who, { app: who.appId });
		const activity = await (await send(service, "GET", "/v1/me/activity", undefined, as(who))).json();
		const entry = activity.data.find(({ event }: { event: string }) => event === "account.exported");
		expect(entry).toMatchObject({ actor: who.id, target: who.id, changes: { job: id, app: who.appId } });
		expect(entry.request_id).toStartWith("req_");
	});
});
