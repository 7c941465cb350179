import { expect, test } from "bun:test";
import { DatabaseError } from "../database-error.ts";
import { remoteChanges } from "./remote-changes.ts";

const statements = (name: string) => [{ sql: name, args: [] }];

test("changes that must be tried alone after all do not keep those that follow waiting for long", async () => {
	const tried: string[] = [];
	const aloneMs = 20;
	const make = remoteChanges(
		{
			group: async (changes) => changes.map(() => undefined),
			async change({ steps: [, first] }) {
				tried.push(String(first?.stmt.sql));
				await new Promise((resolve) => setTimeout(resolve, 2 * aloneMs));
				return [];
			},
		},
		{ aloneMs },
	);
	const ended = await Promise.allSettled(["a", "b", "c", "d"].map((name) => make(statements(name))));
	expect(ended.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
	for (const one of ended.slice(2)) {
		expect(one.status === "rejected" && one.reason).toEqual(new DatabaseError("SQLITE_BUSY", "no", undefined));
		expect(one.status === "rejected" && one.reason.written).toBe("no");
	}
	expect(tried).toEqual(["a", "b"]);
	expect(await make(statements("e"))).toEqual([]);
});
