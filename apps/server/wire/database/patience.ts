import { setTimeout } from "node:timers/promises";
import { Refusal } from "@svc/base/database/remote/server-streams";
import { DatabaseError } from "@svc/base/database-error";
import type { Log } from "@svc/base/ports";
import type { Config } from "../../config/config.ts";
import { placeOf } from "./database-place.ts";

/** No try begins later: a server that is started together with this process is there by then, and one that is very busy has answered. */
const TRIED_FOR_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 4_000;

export interface Patience {
	readonly config: Pick<Config, "database">;
	readonly log: Pick<Log, "warn">;
	/** Tests have less. */
	readonly forMs?: number;
}

/**
 * Does a part of a start, and does it again while the database server does not answer. `work` leaves nothing open where it fails, and may be
 * repeated although its last change happened.
 * @throws Error that names the server, once the time is over or where the server refuses this service; whatever else `work` throws at once
 */
export async function whileAway<T>(
	{ config, log, forMs = TRIED_FOR_MS }: Patience,
	work: () => Promise<T>,
): Promise<T> {
	const beganMs = performance.now();
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
		try {
			return await work();
		} catch (cause) {
			const triedMs = performance.now() - beganMs;
			const reason = reasonToWait(config, cause, { triedMs, isOver: triedMs + pauseMs > forMs });
			const database = placeOf(config.database);
			log.warn("the start waits for the database", { database, reason, wait_ms: pauseMs });
			await setTimeout(pauseMs);
		}
	}
}

interface Waited {
	readonly triedMs: number;
	readonly isOver: boolean;
}

/** @throws Error where there is none */
function reasonToWait({ database }: Patience["config"], cause: unknown, { triedMs, isOver }: Waited): string {
	const fault = database.kind === "remote" ? faultIn(cause) : undefined;
	if (!fault) throw cause;
	const where = `the database at ${placeOf(database)}`;
	if (fault.isFinal) throw new Error(`${where} refuses this service: ${fault.reason}. ${ADVICE}`, { cause });
	const seconds = Math.round(triedMs / 1_000);
	if (isOver)
		throw new Error(`${where} has not answered for ${seconds} seconds: ${fault.reason}. ${ADVICE}`, { cause });
	return fault.reason;
}

const ADVICE = "Look at SVC_DATABASE_URL and SVC_DATABASE_TOKEN, and whether the server runs.";

interface Fault {
	readonly reason: string;
	/** The server has answered, and would say the same again. */
	readonly isFinal: boolean;
}

/** What is wrong with the server, where that is the cause. */
function faultIn(cause: unknown): Fault | undefined {
	if (!(cause instanceof Error)) return undefined;
	if (!(cause instanceof DatabaseError)) return faultIn(cause.cause);
	if (!cause.passing) return undefined;
	const { cause: origin, code } = cause;
	const reason = origin instanceof Error && origin.message !== "" ? origin.message : code;
	return { reason: reason.replace(/\.$/, ""), isFinal: origin instanceof Refusal && origin.isFinal };
}
