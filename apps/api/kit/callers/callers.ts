import type { Access } from "@svc/apps/access";
import type { Foreseen } from "@svc/images/ports";
import type { Credentials } from "@svc/keys/keys";
import type { Call } from "../call-types.ts";
import type { ApiRooms } from "../rooms.ts";
import type { Attempt } from "./attempt.ts";

/** How callers are met: `apps/server/wire` chooses by where the database is. */
export interface Callers {
	/** Each read is a round trip over a network: a change tells the counters that it leaves, so that nobody asks for them. */
	readonly areFar: boolean;
	/** For one route. */
	meet<Known extends Access>(rooms: ApiRooms): Meet<Known>;
}

/**
 * Finds who the caller is, and makes the route's function ready to run for them.
 * @param find takes a guess who it may be, so that what depends on it is looked up at once
 * @param attempt takes what was read meanwhile
 */
export type Meet<Known extends Access> = (
	call: Call,
	sent: Credentials,
	find: (guess?: Known) => Promise<Known>,
	attempt: (caller: Known, foreseen?: Foreseen) => Attempt,
) => Promise<{ readonly found: Known; readonly made: Attempt }>;

/** Of a database in this process. */
export const nearCallers: Callers = {
	areFar: false,
	meet: () => async (_call, _sent, find, attempt) => {
		const found = await find();
		return { found, made: attempt(found) };
	},
};
