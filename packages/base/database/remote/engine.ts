import { LibsqlError } from "@libsql/client/sqlite3";
import { DatabaseError } from "../../database-error.ts";
import type { ChangeStatement } from "../write/change-statements.ts";
import type { Found } from "./hrana.ts";
import { askVersion, type ServerOptions } from "./server-streams.ts";

/** What a libSQL server says of itself. */
export interface Engine {
	/**
	 * How the connection that commits keeps a commit, as `PRAGMA synchronous` has it: below {@link FULL} a power cut takes acknowledged changes
	 * away. Undefined where the server does not say.
	 * @throws DatabaseError where the server is away
	 */
	commitMode(): Promise<number | undefined>;
	/** Such as `0.24.33`; undefined where it does not say. */
	version(): Promise<string | undefined>;
}

/** Every commit is synced before it is acknowledged. */
export const FULL = 2;

const ASK_MAX_MS = 5_000;
const PRAGMA: readonly ChangeStatement[] = [{ sql: "PRAGMA synchronous", args: [] }];

export interface EngineParts extends ServerOptions {
	/** Makes a change: within one the connection of the primary answers, also where a replica is asked. */
	readonly change: (statements: readonly ChangeStatement[]) => Promise<readonly Found[]>;
	/** Closes the connections that changes are made on, so that the next change opens a new one. */
	readonly renew: () => Promise<void>;
}

export function serverEngine({ change, renew, ...server }: EngineParts): Engine {
	async function ask(): Promise<number | undefined> {
		try {
			const [found] = await change(PRAGMA);
			const mode = Number(found?.rows[0]?.[0] ?? Number.NaN);
			return Number.isInteger(mode) ? mode : undefined;
		} catch (cause) {
			// A server that knows no such question has not said anything; one that is away or busy is asked again later.
			const isAnswer = cause instanceof DatabaseError && cause.cause instanceof LibsqlError;
			if (isAnswer && cause.code !== "SQLITE_BUSY") return undefined;
			throw cause;
		}
	}

	return {
		async commitMode() {
			const mode = await ask();
			if (mode !== undefined && mode >= FULL) return mode;
			// An open connection keeps what it began with: a server that was set since says so on a new one.
			await renew();
			return await ask();
		},
		version: () => askVersion(server, ASK_MAX_MS),
	};
}
