import type { Database, Row } from "@svc/base/database/client";
import { processes } from "@svc/base/database/schema/work/fleet";
import { statements } from "@svc/base/database/statements";
import { asc, ne, type SQL, sql } from "drizzle-orm";

/** A process as the others see it. Times are the database's own. */
export interface FleetProcess {
	readonly id: string;
	readonly version: string;
	readonly host: string;
	readonly startedMs: number;
	readonly beatMs: number;
	/** It takes no new work. */
	readonly draining: boolean;
	/** What it last knew of the store of pictures; null before it looked. */
	readonly blobsWork: boolean | null;
	/** By how much its clock is ahead of the database's; null before it was measured. */
	readonly skewMs: number | null;
	/** Fingerprints of the secrets of the deployment that it has; null for one of a release that knows of none. */
	readonly secrets: string | null;
}

/** What a process says of itself with each beat. */
export type Saying = Pick<FleetProcess, "id" | "version" | "host" | "draining" | "blobsWork" | "skewMs" | "secrets">;

export interface Seen {
	/** The database's clock. */
	readonly nowMs: number;
	/** Those that are not known to be dead; the one that leads first. */
	readonly processes: readonly FleetProcess[];
}

export interface Pulse {
	/** After so long without a beat a process is taken for dead. */
	readonly deadMs: number;
	/** A process whose own beats were so far apart does not know which others could beat. */
	readonly pauseMs: number;
}

/** Several beats. */
const RECENT_MS = 30_000;

/** Milliseconds since 1970 by the database's clock, the same throughout a statement. */
const NOW = sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

export function processStore({ queries, read, write }: Database) {
	const { id, version, host, startedMs, beatMs, draining, blobsWork, skewMs, secrets } = processes;
	const all = queries
		.select({ id, version, host, startedMs, beatMs, draining, blobsWork, skewMs, secrets, nowMs: sql<number>`${NOW}` })
		.from(processes)
		.orderBy(asc(processes.pk));

	async function list(): Promise<Seen> {
		const found = await read(() => all);
		return {
			nowMs: found[0]?.nowMs ?? 0,
			processes: found.map(({ nowMs: _, ...one }) => one),
		};
	}

	return {
		list,
		/**
		 * Says that this process lives, and removes those that do not; returns their ids. Who is silent is dead only to a process that has beaten without
		 * a pause for as long: after a time in which the database answered nobody, nobody is.
		 */
		async beat(saying: Saying, pulse: Pulse): Promise<readonly string[]> {
			const { rows } = await write([{ run: say(saying, pulse) }, { run: bury(saying.id, pulse) }]);
			return (rows?.[1] ?? []).map((row: Row) => String(row.id));
		},
		/** For the one process of a database file: whoever was there before is gone. */
		async beAlone(saying: Saying, pulse: Pulse): Promise<void> {
			await write([
				{ run: statements.delete(processes).where(ne(processes.id, saying.id)) },
				{ run: say(saying, pulse) },
			]);
		},
		/** What it had claimed is free at once. */
		async leave(own: string): Promise<void> {
			await write([{ run: sql`DELETE FROM ${processes} WHERE ${processes.id} = ${own}` }]);
		},
	};
}

/** Whether a process of a release that knows of no secret of the deployment has beaten just now. */
export async function hasOlderProcess({ queries, read }: Database): Promise<boolean> {
	const isThere = sql`${processes.secrets} IS NULL AND abs(${NOW} - ${processes.beatMs}) < ${RECENT_MS}`;
	return (await read(() => queries.select({ id: processes.id }).from(processes).where(isThere).limit(1))).length > 0;
}

/** A clock that was set back is a pause like any other. */
function say(saying: Saying, { pauseMs }: Pulse) {
	const { beatMs, steadyMs } = processes;
	const { id: _, version: __, host: ___, ...news } = saying;
	return statements
		.insert(processes)
		.values({ ...saying, startedMs: NOW, beatMs: NOW, steadyMs: NOW })
		.onConflictDoUpdate({
			target: processes.id,
			set: { ...news, beatMs: NOW, steadyMs: sql`iif(abs(${NOW} - ${beatMs}) > ${pauseMs}, ${NOW}, ${steadyMs})` },
		});
}

function bury(own: string, { deadMs }: Pulse): SQL {
	const { id, beatMs } = processes;
	const steadySince = sql`(SELECT own.steady_ms FROM ${processes} AS own WHERE own.id = ${own})`;
	return sql`DELETE FROM ${processes} WHERE ${id} <> ${own} AND abs(${NOW} - ${beatMs}) > ${deadMs}
		AND ${steadySince} < ${NOW} - ${deadMs} RETURNING id`;
}
