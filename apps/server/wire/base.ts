import { ImageHosts } from "@svc/base/addresses";
import type { Base } from "@svc/base/base";
import { currentCursors, sealedCursors } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { throttleStore } from "@svc/base/database/rate-shared";
import { timers } from "@svc/base/pace/paced-timers";
import type { Clock, Log, Ticker } from "@svc/base/ports";
import type { Pool } from "@svc/imaging/workers/pool/pool";
import type { Config } from "../config/config.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** The parts that a process provides. */
export interface Runtime {
	readonly clock: Clock;
	readonly log: Log;
	/** Workers that several services of one process share; without them a service has its own. */
	readonly workers?: Pool;
	/** Undefined: nobody wants traces. */
	readonly telemetry?: Telemetry;
}

/** `clock` may be one that a test moves, where payments are simulated. */
export async function openBase(
	{ baseUrl, webUrl, cdnUrl, name, mode, testPeople }: Config,
	database: Database,
	parts: Pick<Base, "clock" | "machineClock" | "process" | "log" | "meters" | "keyring">,
): Promise<Base> {
	return {
		...parts,
		ticker: tickerOf(parts.log),
		cursors: currentCursors(await parts.keyring.versions("cursors", sealedCursors)),
		throttles: throttleStore(database),
		addresses: { base: baseUrl, web: webUrl, cdn: cdnUrl, hosts: new ImageHosts(cdnUrl) },
		name,
		mode,
		testPeople,
	};
}

/** What fails is tried again at the next tick. */
function tickerOf(log: Log): Ticker {
	return {
		every(milliseconds, work) {
			const begin = () => {
				work().catch((cause: unknown) => log.error("a chore failed", { cause }));
			};
			return timers.every(milliseconds, begin);
		},
	};
}
