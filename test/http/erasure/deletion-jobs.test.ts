import { describe, expect, test } from "bun:test";
import { erasureStore } from "@svc/erasure/erasure-store";
import { type JobKind, type JobPayloads, newJob } from "@svc/jobs/jobs";
import { jobEntry } from "@svc/jobs/jobs-store";
import { sql } from "drizzle-orm";
import { addAccount, addApp, addKey, addUserKey, connectUser, countOf, type TestApp } from "../../support/apps.ts";
import { censusOf } from "../../support/census.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { addUser, connectAlso } from "../../support/users.ts";

/* What the jobs do that delete accounts and Apps, started as their routes start them. */

const service = serviceFor();
const file = Uint8Array.from(await plain(6, 6));

async function start<Kind extends JobKind>(kind: Kind, payload: JobPayloads[Kind]): Promise<string> {
	const job = newJob(kind, payload);
	await service.database.write([{ run: jobEntry(job, service.clock.now()) }]);
	return job.id;
}

async function jobOf(id: string) {
	const found = await service.rooms.jobs.store.find(id);
	if (!found) throw new Error("the job is not there");
	return found;
}

const rows = (query: ReturnType<typeof sql>) => countOf(service.database, query);
const forUser = (app: TestApp, userId: string) => ({ key: app.key, headers: { "X-Svc-User": userId } });

describe("account.delete", () => {
	test("empties the account's storage in every App, ends what it had, and forgets its address [conn.ended-user-forbidden]", async () => {
		const [one, two] = [await addApp(service.database), await addApp(service.database)];
		const user = await addUser(service.database, one);
		const second = await connectAlso(service.database, user.accountId, two);
		const stays = await addUser(service.database, one);
		for (let place = 0; place < 3; place++) await uploaded(service, file, "a.png", {}, forUser(one, user.id));
		const theirs = await uploaded(service, file, "a.png", {}, forUser(two, second));
		const kept = await uploaded(service, file, "a.png", {}, forUser(one, stays.id));
		const ownKey = await addUserKey(service.database, one, user);
		await addMember(service.database, two, { id: user.accountId }, "admin");

		const id = await start("account.delete", { accountId: user.accountId });
		await service.runJobs();
		expect(await jobOf(id)).toMatchObject({ state: "done", done: 4, total: 4, failure: null });
		for (const [app, userId] of [
			[one, user.id],
			[two, second],
		] as const) {
			const answer = await errorOf(await send(service, "GET", "/v1/images", undefined, forUser(app, userId)));
			expect(answer).toMatchObject({ status: 403, code: "user_forbidden" });
		}
		expect((await service.open(theirs.url)).status).toBe(404);
		expect((await send(service, "GET", "/v1/key", undefined, { key: ownKey })).status).toBe(401);
		expect((await send(service, "GET", "/v1/me/connections", undefined, as(user))).status).toBe(401);
		expect((await send(service, "GET", `/v1/images/${kept.id}`, undefined, forUser(one, stays.id))).status).toBe(200);
		const account = sql`FROM accounts WHERE id = ${user.accountId}`;
		expect(await rows(sql`SELECT email = id AND email_norm = id AND deleted_ms IS NOT NULL ${account}`)).toBe(1);
		for (const table of ["sessions", "members", "operators", "storages"]) {
			const left = sql`SELECT count(*) FROM ${sql.identifier(table)} WHERE account_pk = (SELECT pk ${account})`;
			expect(await rows(left)).toBe(0);
		}
		expect(
			await rows(sql`SELECT count(*) FROM connections WHERE account_pk = (SELECT pk ${account})
				AND (state <> 'gone' OR storage_pk IS NOT NULL OR email_at_consent <> '')`),
		).toBe(0);
		expect(
			await rows(sql`SELECT count(*) FROM audit WHERE event = 'account.deleted' AND target = ${user.accountId}`),
		).toBe(1);
		const census = await censusOf(service);
		expect(census.usage).toEqual(census.counted);
		expect(await service.recount()).toEqual([]);
	});

	test("the same address makes another account afterwards, with other ids", async () => {
		const app = await addApp(service.database);
		const user = await addUser(service.database, app);
		await start("account.delete", { accountId: user.accountId });
		await service.runJobs();
		const anew = await addAccount(service.database);
		await service.database.write([
			{ run: sql`UPDATE accounts SET email = ${user.email}, email_norm = ${user.email} WHERE id = ${anew}` },
		]);
		expect(anew).not.toBe(user.accountId);
	});

	test("a key that the account had made for an App is revoked for good", async () => {
		const app = await addApp(service.database);
		const admin = await addPerson(service.database);
		await addMember(service.database, app, admin, "admin");
		const key = await addKey(service.database, app, { creatorId: admin.id });
		expect((await send(service, "GET", "/v1/key", undefined, { key })).status).toBe(200);
		await start("account.delete", { accountId: admin.id });
		await service.runJobs();
		expect((await send(service, "GET", "/v1/key", undefined, { key })).status).toBe(401);
		expect(await rows(sql`SELECT count(*) FROM keys WHERE revoke_reason = 'account_deleted'`)).toBe(1);
		expect((await send(service, "GET", "/v1/key", undefined, { key: app.key })).status).toBe(200);
	});

	test("that owns an App fails in words, and goes on once an operator retries it without one", async () => {
		const app = await addApp(service.database);
		const id = await start("account.delete", { accountId: app.ownerId });
		await service.runJobs();
		expect(await jobOf(id)).toMatchObject({
			state: "failed",
			failure: "This account owns an App; hand it over or delete it first.",
		});
		const operator = await addPerson(service.database, { operator: true });
		await service.database.write([
			{ run: sql`DELETE FROM members WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})` },
		]);
		expect((await send(service, "POST", `/v1/operator/jobs/${id}/retry`, undefined, as(operator))).status).toBe(202);
		await service.runJobs();
		expect(await jobOf(id)).toMatchObject({ state: "done", failure: null });
	});

	test("run twice, or beside the disconnect of one of its connections, does the same once", async () => {
		const app = await addApp(service.database);
		const user = await addUser(service.database, app);
		for (let place = 0; place < 5; place++) await uploaded(service, file, "a.png", {}, forUser(app, user.id));
		await send(service, "DELETE", `/v1/me/connections/${app.id}`, undefined, as(user));
		const ids = [
			await start("account.delete", { accountId: user.accountId }),
			await start("account.delete", { accountId: user.accountId }),
		];
		expect(await service.runJobs()).toBe(3);
		for (const id of ids) expect(await jobOf(id)).toMatchObject({ state: "done" });
		expect(await service.recount()).toEqual([]);
		expect(
			await rows(sql`SELECT count(*) FROM audit WHERE event = 'account.deleted' AND target = ${user.accountId}`),
		).toBe(1);
	});
});

