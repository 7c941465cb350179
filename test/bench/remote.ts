import { readFileSync } from "node:fs";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { sql } from "drizzle-orm";
import { startLibsql } from "../support/libsql-server.ts";
import { printTable, verdict } from "./measure.ts";

/*
 * What a statement costs a libSQL server, in processor time by /proc: through this house's connections that stay open, and through one
 * that is opened for each statement, as the driver's client does. Statements to a side: 4,000, or the argument. Needs sqld on the PATH, or SQLD.
 */

const COUNT = Number(process.argv[2] ?? 4_000);
const CLIENTS = 8;
const MAX_MS = 0.5;
/** The kernel counts in hundredths of a second. */
const TICK_MS = 10;

const HEAD = ["", "ms a statement", "here, ms", "a second", `at most ${MAX_MS} ms`];
const FIND = "SELECT pk, id, app_pk, storage_pk, status FROM images WHERE id = ?";

await using server = await startLibsql();
const database = await openDatabase({ url: server.url });
await migrate(database, await readMigrations(), { now: () => 1 });

const sides: Readonly<Record<string, (lane: number) => Promise<unknown>>> = {
	"read, connections kept": () => database.rows(FIND, ["img_1"]),
	"change, connection kept": (lane) => database.write([{ run: count(lane), guard: "none" }]),
	"read, one connection each": openedAnew,
};

await database.write(
	Array.from({ length: CLIENTS }, (_, lane) => ({ run: sql`INSERT INTO meta VALUES (${`lane${lane}`}, '0')` })),
);
const rows: string[][] = [];
for (const [name, one] of Object.entries(sides)) rows.push([name, ...(await measured(one))]);
printTable(`Processor time of the libSQL server, ${COUNT} statements, ${CLIENTS} at once`, HEAD, rows);
await database.close();

async function measured(one: (lane: number) => Promise<unknown>): Promise<string[]> {
	for (let warm = 0; warm < 100; warm += 1) await one(0);
	const [busyMs, startedMs, usage] = [processorMs(), performance.now(), process.cpuUsage()];
	await Promise.all(
		Array.from({ length: CLIENTS }, async (_, lane) => {
			for (let done = lane; done < COUNT; done += CLIENTS) await one(lane);
		}),
	);
	const there = (processorMs() - busyMs) / COUNT;
	const { user, system } = process.cpuUsage(usage);
	const rate = (COUNT / (performance.now() - startedMs)) * 1_000;
	return [there.toFixed(3), ((user + system) / 1_000 / COUNT).toFixed(3), rate.toFixed(0), verdict(there <= MAX_MS)];
}

async function openedAnew(): Promise<void> {
	const stmt = { sql: FIND, args: [{ type: "text", value: "img_1" }] };
	const body = JSON.stringify({ requests: [{ type: "execute", stmt }, { type: "close" }] });
	await (await fetch(`${server.url}/v3/pipeline`, { method: "POST", body })).json();
}

function processorMs(): number {
	// After the name of the program, which may hold spaces: the 12th and 13th are its time outside and inside the kernel.
	const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
	return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function count(lane: number) {
	return sql`UPDATE meta SET value = CAST(value + 1 AS TEXT) WHERE key = ${`lane${lane}`}`;
}
