import { expect, test } from "bun:test";
import { migratedDatabase, type Scratch, seedApp } from "@svc/test/support/scratch";
import { lastUses } from "./last-uses.ts";

const MINUTE_MS = 60_000;
const failed = (error: unknown): void => {
	throw error;
};

/** Changes go one after another: when this one is done, all that was begun before it is. */
const written = (scratch: Scratch) => scratch.sql("DELETE FROM guard");

test("a use is written once a minute, and the last one at the end", async () => {
	await using scratch = await migratedDatabase();
	const { caller } = await seedApp(scratch.database);
	await scratch.sql("CREATE TABLE writes (ms INTEGER NOT NULL) STRICT");
	await scratch.sql(
		"CREATE TRIGGER noted AFTER UPDATE ON keys BEGIN INSERT INTO writes VALUES (new.last_used_ms); END",
	);
	const writes = () => scratch.value("SELECT group_concat(ms) FROM writes");
	const uses = lastUses<typeof caller.pk>(scratch.database, "keys", failed);
	for (const atMs of [0, 1, 59_999]) uses.touch(caller.pk, atMs);
	await written(scratch);
	expect(await writes()).toBe("0");
	uses.touch(caller.pk, MINUTE_MS);
	await written(scratch);
	expect(await writes()).toBe("0,60000");
	uses.touch(caller.pk, MINUTE_MS + 1);
	await uses.flush();
	expect(await writes()).toBe("0,60000,60001");
});

test("what nobody uses any more is forgotten, however many there were", async () => {
	await using scratch = await migratedDatabase();
	const uses = lastUses<number>(scratch.database, "keys", failed);
	for (let name = 0; name < 60_000; name++) {
		const nowMs = name * 10;
		uses.touch(name, nowMs);
		// Used again before the minute is over: not written yet when it falls quiet.
		if (name % 3 === 0) uses.touch(name, nowMs + 1);
		if (name % 500 === 0) await written(scratch);
	}
	expect(uses.size()).toBeLessThan(20_000);
	await uses.flush();
});
