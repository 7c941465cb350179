import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { type ChangeStatement, GUARD, statementOf } from "../write/change-statements.ts";
import { groupOf } from "./change-groups.ts";
import { Programs } from "./change-programs.ts";
import { changeOf } from "./hrana.ts";

const UPDATE = statementOf({ run: sql`UPDATE counts SET count = ${1} WHERE name = ${"a"}`, kind: "update" });
const alike = (count: number, statement: ChangeStatement = UPDATE) =>
	Array.from({ length: count }, () => changeOf([statement]));

/** A process whose changes have met twice. */
function met(statement?: ChangeStatement) {
	const options = { programs: new Programs(), kept: new Set<string>(), apart: new Set<never>() };
	for (let turn = 0; turn < 2; turn += 1) groupOf(alike(2, statement), options);
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

test("a value stands in a program by its place, also behind a question mark in quotes", () => {
	const held = sentBy(groupOf(alike(2), met()));
	expect(held.find((text) => text.startsWith("CREATE TRIGGER") && text.includes("counts"))).toContain(
		"SET count = NEW.v0 WHERE name = NEW.v1",
	);
	const asked = statementOf({ run: sql`UPDATE counts SET said = 'what?' || ${"a"} WHERE name = ${"b"}` });
	const sent = sentBy(groupOf(alike(2, asked), met(asked)));
	expect(sent.find((text) => text.startsWith("CREATE TRIGGER") && text.includes("counts"))).toContain(
		"SET said = 'what?' || NEW.v0 WHERE name = NEW.v1",
	);
});

test("a row that stands between two that change something is looked up where it stands: such a change is sent whole", () => {
	const look = statementOf({ run: sql`SELECT 1`, kind: "look" });
	const gone = statementOf({ run: sql`DELETE FROM a` });
	const change = () => changeOf([gone, look, GUARD]);
	const options = met();
	for (let turn = 0; turn < 4; turn += 1) {
		const sent = sentBy(groupOf([change(), change()], options));
		expect(sent.filter((text) => text === "SELECT 1")).toHaveLength(2);
	}
});
