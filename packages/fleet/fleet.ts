import { hostname } from "node:os";
import type { Keyring } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";
import { movesLogInChanges } from "@svc/base/database/meta";
import type { Clock, Log, Meters } from "@svc/base/ports";
import { type FleetProcess, type Pulse, processStore, type Saying, type Seen } from "./processes-store.ts";

/*
 * The processes that serve one database know each other by a row each, which they renew every other second by the database's clock. What a
 * dead one had claimed is free within ten seconds, and one of them does what needs doing once.
 */

export const BEAT_MS = 2_000;
/** Three beats that did not come. */
const PULSE: Pulse = { deadMs: 6_000, pauseMs: 5_000 };
/** By then those that were dead at the start of a process are gone. */
const BEATS_TO_BURY = 5;
/** A process whose last beat is older may have been taken for dead, and leads no more. */
const LEADS_MS = 5_000;
/** Ends of leases, links and codes are compared between machines: a few seconds do not matter. */
const SKEW_MAX_MS = 5_000;
/** An answer that took longer says little about the clock. */
const MEASURED_WITHIN_MS = 1_000;

export interface FleetParts {
	/** The process's own id: random. */
	readonly id: string;
	readonly version: string;
	/** The machine's clock, which no test moves. */
	readonly clock: Clock;
	readonly log: Log;
	readonly meters: Pick<Meters, "gauge">;
	/** Told which secrets of the deployment the others have. */
	readonly keyring: Pick<Keyring, "fingerprints" | "noteProcesses">;
}

export type Fleet = ReturnType<typeof openFleet>;

/** Nothing is written before {@link Fleet.beat} is called for the first time. */
export function openFleet(database: Database, { id, version, clock, log, meters, keyring }: FleetParts) {
	const store = processStore(database);
	/** A file has one process at a time. */
	const isAlone = database.kind === "file";
	const host = hostname();
	const skew = skewMeter(log);
	const lookAtServer = serverLook(database, log);
	let draining = false;
	let blobsWork: boolean | null = null;
	let others: readonly FleetProcess[] = [];
	let isFirst = isAlone;
	let hasOlder = false;
	let seenAt = Number.NEGATIVE_INFINITY;

	function note({ processes }: Seen): void {
		keyring.noteProcesses(processes.map((one) => one.secrets));
		hasOlder = processes.some((one) => one.secrets === null);
		const serving = processes.filter((one) => !one.draining);
		others = serving.filter((one) => one.id !== id);
		isFirst = serving[0]?.id === id;
	}

	async function beat(): Promise<void> {
		const saying: Saying = { id, version, host, draining, blobsWork, skewMs: skew.ms(), secrets: keyring.fingerprints };
		if (isAlone) return await store.beAlone(saying, PULSE);
		const beganAt = performance.now();
		for (const dead of await store.beat(saying, PULSE)) log.warn("another process is dead", { process: dead });
		const sentMs = clock.now();
		const seen = await store.list();
		skew.measure(seen.nowMs, sentMs, clock.now());
		note(seen);
		seenAt = beganAt;
		await lookAtServer(others.length > 0);
	}

	const leads = () => isAlone || (isFirst && !draining && performance.now() - seenAt < LEADS_MS);
	meters.gauge("svc_processes", () => others.length + 1);
	meters.gauge("svc_leads", () => Number(leads()));
	meters.gauge("svc_clock_skew_seconds", () => (skew.ms() ?? 0) / 1_000);

	return {
		id,
		/** Tells the others that this process lives, and hears of them; to be called every {@link BEAT_MS}. Of a file once. */
		beat,
		isAlone,
		/** Whether this one does what needs doing once. What must not happen twice has a claim of its own all the same: two may lead for a moment. */
		leads,
		/** How many processes take work, this one included. */
		size: () => others.length + 1,
		/** Whether another one that takes work can use the store of pictures, as it last said. */
		canOthersUseBlobs: () => others.some((one) => one.blobsWork === true),
		/** Whether one of them is of a release that knows of no secret of the deployment. */
		hasOlder: () => hasOlder,
		/** Told to the others with the next beat. */
		noteBlobs(work: boolean): void {
			blobsWork = work;
		},
		/** Whether this machine's clock differs too much from the database's. */
		isSkewed: skew.isOff,
		/** All of them as the database has them now, this one included. */
		list: async () => (await store.list()).processes,
		/** Leads no more, and is not counted as one that takes work. */
		async drain(): Promise<void> {
			draining = true;
			await beat();
		},
		leave: () => store.leave(id),
	};
}

/** Measures by how much this machine's clock is ahead of the database's, and warns once each time that it comes to differ too much. */
function skewMeter(log: Log) {
	let skewMs: number | null = null;
	let isOff = false;
	return {
		measure(nowMs: number, sentMs: number, receivedMs: number): void {
			if (receivedMs - sentMs > MEASURED_WITHIN_MS) return;
			skewMs = Math.round((sentMs + receivedMs) / 2 - nowMs);
			const wasOff = isOff;
			isOff = Math.abs(skewMs) > SKEW_MAX_MS;
			if (!isOff || wasOff) return;
			const advice = "set the clocks of all machines by one source (NTP)";
			log.warn("this machine's clock differs from the database's", { aheadMs: skewMs, advice });
		},
		/** Null until it was measured. */
		ms: () => skewMs,
		isOff: () => isOff,
	};
}

/** Nothing of ours keeps such a server from the fault in its line of writers for sure: docs/decisions/0077. */
function serverLook(database: Database, log: Log): (hasOthers: boolean) => Promise<void> {
	let isLogKnown = false;
	let beats = 0;
	return async (hasOthers) => {
		beats += 1;
		if (isLogKnown || !hasOthers || beats < BEATS_TO_BURY) return;
		isLogKnown = true;
		if (!(await movesLogInChanges(database))) return;
		const advice = "start the server with --checkpoint-interval-s 10 (SQLD_CHECKPOINT_INTERVAL_S)";
		log.warn("a libSQL server that moves its log while several processes write can stop writing for good", { advice });
	};
}
