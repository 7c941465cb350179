import { describe, expect, test } from "bun:test";
import { membershipStore } from "@svc/apps/team/memberships-store";
import { digest, migratedDatabase, NOW, type Scratch, seedApp } from "@svc/test/support/scratch";
import { keyStore } from "./keys-store.ts";

/** A second person, connected to the first App, with a storage and a read-only key of their own. */
async function connectUser(scratch: Scratch): Promise<void> {
	const hash = `x'${digest(2).toHex()}'`;
	for (const text of [
		"INSERT INTO accounts (pk, id, email, email_norm, status, created_ms) VALUES (2, 'acc_2', 'user@example.com', 'user@example.com', 'active', 0)",
		"INSERT INTO storages (pk, id, app_pk, kind, account_pk, team_hash, state, images, bytes, created_ms) VALUES (2, 'sto_2', 1, 'user', 2, 'team2', 'active', 0, 0, 0)",
		`INSERT INTO connections (pk, id, user_id, app_pk, account_pk, storage_pk, state, email_at_consent, consent_version, created_ms, ended_ms)
			VALUES (1, 'con_1', 'usr_1', 1, 2, 2, 'connected', 'user@example.com', 1, 0, NULL)`,
		`INSERT INTO keys (id, app_pk, reach, storage_pk, creator_pk, name, permissions, hash, prefix, last4, created_ms)
			VALUES ('key_2', 1, 'user', 2, 2, 'Own', 1, ${hash}, 'svc_test_', 'bbbb', 5)`,
	]) {
		await scratch.sql(text);
	}
}

async function seeded(): Promise<Scratch> {
	const scratch = await migratedDatabase();
	await seedApp(scratch.database);
	return scratch;
}

describe("find", () => {
	test("a key comes with its App and the storage it reaches", async () => {
		await using scratch = await seeded();
		await scratch.sql("UPDATE apps SET plan = 'pro', images_limit = 7, paused_ms = 1");
		await scratch.sql("UPDATE keys SET expires_ms = 11, revoked_ms = 12, last_used_ms = 13");
		expect(await keyStore(scratch.database).find(digest(1))).toEqual({
			pk: 1,
			id: "key_1",
			name: "Default",
			reach: "app",
			permissions: new Set(["read", "write"]),
			prefix: "svc_sk_test_",
			last4: "aaaa",
			createdMs: NOW,
			lastUsedMs: 13,
			expiresMs: 11,
			revokedMs: 12,
			app: {
				pk: 1,
				id: "app_1",
				name: "First",
				plan: "pro",
				tier: "free",
				imagesLimit: 7,
				usersLimit: null,
				limitsUsers: false,
				paused: true,
				blocked: false,
			},
			storage: {
				pk: 1,
				id: "sto_1",
				teamHash: "team1",
				kind: "app",
				state: "active",
				tier: "free",
				publicByDefault: false,
			},
		});
	});

	test("an unknown secret finds nothing", async () => {
		await using scratch = await seeded();
		expect(await keyStore(scratch.database).find(digest(9))).toBeUndefined();
	});

	test("a key lives and dies with its creator's role", async () => {
		await using scratch = await seeded();
		const found = async () => (await keyStore(scratch.database).find(digest(1))) !== undefined;
		await scratch.sql("UPDATE members SET role = 'admin'");
		expect(await found()).toBe(true);
		for (const role of ["editor", "viewer"]) {
			await scratch.sql(`UPDATE members SET role = '${role}'`);
			expect(await found()).toBe(false);
		}
		await scratch.sql("UPDATE members SET role = 'owner'");
		expect(await found()).toBe(true);
		await scratch.sql("DELETE FROM members");
		expect(await found()).toBe(false);
	});

	describe("a key that was found before", () => {
		const revoke = "UPDATE keys SET revoked_ms = 12";
		const pause = "UPDATE apps SET paused_ms = 13";
		const stateOf = async (store: ReturnType<typeof keyStore>) => {
			const key = await store.find(digest(1));
			return [key?.revokedMs, key?.app.paused];
		};

		test("is seen to be revoked, and its App to be paused, at the next look-up", async () => {
			await using scratch = await seeded();
			const store = keyStore(scratch.database);
			expect([await stateOf(store), await stateOf(store)]).toEqual([
				[null, false],
				[null, false],
			]);
			await scratch.sql(revoke);
			expect(await stateOf(store)).toEqual([12, false]);
			await scratch.sql(pause);
			expect(await stateOf(store)).toEqual([12, true]);
			await scratch.sql("DELETE FROM members");
			expect(await store.find(digest(1))).toBeUndefined();
		});

		test("so it is where another process of several did it", async () => {
			await using scratch = await seeded();
			// As on a server: nobody knows of all changes.
			const store = keyStore({ ...scratch.database, changes: undefined });
			expect(await stateOf(store)).toEqual([null, false]);
			const changes = JSON.stringify([revoke, pause].join(";"));
			const program = `import { createClient } from "@libsql/client";
				await createClient({ url: ${JSON.stringify(scratch.url)} }).executeMultiple(${changes});`;
			const cwd = `${import.meta.dir}/../base`;
			const other = Bun.spawn([process.execPath, "-e", program], { cwd, stderr: "pipe" });
			expect([await new Response(other.stderr).text(), await other.exited]).toEqual(["", 0]);
			expect(await stateOf(store)).toEqual([12, true]);
		});
	});

	test("a disabled account holds no working key", async () => {
		await using scratch = await seeded();
		await connectUser(scratch);
		await scratch.sql("UPDATE accounts SET status = 'disabled'");
		expect(await keyStore(scratch.database).find(digest(1))).toBeUndefined();
		expect(await keyStore(scratch.database).find(digest(2))).toBeUndefined();
	});

	test("a connected user's own key reaches their storage without any membership", async () => {
		await using scratch = await seeded();
		await connectUser(scratch);
		const key = await keyStore(scratch.database).find(digest(2));
		expect(key?.reach).toBe("user");
		expect(key?.permissions).toEqual(new Set(["read"] as const));
		expect(key?.storage).toEqual({
			pk: 2,
			id: "sto_2",
			teamHash: "team2",
			kind: "user",
			state: "active",
			tier: "free",
			publicByDefault: false,
		});
	});
});

