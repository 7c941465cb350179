import { expect, test } from "bun:test";
import type { AuditEntry } from "@svc/sdk/shapes";
import { follow } from "./audit.ts";

function entry(id: string, second: number): AuditEntry {
	const created_at = new Date(second * 1000).toISOString();
	return {
		id,
		object: "audit_entry",
		actor: "acc_1",
		event: "e",
		target: null,
		changes: null,
		request_id: null,
		created_at,
	};
}

/** A service whose audit grows at each pause; the newest entry is the last one written, whatever its time. */
function service(log: AuditEntry[], ...later: readonly (readonly AuditEntry[])[]) {
	const asked: (string | undefined)[] = [];
	const rounds = [...later];
	return {
		asked,
		async *since(date: string | undefined) {
			asked.push(date);
			yield* log.filter(({ created_at }) => date === undefined || created_at >= date).toReversed();
		},
		async pause() {
			const next = rounds.shift();
			if (next === undefined) throw new Error("over");
			log.push(...next);
		},
	};
}

async function idsOf(source: AsyncIterable<AuditEntry>): Promise<string[]> {
	const ids: string[] = [];
	try {
		for await (const { id } of source) ids.push(id);
	} catch (error) {
		if (!(error instanceof Error && error.message === "over")) throw error;
	}
	return ids;
}

test("each entry comes once, oldest first, also one that is older than the newest [audit.follow.once]", async () => {
	const { since, pause } = service(
		[entry("a", 100), entry("b", 101)],
		[entry("c", 102)],
		[],
		[entry("late", 60), entry("d", 103)],
	);
	expect(await idsOf(follow({ since, pause, from: undefined, backlog: 10 }))).toEqual(["a", "b", "c", "late", "d"]);
});

test("of a long audit only the last few are shown, and those before them never [audit.follow.backlog]", async () => {
	const log = Array.from({ length: 30 }, (_, index) => entry(`e${index}`, 1000 + index));
	const { since, pause } = service(log, [entry("new", 1030)]);
	expect(await idsOf(follow({ since, pause, from: undefined, backlog: 2 }))).toEqual(["e28", "e29", "new"]);
});

test("everything from --since on is shown, and nothing from before it [audit.follow.since]", async () => {
	const from = new Date(100_000).toISOString();
	const { asked, since, pause } = service([entry("old", 99), entry("a", 100), entry("b", 500)], [entry("c", 501)]);
	expect(await idsOf(follow({ since, pause, from, backlog: 1 }))).toEqual(["a", "b", "c"]);
	// It does not read everything again and again.
	expect(asked.slice(0, 3)).toEqual([from, new Date(440_000).toISOString()]);
});

test("an empty audit is followed too [audit.follow.empty]", async () => {
	const { since, pause } = service([], [], [entry("a", 1)], [entry("b", 2)]);
	expect(await idsOf(follow({ since, pause, from: undefined, backlog: 10 }))).toEqual(["a", "b"]);
});
