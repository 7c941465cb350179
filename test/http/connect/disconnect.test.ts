import { describe, expect, test } from "bun:test";
import { newId, newTeamHash } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, addUserKey, countOf, lockImage, setImageStatus } from "../../support/apps.ts";
import { addImages, placeOf, storeImage } from "../../support/bulk-images.ts";
import { censusOf } from "../../support/census.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, form, send, upload, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { addUser, type SignedInUser, setAccountStatus } from "../../support/users.ts";

/* Ending a connection: what is true at once, and what the job leaves behind. */

const DAY_MS = 86_400_000;
const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const file = Uint8Array.from(await plain(7, 7));

const forUser = (user: SignedInUser) => ({ key: app.key, headers: { "X-Svc-User": user.id } });

async function fill(user: SignedInUser, count: number): Promise<Image[]> {
	const fields = { labels: JSON.stringify({ color: "red" }) };
	return Promise.all(Array.from({ length: count }, () => uploaded(service, file, "a.png", fields, forUser(user))));
}

function disconnect(user: SignedInUser, appId = app.id): Promise<Response> {
	return send(service, "DELETE", `/v1/me/connections/${appId}`, undefined, as(user));
}

/** A person comes back: a fresh storage on the connection that they had. */
async function reconnect(user: SignedInUser): Promise<string> {
	const storageId = newId("sto");
	const storage = sql`(SELECT pk FROM storages WHERE id = ${storageId})`;
	const account = sql`(SELECT pk FROM accounts WHERE id = ${user.accountId})`;
	const { refused } = await service.database.write([
		{
			run: sql`INSERT INTO storages (id, app_pk, kind, account_pk, team_hash, state, created_ms)
				SELECT ${storageId}, pk, 'user', ${account}, ${newTeamHash()}, 'active', 0 FROM apps WHERE id = ${app.id}`,
		},
		{
			run: sql`UPDATE connections SET state = 'connected', ended_ms = NULL, storage_pk = ${storage} WHERE user_id = ${user.id}`,
		},
		{ run: sql`UPDATE app_usage SET users = users + 1 WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})` },
	]);
	expect(refused).toBeUndefined();
	return storageId;
}

const usersOf = (id: string) =>
	countOf(service.database, sql`SELECT users FROM app_usage WHERE app_pk = (SELECT pk FROM apps WHERE id = ${id})`);

describe("from the answer on, before any job has run", () => {
	test("every request that names the user is 403 user_forbidden [conn.ended-user-forbidden, errors.code.user_forbidden]", async () => {
		const user = await addUser(service.database, app);
		const [image] = await fill(user, 1);
		expect((await disconnect(user)).status).toBe(202);
		const calls = [
			send(service, "GET", "/v1/images", undefined, forUser(user)),
			send(service, "GET", `/v1/images/${image?.id}`, undefined, forUser(user)),
			send(service, "PATCH", `/v1/images/${image?.id}`, { caption: "x" }, forUser(user)),
			send(service, "DELETE", `/v1/images/${image?.id}`, undefined, forUser(user)),
			send(service, "GET", "/v1/usage", undefined, forUser(user)),
			upload(service, file, "a.png", {}, forUser(user)),
		];
		for (const call of calls) expect(await errorOf(await call)).toMatchObject({ status: 403, code: "user_forbidden" });
	});

	test("the pictures are 404 on the transform host and for the user's own key, and the list is empty", async () => {
		const user = await addUser(service.database, app);
		const key = await addUserKey(service.database, app, user);
		const [image] = await fill(user, 1);
		const look = async () => [
			(await service.open(image?.url ?? "")).status,
			(await service.open(`${image?.url}?w=3`)).status,
			(await send(service, "GET", `/v1/images/${image?.id}`, undefined, { key })).status,
			(await send(service, "PATCH", `/v1/images/${image?.id}`, { caption: "x" }, { key })).status,
		];
		expect(await look()).toEqual([200, 200, 200, 200]);
		await disconnect(user);
		expect(await look()).toEqual([404, 404, 404, 404]);
		expect((await send(service, "DELETE", `/v1/images/${image?.id}`, undefined, { key })).status).toBe(404);
		expect(await (await send(service, "GET", "/v1/images", undefined, { key })).json()).toMatchObject({ data: [] });
	});

	test("a create with the user's own key is 409 without a wait, and 401 once all is gone [errors.code.workspace_unavailable]", async () => {
		const user = await addUser(service.database, app);
		const key = await addUserKey(service.database, app, user);
		await disconnect(user);
		const refused = await upload(service, file, "a.png", {}, { key });
		expect(refused.headers.get("Retry-After")).toBeNull();
		expect(await errorOf(refused)).toMatchObject({ status: 409, code: "workspace_unavailable", action: undefined });
		await service.runJobs();
		expect((await upload(service, file, "a.png", {}, { key })).status).toBe(401);
		expect((await send(service, "GET", "/v1/key", undefined, { key })).status).toBe(401);
	});

	test("codes of the connection are spent, and the App has one user less", async () => {
		const user = await addUser(service.database, app);
		const before = await usersOf(app.id);
		await service.database.write([
			{
				run: sql`INSERT INTO exchange_codes (hash, app_pk, connection_pk, expires_ms)
					SELECT ${new Uint8Array(32).fill(7)}, app_pk, pk, ${Date.now() + 60_000} FROM connections WHERE user_id = ${user.id}`,
			},
		]);
		await disconnect(user);
		expect(await countOf(service.database, sql`SELECT count(*) FROM exchange_codes WHERE used_ms IS NULL`)).toBe(0);
		expect(await usersOf(app.id)).toBe(before - 1);
	});
});