describe("findUserStorage", () => {
	test("the storage of a connected user of this App", async () => {
		await using scratch = await seeded();
		await connectUser(scratch);
		const store = membershipStore(scratch.database);
		expect(await store.findUserStorage(1, "usr_1")).toEqual({
			pk: 2,
			id: "sto_2",
			teamHash: "team2",
			kind: "user",
			state: "active",
			tier: "free",
			publicByDefault: false,
		});
		expect(await store.findUserStorage(2, "usr_1")).toBeUndefined();
		expect(await store.findUserStorage(1, "usr_2")).toBeUndefined();
	});

	test.each([
		["a disconnect under way", "UPDATE connections SET state = 'disconnecting'"],
		["a connection that is gone", "UPDATE connections SET state = 'gone'"],
		["a storage that is being emptied", "UPDATE storages SET state = 'deleting' WHERE pk = 2"],
		["a disabled account", "UPDATE accounts SET status = 'disabled' WHERE pk = 2"],
		["an account that is being deleted", "UPDATE accounts SET status = 'deleting' WHERE pk = 2"],
	])("%s selects nothing", async (_, change) => {
		await using scratch = await seeded();
		await connectUser(scratch);
		await scratch.sql(change);
		expect(await membershipStore(scratch.database).findUserStorage(1, "usr_1")).toBeUndefined();
	});
});

describe("touch", () => {
	const lastUsed = (scratch: Scratch) => scratch.value("SELECT last_used_ms FROM keys WHERE pk = 1");

	test("a thousand uses within a minute are one write, and the next minute's is the second", async () => {
		await using scratch = await seeded();
		await scratch.sql("CREATE TABLE touches (at INTEGER)");
		await scratch.sql(
			"CREATE TRIGGER count_touches AFTER UPDATE OF last_used_ms ON keys BEGIN INSERT INTO touches VALUES (new.last_used_ms); END",
		);
		const store = keyStore(scratch.database);
		// Changes are made one after the other: whatever was begun before this one is done.
		const written = () => scratch.sql("SELECT 1");
		for (let use = 0; use < 1_000; use += 1) store.touch(1, NOW + use);
		await written();
		expect(await scratch.value("SELECT count(*) FROM touches")).toBe(1);
		store.touch(1, NOW + 59_999);
		await written();
		expect(await scratch.value("SELECT count(*) FROM touches")).toBe(1);
		store.touch(1, NOW + 61_000);
		await written();
		expect(await scratch.value("SELECT count(*) FROM touches")).toBe(2);
		expect(await lastUsed(scratch)).toBe(NOW + 61_000);
	});

	test("flush writes what is still buffered", async () => {
		await using scratch = await seeded();
		const store = keyStore(scratch.database);
		store.touch(1, NOW);
		store.touch(1, NOW + 30_000);
		await store.flush();
		expect(await lastUsed(scratch)).toBe(NOW + 30_000);
	});

	test("an earlier time never replaces a later one", async () => {
		await using scratch = await seeded();
		await scratch.sql(`UPDATE keys SET last_used_ms = ${NOW + 5}`);
		const store = keyStore(scratch.database);
		store.touch(1, NOW);
		await store.flush();
		expect(await lastUsed(scratch)).toBe(NOW + 5);
	});

	test("a write that fails is reported and hurts nobody", async () => {
		await using scratch = await seeded();
		await scratch.sql(
			"CREATE TRIGGER no_touch BEFORE UPDATE ON keys BEGIN SELECT RAISE(ABORT, 'refused by the test'); END",
		);
		const lost: unknown[] = [];
		const store = keyStore(scratch.database, (error) => lost.push(error));
		store.touch(1, NOW);
		await store.flush();
		expect(lost).toHaveLength(1);
	});
});
