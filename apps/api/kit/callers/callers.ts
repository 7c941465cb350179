import type { Access } from "@svc/apps/access";
import type { Clock } from "@svc/base/ports";
import type { Foreseen } from "@svc/images/ports";
import type { Images } from "@svc/images/room";
import type { Usage } from "@svc/images/usage/usage";
import type { Credentials } from "@svc/keys/keys";
import type { Answer, Call } from "../call-types.ts";

/** A route's function about to run for one caller. */
export interface Attempt {
	/** Runs it; later calls get what the first one gets. Its headers count only for who asks `headers`. */
	begin(): Promise<Answer>;
	usage(): Promise<Usage>;
	readonly headers: Readonly<Record<string, string>>;
}

/** What is needed to read ahead of knowing the caller. */
export interface ReadAhead {
	readonly images: Images;
	readonly clock: Clock;
}

/** How callers are met: `apps/server/wire` chooses by where the database is. */
export interface Callers {
	/** Each read is a round trip over a network: a change tells the counters that it leaves, so that nobody asks for them. */
	readonly areFar: boolean;
	/** For one route. */
	meet<Known extends Access>(rooms: ReadAhead): Meet<Known>;
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
