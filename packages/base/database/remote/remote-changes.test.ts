import { expect, test } from "bun:test";
import { DatabaseError } from "../../database-error.ts";
import { groupOf } from "./change-groups.ts";
import { Programs } from "./change-programs.ts";
import { changeOf } from "./hrana.ts";
import { remoteChanges } from "./remote-changes.ts";

const statements = (name: string) => [{ sql: name, args: [] }];

test("changes that must be tried alone after all do not keep those that follow waiting for long", async () => {
	const tried: string[] = [];
	const aloneMs = 20;
	const make = remoteChanges(
		{
			group: async (changes) => changes.map(() => "alone" as const),
			async change({ steps: [, first] }) {
				tried.push(String(first?.stmt.sql));
				await new Promise((resolve) => setTimeout(resolve, 2 * aloneMs));
				return [];
			},
		},
		{ aloneMs },
	);
	const ended = await Promise.allSettled(["a", "b", "c"].map((name) => make(statements(name))));
	expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
	for (const one of ended.slice(1)) {
		expect(one.status === "rejected" && one.reason).toEqual(new DatabaseError("SQLITE_BUSY", "no", undefined));
		expect(one.status === "rejected" && one.reason.written).toBe("no");
	}
	expect(tried).toEqual(["a"]);
	expect(await make(statements("e"))).toEqual([]);
});

test("a group that the server ended for what one change did is tried change by change, and fails for all where it met others", () => {
	const changes = ["a", "b"].map((name) => changeOf(statements(name)));
	const group = groupOf(changes, { programs: new Programs(), kept: new Set(), apart: new Set() });
	const { steps } = group.batch;
	const commit = steps.findIndex(({ stmt }) => stmt.sql === "COMMIT");
	const endedWith = (code: string) => {
		const step_results = steps.map((_, step) => (step < commit ? { cols: [], rows: [] } : null));
		const step_errors = steps.map((_, step) => (step === commit ? { message: code, code } : null));
		return () => group.endedBy({ step_results, step_errors });
	};
	for (const code of ["SQLITE_CONSTRAINT", "SQLITE_FULL", "TRANSACTION_TIMEOUT"]) {
		expect(endedWith(code)(), code).toEqual(["alone", "alone"]);
	}
	for (const code of ["SQLITE_BUSY", "SQLITE_IOERR"]) expect(endedWith(code), code).toThrow(code);
});
