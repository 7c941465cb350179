import { expect, test } from "bun:test";
import type { Database } from "./client.ts";
import { lastUses } from "./last-uses.ts";

const MINUTE_MS = 60_000;

/** Takes writes and keeps none. */
function blackHole(): { readonly database: Database; readonly writes: () => number } {
	let writes = 0;
	const write = async () => {
		writes += 1;
		await Bun.sleep(0);
		return { refused: undefined, rows: [] };
	};
	return { database: { write } as unknown as Database, writes: () => writes };
}

test("a use is written once a minute, and the last one at the end", async () => {
	const { database, writes } = blackHole();
	const uses = lastUses<number>(database, "keys", () => undefined);
	for (const atMs of [0, 1, 59_999]) uses.touch(7, atMs);
	await Bun.sleep(1);
	expect(writes()).toBe(1);
	uses.touch(7, MINUTE_MS);
	await Bun.sleep(1);
	uses.touch(7, MINUTE_MS + 1);
	await uses.flush();
	expect(writes()).toBe(3);
});

test("what nobody uses any more is forgotten, however many there were", async () => {
	const { database } = blackHole();
	const uses = lastUses<number>(database, "keys", () => undefined);
	for (let name = 0; name < 60_000; name++) {
		const nowMs = name * 10;
		uses.touch(name, nowMs);
		// Used again before the minute is over: not written yet when it falls quiet.
		if (name % 3 === 0) uses.touch(name, nowMs + 1);
		if (name % 500 === 0) await Bun.sleep(1);
	}
	expect(uses.size()).toBeLessThan(20_000);
	await uses.flush();
});