describe("the job", () => {
	test("leaves nothing but the audit and the trash, and counters that agree with a recount", async () => {
		const [leaving, staying] = [await addUser(service.database, app), await addUser(service.database, app)];
		const kept = await fill(staying, 3);
		const doomed = await fill(leaving, 20);
		await setImageStatus(service.database, doomed[0]?.id ?? "", "failed");
		await setImageStatus(service.database, doomed[1]?.id ?? "", "blocked", "spam");
		await lockImage(service.database, doomed[2]?.id ?? "");
		await service.runJobs();
		const before = await censusOf(service);
		const job = (await (await disconnect(leaving)).json()) as { id: string };
		expect(await service.runJobs()).toBe(1);

		const shown = await send(service, "GET", `/v1/jobs/${job.id}`, undefined, as(leaving));
		expect(await shown.json()).toMatchObject({ state: "done", done: 20, total: 20, failure: null });
		const after = await censusOf(service);
		const gone = doomed.map(({ id }) => id);
		expect(after.images).toEqual(before.images.filter((id) => !gone.includes(id)));
		expect(after.blobs.dead.length - before.blobs.dead.length).toBe(20);
		expect(after.files).toEqual(before.files);
		expect(after.usage).toEqual(after.counted);
		expect(await service.recount()).toEqual([]);
		for (const { id } of kept) {
			expect((await send(service, "GET", `/v1/images/${id}`, undefined, forUser(staying))).status).toBe(200);
		}
		const left = sql`SELECT count(*) FROM storages WHERE id = ${leaving.storageId}`;
		expect(await countOf(service.database, left)).toBe(0);
		const entries = sql`SELECT count(*) FROM audit WHERE event = 'image.deleted' AND actor = ${job.id}`;
		expect(await countOf(service.database, entries)).toBe(20);
		const events = sql`SELECT count(*) FROM audit WHERE event IN ('user.disconnected', 'storage.deleted')
			AND target IN (${leaving.id}, ${leaving.storageId})`;
		expect(await countOf(service.database, events)).toBe(2);

		service.clock.advance(2 * DAY_MS);
		while ((await service.sweep()).blobs > 0);
		const swept = await censusOf(service);
		expect(swept.files).toEqual([...swept.blobs.live].sort());
		service.clock.advance(-2 * DAY_MS);
	});

	test("[C][T] empties more than one batch", async () => {
		const user = await addUser(service.database, app);
		await addImages(service, user.storageId, 1_100, file);
		const job = (await (await disconnect(user)).json()) as { id: string };
		await service.runJobs();
		const shown = await send(service, "GET", `/v1/jobs/${job.id}`, undefined, as(user));
		expect(await shown.json()).toMatchObject({ state: "done", done: 1_100, total: 1_100 });
		expect(await service.recount()).toEqual([]);
	});

	test("takes nothing of a person who came back meanwhile", async () => {
		const user = await addUser(service.database, app);
		await fill(user, 2);
		await disconnect(user);
		await reconnect(user);
		const [fresh] = await fill(user, 1);
		expect(await service.runJobs()).toBe(1);
		expect((await send(service, "GET", `/v1/images/${fresh?.id}`, undefined, forUser(user))).status).toBe(200);
		const list = await (await send(service, "GET", "/v1/images", undefined, forUser(user))).json();
		expect((list as { data: object[] }).data).toHaveLength(1);
		const mine = await send(service, "GET", "/v1/me/connections", undefined, as(user));
		expect(await mine.json()).toMatchObject({ data: [{ state: "connected", images: 1 }] });
		expect(await service.recount()).toEqual([]);
	});

	test("a storage of the same number later on is another's: neither a create nor a job that is late touches it", async () => {
		const user = await addUser(service.database, app);
		const before = await placeOf(service, user.storageId);
		const job = (await (await disconnect(user)).json()) as { id: string };
		await service.runJobs();
		const next = await addUser(service.database, app);
		expect((await placeOf(service, next.storageId)).pk).toBe(before.pk);
		const [image] = await fill(next, 1);
		// An upload that took very long, and the job once more.
		expect(await storeImage(service, before, file)).toBe("closed");
		await service.database.write([
			{ run: sql`UPDATE jobs SET state = 'queued', ended_ms = NULL WHERE id = ${job.id}` },
		]);
		expect(await service.runJobs()).toBe(1);
		const list = (await (await send(service, "GET", "/v1/images", undefined, forUser(next))).json()) as {
			data: Image[];
		};
		expect(list.data.map(({ id }) => id)).toEqual([image?.id ?? ""]);
	});

	test("an upload that was under way is refused, and nothing of it stays", async () => {
		const user = await addUser(service.database, app);
		const before = (await censusOf(service)).images;
		const uploads = Array.from({ length: 10 }, (_, place) =>
			service.api("/v1/images", {
				method: "POST",
				body: form(file, "a.png"),
				headers: { Authorization: `Bearer ${app.key}`, "X-Svc-User": user.id, "Idempotency-Key": `race-${place}` },
			}),
		);
		await disconnect(user);
		await service.runJobs();
		for (const answer of await Promise.all(uploads)) expect([201, 403, 409]).toContain(answer.status);
		expect((await censusOf(service)).images).toEqual(before);
		expect(await service.recount()).toEqual([]);
	});
});

