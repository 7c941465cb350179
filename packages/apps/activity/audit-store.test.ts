import { describe, expect, test } from "bun:test";
import { migratedDatabase, NOW, type Scratch, seedApp } from "@svc/test/support/scratch";
import type { AuditFilter } from "./audit.ts";
import { auditQuery, auditStore } from "./audit-store.ts";

const NO_FILTER: AuditFilter = { appPk: undefined, actor: undefined, event: undefined, sinceMs: undefined };
const HOUR_MS = 3_600_000;

async function populated(): Promise<Scratch> {
	const scratch = await migratedDatabase();
	await seedApp(scratch.database);
	await scratch.sql(`INSERT INTO audit (at_ms, actor, app_pk, event, target, changes) VALUES
		(${NOW}, 'acc_1', 1, 'key.created', 'first', NULL),
		(${NOW + 3 * HOUR_MS}, 'acc_2', 1, 'key.created', 'early', NULL),
		(${NOW + 3 * HOUR_MS - 60_000}, 'acc_1', 2, 'key.revoked', 'late', NULL),
		(${NOW + 4 * HOUR_MS}, 'acc_9', 1, 'operator.app_changed', 'masked', '{"plan":"pro","note":"between us"}'),
		(${NOW + 4 * HOUR_MS}, 'acc_9', 1, 'key.created', 'own', NULL)`);
	return scratch;
}

async function targets(scratch: Scratch, filter: Partial<AuditFilter>, limit = 10): Promise<readonly unknown[]> {
	const entries = await auditStore(scratch.database).list({ ...NO_FILTER, ...filter }, { limit, beforePk: undefined });
	return entries.map(({ target }) => target);
}

describe("the audit", () => {
	test("is filtered by App, actor, event and time, and by several of them, newest first", async () => {
		await using scratch = await populated();
		const unmasked = true;
		expect(await targets(scratch, { unmasked, sinceMs: NOW + 1 })).toEqual(["own", "masked", "late", "early"]);
		expect(await targets(scratch, { unmasked, actor: "acc_9" })).toEqual(["own", "masked"]);
		expect(await targets(scratch, { unmasked, event: "key.created" })).toEqual(["own", "early", "first", "key_1"]);
		expect(await targets(scratch, { unmasked, event: "key.created", actor: "acc_2" })).toEqual(["early"]);
		expect(await targets(scratch, { appPk: 2 })).toEqual(["late"]);
		expect(await targets(scratch, { appPk: 1, actor: "acc_1", event: "key.created" })).toEqual(["first", "key_1"]);
		expect(await targets(scratch, { appPk: 1, sinceMs: NOW + 4 * HOUR_MS })).toEqual(["own", "masked"]);
		expect(await targets(scratch, { appPk: 1, sinceMs: NOW + 5 * HOUR_MS })).toEqual([]);
	});

	test("finds what was committed before an entry that is dated earlier", async () => {
		await using scratch = await populated();
		const sinceMs = NOW + 3 * HOUR_MS - 60_000;
		expect(await targets(scratch, { unmasked: true, sinceMs })).toEqual(["own", "masked", "late", "early"]);
	});

	test("hides from a team which operator it was, also from who asks for one by name", async () => {
		await using scratch = await populated();
		expect(await targets(scratch, { appPk: 1, actor: "acc_9" })).toEqual(["own"]);
		expect(await targets(scratch, { appPk: 1, actor: "operator" })).toEqual(["masked"]);
		const [entry] = await auditStore(scratch.database).list(
			{ ...NO_FILTER, appPk: 1, actor: "operator" },
			{ limit: 1, beforePk: undefined },
		);
		expect(entry).toMatchObject({ actor: "operator", changes: { plan: "pro" } });
		expect(entry?.changes).not.toHaveProperty("note");
	});

	test("is searched by an index in the order of the list, whatever it is filtered by", async () => {
		await using scratch = await migratedDatabase();
		const { database } = scratch;
		const used: string[] = [];
		for (const filter of [
			{ appPk: 1 },
			{ appPk: 1, event: "e" },
			{ appPk: 1, event: "e", sinceMs: 1 },
			{ appPk: 1, actor: "operator" },
			{ appPk: 1, actor: "a", event: "e" },
			{ unmasked: true, actor: "a", event: "e", sinceMs: 1 },
			{ unmasked: true, event: "e", sinceMs: 1 },
			{ unmasked: true, sinceMs: 1 },
		] satisfies Partial<AuditFilter>[]) {
			const query = auditQuery(database.queries, { ...NO_FILTER, ...filter }, { limit: 10, beforePk: 5 }).toSQL();
			const plan = (await database.rows(`EXPLAIN QUERY PLAN ${query.sql}`, query.params)).map((row) => String(row[3]));
			expect(plan.join("\n")).not.toMatch(/SCAN|TEMP B-TREE/);
			used.push(plan[0]?.match(/audit_\w+|PRIMARY KEY/)?.[0] ?? "");
		}
		const [app, actor] = ["audit_app", "audit_actor"];
		expect(used).toEqual([app, app, app, app, app, actor, "audit_event", "PRIMARY KEY"]);
	});
});
