import type { Addresses } from "./addresses.ts";
import type { Keyring } from "./crypto/keyring.ts";
import type { Cursors } from "./cursors.ts";
import type { ThrottleStore } from "./database/rate-shared.ts";
import type { Clock, Log, Meters, Ticker } from "./ports.ts";

/** What every room depends on. */
export interface Base {
	readonly clock: Clock;
	/** The machine's own clock, by which files have their times: `clock` may be one that a test moves. */
	readonly machineClock: Clock;
	/** The id of this process among those of the database, random. */
	readonly process: string;
	readonly ticker: Ticker;
	readonly log: Log;
	readonly meters: Meters;
	readonly cursors: Cursors;
	/** What is made and opened with the deployment's secret. */
	readonly keyring: Keyring;
	readonly throttles: ThrottleStore;
	readonly addresses: Addresses;
	/** The service's own name. */
	readonly name: string;
	/** Decides the prefix of secrets. */
	readonly mode: "test" | "live";
	/** Whether addresses of test people are theirs, with a fixed code and without mail. */
	readonly testPeople: boolean;
}