describe("one's own connections", () => {
	test("are listed with what the App stores for one; a token does not reach them, nor does anybody else", async () => {
		const user = await addUser(service.database, app);
		const [image] = await fill(user, 1);
		const mine = (await (await send(service, "GET", "/v1/me/connections", undefined, as(user))).json()) as object;
		expect(mine).toMatchObject({
			data: [
				{
					object: "connection",
					app: { id: app.id, object: "app", name: "Another App" },
					user_id: user.id,
					state: "connected",
					images: 1,
					bytes: image?.bytes,
				},
			],
		});
		const token = await addSession(service.database, user.accountId, { scopes: ["users:write", "apps:write"] });
		for (const [method, path] of [
			["GET", "/v1/me/connections"],
			["DELETE", `/v1/me/connections/${app.id}`],
		] as const) {
			expect((await send(service, method, path, undefined, { key: token })).status).toBe(403);
			expect((await send(service, method, path, undefined, { key: app.key })).status).toBe(403);
		}
		const stranger = await addPerson(service.database);
		const theirs = await send(service, "GET", "/v1/me/connections", undefined, as(stranger));
		expect(await theirs.json()).toMatchObject({ data: [] });
		expect((await send(service, "DELETE", `/v1/me/connections/${app.id}`, undefined, as(stranger))).status).toBe(404);
		for (const name of [`app_${"0".repeat(22)}`, "x", "__proto__"]) {
			expect((await send(service, "DELETE", `/v1/me/connections/${name}`, undefined, as(user))).status).toBe(404);
		}
	});

	test("one that is ending says so; a second call answers the job that is under way, and 404 when nothing is left", async () => {
		const user = await addUser(service.database, app);
		const first = await (await disconnect(user)).json();
		expect(await (await disconnect(user)).json()).toEqual(first);
		const mine = await send(service, "GET", "/v1/me/connections", undefined, as(user));
		expect(await mine.json()).toMatchObject({ data: [{ state: "disconnecting" }] });
		await service.runJobs();
		expect((await disconnect(user)).status).toBe(404);
		const after = await send(service, "GET", "/v1/me/connections", undefined, as(user));
		expect(await after.json()).toMatchObject({ data: [] });
	});

	test("one whose job was forgotten is taken up by the next call", async () => {
		const user = await addUser(service.database, app);
		const first = (await (await disconnect(user)).json()) as { id: string };
		await service.database.write([{ run: sql`DELETE FROM jobs WHERE id = ${first.id}` }]);
		const next = (await (await disconnect(user)).json()) as { id: string };
		expect(next.id).not.toBe(first.id);
		expect(await (await disconnect(user)).json()).toMatchObject({ id: next.id });
		await service.runJobs();
		expect((await disconnect(user)).status).toBe(404);
	});

	test("what the App's audit says of it names the user, never the account behind it", async () => {
		const user = await addUser(service.database, app);
		await send(service, "POST", `/v1/me/connections/${app.id}/keys`, { name: "x" }, as(user));
		await disconnect(user);
		await service.runJobs();
		const told = sql`SELECT count(*) FROM audit WHERE app_pk IS NOT NULL
			AND (actor = ${user.accountId} OR target = ${user.accountId} OR instr(coalesce(changes, ''), ${user.accountId}) > 0)`;
		expect(await countOf(service.database, told)).toBe(0);
		const named = sql`SELECT count(*) FROM audit WHERE app_pk IS NOT NULL AND actor = ${user.id}`;
		expect(await countOf(service.database, named)).toBe(2);
	});

	test("a disabled account cannot sign in to end it, and keeps it", async () => {
		const user = await addUser(service.database, app);
		await setAccountStatus(service.database, user.accountId, "disabled");
		expect((await disconnect(user)).status).toBe(401);
	});
});
