import { expect, test } from "bun:test";
import { keyStore } from "@svc/keys/keys-store";
import { digest, migratedDatabase, NOW, seedApp } from "@svc/test/support/scratch";
import { setupStore } from "./setup-store.ts";

test("the first operator is Owner of the first App, whose key reads and writes", async () => {
	await using scratch = await migratedDatabase();
	const setup = setupStore(scratch.database);
	expect(await setup.isEmpty()).toBe(true);
	const { caller: key } = await seedApp(scratch.database);
	expect(await setup.isEmpty()).toBe(false);
	expect(key.permissions).toEqual(new Set(["read", "write"] as const));
	expect(await scratch.sql("SELECT role, app_pk, account_pk FROM members")).toEqual([
		{ role: "owner", app_pk: 1, account_pk: 1 },
	]);
	expect(await scratch.sql("SELECT account_pk FROM operators")).toEqual([{ account_pk: 1 }]);
	expect(await scratch.sql("SELECT email, email_norm, status FROM accounts")).toEqual([
		{ email: "Owner@Example.com", email_norm: "owner@example.com", status: "active" },
	]);
	expect(await scratch.sql("SELECT images, bytes, users FROM app_usage")).toEqual([{ images: 0, bytes: 0, users: 0 }]);
	expect(await scratch.value("SELECT group_concat(event) FROM (SELECT event FROM audit ORDER BY pk)")).toBe(
		"operator.created,app.created,key.created",
	);
});

test("a bootstrap without an App makes the account and its token", async () => {
	await using scratch = await migratedDatabase();
	const token = { id: "tok_1", name: "Bootstrap", secretHash: digest(3), scopes: "apps:write", expiresMs: NOW + 1 };
	expect(
		await setupStore(scratch.database).createOperator({ accountId: "acc_1", email: "a@example.com", token }, [], NOW),
	).toBe("acc_1");
	expect(await scratch.sql("SELECT id, kind, name, scopes, expires_ms, account_pk FROM sessions")).toEqual([
		{ id: "tok_1", kind: "pat", name: "Bootstrap", scopes: "apps:write", expires_ms: NOW + 1, account_pk: 1 },
	]);
	expect(await scratch.value("SELECT count(*) FROM apps")).toBe(0);
});

test("of four first starts at once one makes the operator, and the others write nothing", async () => {
	await using scratch = await migratedDatabase();
	const setup = setupStore(scratch.database);
	const outcomes = await Promise.all(
		[1, 2, 3, 4].map((place) =>
			setup.createOperator({ accountId: `acc_${place}`, email: `${place}@example.com` }, [], NOW),
		),
	);
	expect(outcomes.filter((id) => id !== undefined)).toHaveLength(1);
	expect(await scratch.value("SELECT count(*) FROM accounts")).toBe(1);
	expect(await scratch.value("SELECT count(*) FROM audit")).toBe(1);
	expect(await keyStore(scratch.database).find(digest(1))).toBeUndefined();
});

test("people who signed in before keep nobody from becoming the operator, and one of them may be it", async () => {
	await using scratch = await migratedDatabase();
	const setup = setupStore(scratch.database);
	await scratch.sql(
		`INSERT INTO accounts (id, email, email_norm, status, created_ms) VALUES
			('acc_stranger', 's@example.com', 's@example.com', 'active', ${NOW}), ('acc_gone', 'g@example.com', 'g@example.com', 'deleting', ${NOW}),
			('acc_ada', 'ada@example.com', 'ada@example.com', 'active', ${NOW})`,
	);
	const token = { id: "tok_1", name: "Bootstrap", secretHash: digest(3), scopes: "apps:write", expiresMs: NOW + 1 };
	expect(await setup.hasOperator()).toBe(false);
	expect(await setup.createOperator({ accountId: "acc_x", email: "g@example.com", token }, [], NOW)).toBeUndefined();
	expect(await setup.createOperator({ accountId: "acc_x", email: "Ada@Example.com", token }, [], NOW)).toBe("acc_ada");
	expect(await setup.hasOperator()).toBe(true);
	expect(await setup.createOperator({ accountId: "acc_y", email: "y@example.com" }, [], NOW)).toBeUndefined();
	expect(await setup.createOperator({ accountId: "acc_y", email: "s@example.com" }, [], NOW)).toBeUndefined();
	expect(await scratch.value("SELECT count(*) FROM accounts")).toBe(3);
	expect(await scratch.value("SELECT count(*) FROM operators")).toBe(1);
	expect(await scratch.value("SELECT count(*) FROM sessions")).toBe(1);
});
