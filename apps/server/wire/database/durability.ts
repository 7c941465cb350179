import type { Database } from "@svc/base/database/client";
import { FULL } from "@svc/base/database/remote/engine";
import { DatabaseError } from "@svc/base/database-error";
import type { Log } from "@svc/base/ports";
import type { Config } from "../../config/config.ts";

/** Older ones never sync the log that they replicate and recover from. */
const SOUND_VERSION = [0, 24, 33] as const;

/** The call at the server's admin address after which every commit is synced; what it does not name is set back. */
const REMEDY =
	"curl -X POST http://<its admin address>/v1/namespaces/default/config -H 'Authorization: basic <its admin key>' " +
	`-H 'Content-Type: application/json' -d '{"block_reads":false,"block_writes":false,"durability_mode":"strong"}'`;
const ACCEPTED = "SVC_DATABASE_RELAXED=on accepts it: a power cut then loses the last seconds of what was answered.";

/** Whether what a database server has acknowledged is on its disk. */
export interface Durability {
	/** As it was found last; undefined with a file, whose every commit is synced. */
	state(): "strong" | "relaxed" | undefined;
	/** It is relaxed, and nobody has accepted that. */
	isAlarming(): boolean;
	/** Asks the server. One that is away leaves what was found last. */
	look(): Promise<void>;
}

const OF_A_FILE: Durability = {
	state: () => undefined,
	isAlarming: () => false,
	look: async () => undefined,
};

interface Found {
	readonly isStrong: boolean;
	/** Why acknowledged changes may be lost; undefined where they are not. */
	readonly reason: string | undefined;
	readonly advice?: string;
}

interface Asked {
	readonly config: Pick<Config, "database" | "mode">;
	/** Where the database is, without secrets. */
	readonly place: string;
	readonly log: Log;
}

/**
 * Asks a database server how it keeps a commit.
 * @throws Error in live mode where a power cut would take acknowledged changes away and `SVC_DATABASE_RELAXED` does not accept that
 * @throws DatabaseError where the server is away
 */
export async function openDurability(
	{ engine }: Pick<Database, "engine">,
	{ config, place: server, log }: Asked,
): Promise<Durability> {
	const { database: where, mode } = config;
	if (where.kind === "file" || engine === undefined) return OF_A_FILE;
	const { isRelaxedAccepted } = where;
	const ask = async () => foundIn(await engine.commitMode(), await engine.version());
	let found = await ask();
	if (!(found.isStrong || isRelaxedAccepted) && mode === "live")
		throw new Error(
			`the database at ${server} ${found.reason}. In live mode no service starts on it. Tell it to sync each commit: ${REMEDY} — ${ACCEPTED}`,
		);
	const tell = () => {
		const { reason, advice } = found;
		if (reason === undefined) log.info("the database server syncs each commit", { server });
		else if (isRelaxedAccepted)
			log.info("a power cut may take acknowledged changes away, which is accepted", { server, reason });
		else log.warn("a power cut may take acknowledged changes away", { server, reason, advice });
	};
	tell();

	return {
		state: () => (found.reason === undefined ? "strong" : "relaxed"),
		isAlarming: () => found.reason !== undefined && !isRelaxedAccepted,
		async look() {
			const before = found.reason;
			found = await ask().catch((cause: unknown) => {
				if (cause instanceof DatabaseError && cause.passing) return found;
				throw cause;
			});
			if (found.reason !== before) tell();
		},
	};
}

/** A server that does not say how it keeps a commit counts as one that does not sync it; one that names no version is not blamed for that. */
function foundIn(commitMode: number | undefined, version: string | undefined): Found {
	if (commitMode === undefined || commitMode < FULL) {
		const said =
			commitMode === undefined
				? "does not say how it keeps a commit"
				: `keeps commits without syncing them (PRAGMA synchronous is ${commitMode})`;
		return {
			isStrong: false,
			reason: `${said}: a power cut of its machine takes acknowledged changes away`,
			advice: REMEDY,
		};
	}
	if (version === undefined || isSound(version)) return { isStrong: true, reason: undefined };
	const sound = SOUND_VERSION.join(".");
	return {
		isStrong: true,
		reason: `is libSQL's server ${version}, which does not sync its log of changes: ${sound} does`,
		advice: `run libSQL's server ${sound} or later`,
	};
}

function isSound(version: string): boolean {
	const parts = version.split(".").map(Number);
	for (const [place, least] of SOUND_VERSION.entries()) {
		const part = parts[place] ?? 0;
		if (part !== least) return part > least;
	}
	return true;
}