describe("app.delete", () => {
	test("empties all storages and removes all that belongs to the App; the audit and other Apps stay", async () => {
		const [app, other] = [await addApp(service.database), await addApp(service.database)];
		const user = await addUser(service.database, app);
		const elsewhere = await connectAlso(service.database, user.accountId, other);
		const token = await addSession(service.database, app.ownerId, { scopes: ["apps:read"], appId: app.id });
		const image = await uploaded(service, file, "a.png", {}, { key: app.key });
		await uploaded(service, file, "a.png", {}, forUser(app, user.id));
		const kept = await uploaded(service, file, "a.png", {}, forUser(other, elsewhere));
		const ownKey = await addUserKey(service.database, app, user);
		await service.database.write([
			{
				run: sql`INSERT INTO redirect_uris (id, app_pk, uri, created_ms)
					SELECT 'red_x', pk, 'https://app.example/x', 0 FROM apps WHERE id = ${app.id}`,
			},
		]);
		const appPk = await rows(sql`SELECT pk FROM apps WHERE id = ${app.id}`);
		const before = await rows(sql`SELECT count(*) FROM audit WHERE app_pk = ${appPk}`);

		const id = await start("app.delete", { appId: app.id });
		await service.runJobs();
		expect(await jobOf(id)).toMatchObject({ state: "done", done: 2, total: 2 });
		for (const key of [app.key, ownKey, token]) {
			expect((await send(service, "GET", "/v1/images", undefined, { key })).status).toBe(401);
		}
		expect((await service.open(image.url)).status).toBe(404);
		const owner = { secret: await addSession(service.database, app.ownerId) };
		expect((await send(service, "GET", `/v1/apps/${app.id}/users`, undefined, as(owner))).status).toBe(404);
		for (const table of ["keys", "storages", "members", "redirect_uris", "app_usage", "images", "exchange_codes"]) {
			expect(await rows(sql`SELECT count(*) FROM ${sql.identifier(table)} WHERE app_pk = ${appPk}`)).toBe(0);
		}
		expect(await rows(sql`SELECT count(*) FROM audit WHERE app_pk = ${appPk}`)).toBeGreaterThan(before);
		expect((await send(service, "GET", `/v1/images/${kept.id}`, undefined, forUser(other, elsewhere))).status).toBe(
			200,
		);
		const mine = await send(service, "GET", "/v1/me/connections", undefined, as(user));
		expect(await mine.json()).toMatchObject({ data: [{ app: { id: other.id } }] });
		expect(await service.recount()).toEqual([]);
	});

	test("the number of an App that is gone is never another's, so that nobody reads its audit", async () => {
		const app = await addApp(service.database);
		const appPk = await rows(sql`SELECT pk FROM apps WHERE id = ${app.id}`);
		await start("app.delete", { appId: app.id });
		await service.runJobs();
		const next = await addApp(service.database);
		expect(await rows(sql`SELECT pk FROM apps WHERE id = ${next.id}`)).toBeGreaterThan(appPk);
		expect(await rows(sql`SELECT count(*) FROM apps WHERE id = ${app.id} AND name <> id`)).toBe(0);
	});

	test("from its first step on the App's own key is 401 and its storages take nothing", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const ownKey = await addUserKey(service.database, app, user);
		const id = await start("app.delete", { appId: app.id });
		const lease = { jobId: id, claim: "c" };
		await service.rooms.jobs.store.claim("c", service.clock.now() + 60_000, service.clock.now());
		await erasureStore(service.database).closeApp(lease, app.id, service.clock.now());
		expect((await upload(service, file, "a.png", {}, { key: app.key })).status).toBe(401);
		expect((await errorOf(await upload(service, file, "a.png", {}, { key: ownKey }))).code).toBe(
			"workspace_unavailable",
		);
		await service.rooms.jobs.store.giveBack(lease, service.clock.now());
		expect(await service.runJobs()).toBe(1);
		expect(await jobOf(id)).toMatchObject({ state: "done" });
	});

	test("run again for an App that is gone, nothing happens", async () => {
		const app = await addApp(service.database);
		for (let turn = 0; turn < 2; turn++) {
			const id = await start("app.delete", { appId: app.id });
			await service.runJobs();
			expect(await jobOf(id)).toMatchObject({ state: "done" });
		}
		expect(await rows(sql`SELECT count(*) FROM audit WHERE event = 'app.deleted' AND target = ${app.id}`)).toBe(1);
	});
});

/** Connects an account that is there already to another App; the user id there. */
