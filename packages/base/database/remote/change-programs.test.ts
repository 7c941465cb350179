import { expect, test } from "bun:test";
import { groupOf } from "./change-groups.ts";
import { GUARD, Programs } from "./change-programs.ts";
import { changeOf } from "./hrana.ts";

const alike = (count: number, sql = "UPDATE counts SET count = ? WHERE name = ?", args: unknown[] = [1, "a"]) =>
	Array.from({ length: count }, () => changeOf([{ sql, args }]));

/** A process whose changes have met twice. */
function met(sql?: string, args?: unknown[]) {
	const options = { programs: new Programs(), kept: new Set<string>(), apart: new Set<never>() };
	for (let turn = 0; turn < 2; turn += 1) groupOf(alike(2, sql, args), options);
	return options;
}

const sentBy = ({ batch }: ReturnType<typeof groupOf>) => batch.steps.map(({ stmt }) => stmt.sql);

test("a server that does not keep what it is told to is sent whole statements, after three tries", () => {
	const options = { ...met(), apart: new Set<ReturnType<typeof changeOf>>() };
	for (let turn = 0; ; turn += 1) {
		const changes = alike(2);
		const group = groupOf(changes, options);
		const sent = sentBy(group);
		const begin = sent.indexOf("BEGIN IMMEDIATE");
		const run = sent.findIndex((sql) => sql.startsWith("INSERT INTO temp."));
		if (run < 0) {
			expect(turn).toBeLessThanOrEqual(3);
			expect(begin).toBe(0);
			expect(sent.filter((sql) => sql.startsWith("UPDATE"))).toHaveLength(2);
			return;
		}
		const no = { message: "no such table: temp.change_0", code: "SQLITE_UNKNOWN" };
		const step_errors = sent.map((_, step) => (step < begin || step === run ? no : null));
		const step_results = sent.map((sql, step) =>
			step_errors[step] || sql === "RELEASE one" ? null : { cols: [], rows: [] },
		);
		expect(group.endedBy({ step_errors, step_results })).toEqual(["together", "together"]);
		// Next time without.
		expect(changes.every((change) => options.apart.has(change))).toBe(true);
	}
});

test("what a trigger cannot hold, or would lose, or read wrongly, is sent whole", () => {
	const sqls = [
		"UPDATE counts SET count = ? WHERE name = ? RETURNING count",
		"UPDATE counts INDEXED BY by_name SET count = ? WHERE name = ?",
		"UPDATE counts SET count = ? WHERE name = ? -- a word",
		"WITH two AS (SELECT 2) UPDATE counts SET count = ? WHERE name = ?",
		"UPDATE counts SET count = ?1 + ? + ?",
		"UPDATE counts SET count = old.count + ? WHERE name = ?",
		"PRAGMA user_version = 1",
	];
	for (const sql of sqls) expect(sentBy(groupOf(alike(2, sql), met(sql))), sql).toContain(sql);
	const held = sentBy(groupOf(alike(2), met()));
	expect(held.find((sql) => sql.startsWith("CREATE TRIGGER") && sql.includes("counts"))).toContain(
		"SET count = NEW.v0 WHERE name = NEW.v1",
	);
});

test("a row that stands between two that change something is looked up where it stands: such a change is sent whole", () => {
	const change = () => changeOf(["DELETE FROM a", "SELECT 1", GUARD].map((sql) => ({ sql, args: [] })));
	const options = met();
	for (let turn = 0; turn < 4; turn += 1) {
		const sent = sentBy(groupOf([change(), change()], options));
		expect(sent.filter((sql) => sql === "SELECT 1")).toHaveLength(2);
	}
});
