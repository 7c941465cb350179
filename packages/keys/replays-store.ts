import type { Database } from "@svc/base/database/client";
import { lives } from "@svc/base/database/lives";
import { audit, replays } from "@svc/base/database/schema/service";
import { statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from "drizzle-orm";
import type { KeptAnswer, KeptPost, ReplayClaim } from "./replay.ts";
import { FOREIGN, REPLAY_KEPT_MS, REPLAY_LEASE_MS } from "./replay.ts";

/** A change that is answered with one thing is about a few at most. */
const TARGETS_MAX = 5;

/** @param process the id of this process: what it claims counts as long as it lives */
export function replayStore(database: Database, process: string) {
	const { claims, write } = database;
	const hold = (claim: ReplayClaim) => claims.set(claim.requestId, markChanged(claim));
	return {
		find: findPost.bind(undefined, database),
		/** False when somebody else has claimed the key. */
		async claim(claim: ReplayClaim, nowMs: number): Promise<boolean> {
			const { hash, formerHash, caller, fingerprint, requestId } = claim;
			const leaseMs = nowMs + REPLAY_LEASE_MS;
			const row = { hash, caller, fingerprint, requestId, leaseMs, expiresMs: nowMs + REPLAY_KEPT_MS, process };
			const forgotten = and(eq(replays.hash, hash), lte(replays.expiresMs, nowMs));
			const { refused } = await write([
				{ run: statements.delete(replays).where(forgotten) },
				{ run: statements.insert(replays).values(row).onConflictDoNothing(), guard: "taken" },
				...(formerHash ? [reserve({ ...row, hash: formerHash, leaseMs: nowMs }, nowMs)] : []),
			]);
			if (refused === undefined) hold(claim);
			return refused === undefined;
		},
		/** False when it has changed since it was read. */
		async takeOver(claim: ReplayClaim, dead: KeptPost, nowMs: number): Promise<boolean> {
			const still = and(eq(replays.changed, false), eq(replays.leaseMs, dead.leaseMs));
			const taken = { requestId: claim.requestId, leaseMs: nowMs + REPLAY_LEASE_MS, process };
			const its = and(running({ ...claim, requestId: dead.requestId }), still);
			const { refused } = await write([updateStep(replays, taken, its, "taken")]);
			if (refused === undefined) hold(claim);
			return refused === undefined;
		},
		async finish(claim: ReplayClaim, { status, body }: KeptAnswer, nowMs: number): Promise<void> {
			claims.delete(claim.requestId);
			await write([updateStep(replays, { status, body, expiresMs: nowMs + REPLAY_KEPT_MS }, running(claim))]);
		},
		async release(claim: ReplayClaim, refused: boolean, nowMs: number): Promise<void> {
			claims.delete(claim.requestId);
			const unchanged = refused ? undefined : eq(replays.changed, false);
			await write([
				{ run: statements.delete(replays).where(and(running(claim), unchanged)) },
				updateStep(replays, { leaseMs: nowMs }, running(claim)),
			]);
		},
		/** The ids of what a request changed. */
		targets: listTargets.bind(undefined, database),
		/** Removes what is older than a day; returns how many. */
		async forget(nowMs: number, limit: number): Promise<number> {
			const { hash, expiresMs } = replays;
			const over = statements.select({ hash }).from(replays).where(lte(expiresMs, nowMs)).orderBy(asc(expiresMs));
			const gone = statements
				.delete(replays)
				.where(inArray(hash, over.limit(limit)))
				.returning({ hash });
			const { rows } = await write([{ run: gone }]);
			return rows?.[0]?.length ?? 0;
		},
	};
}

/** Keeps a release before this one from a key; refused where such a release has used it, or goes on with it. */
function reserve(row: typeof replays.$inferInsert, nowMs: number): Step<"taken"> {
	// A little longer than the answer itself is kept.
	const expiresMs = row.expiresMs + REPLAY_LEASE_MS;
	const set = { fingerprint: FOREIGN, requestId: row.requestId, changed: false, status: null, body: null, expiresMs };
	const idle = and(eq(replays.changed, false), isNull(replays.status), lte(replays.leaseMs, nowMs));
	const free = sql`${or(eq(replays.fingerprint, FOREIGN), lte(replays.expiresMs, nowMs), idle)}`;
	const kept = statements.insert(replays).values({ ...row, ...set });
	return { run: kept.onConflictDoUpdate({ target: replays.hash, set, setWhere: free }), guard: "taken" };
}

/** Ends every lease, for the start of a service that owns its database alone: the requests that held them are gone. */
export async function endReplayLeases({ write }: Database, nowMs: number): Promise<void> {
	await write([updateStep(replays, { leaseMs: nowMs }, and(isNull(replays.status), gt(replays.leaseMs, nowMs)))]);
}

async function findPost({ queries, read }: Database, hash: Uint8Array, nowMs: number): Promise<KeptPost | undefined> {
	const { fingerprint, requestId, changed, leaseMs, expiresMs, status, body } = replays;
	const [row] = await read(() =>
		queries
			.select({ fingerprint, requestId, changed, leaseMs, expiresMs, status, body, held: lives(replays.process) })
			.from(replays)
			.where(and(eq(replays.hash, hash), gt(replays.expiresMs, nowMs))),
	);
	if (!row) return undefined;
	const { status: answered, body: text, held, ...found } = row;
	const post = { ...found, isAbandoned: held === 0 };
	return { ...post, answer: answered === null || text === null ? undefined : { status: answered, body: text } };
}

async function listTargets({ queries, read }: Database, kept: KeptPost): Promise<readonly string[]> {
	// By the time, of which there is an index: a request begins a moment before its claim.
	const around = gt(audit.atMs, kept.expiresMs - REPLAY_KEPT_MS - REPLAY_LEASE_MS);
	const rows = await read(() =>
		queries
			.selectDistinct({ target: audit.target })
			.from(audit)
			.where(and(around, eq(audit.requestId, kept.requestId)))
			.limit(TARGETS_MAX),
	);
	return rows.flatMap(({ target }) => target ?? []);
}

/** Touches no row once another request has taken over. */
function markChanged(claim: ReplayClaim) {
	return statements.update(replays).set({ changed: true }).where(running(claim)).getSQL();
}

function running({ hash, requestId }: Pick<ReplayClaim, "hash" | "requestId">) {
	return and(eq(replays.hash, hash), eq(replays.requestId, requestId), isNull(replays.status));
}
