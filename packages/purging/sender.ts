import { randomBase62 } from "@svc/base/ids";
import { call, type PurgeAnswer } from "./call.ts";
import type { WaitingPurges } from "./purges-store.ts";
import type { Purging } from "./room.ts";
import { callsOf, type PurgeCall, type PurgeTarget, tagsAtOnce } from "./target.ts";

/*
 * Sends what waits to the caches in front. One process sends at a time, one turn after the other: a cache that is down, or that wants to be
 * left in peace, is asked by one of them alone.
 */

const SECOND_MS = 1_000;
/** Longer than a turn takes; each turn renews it. */
const LEASE_MS = 30 * SECOND_MS;
const KEPT_MS = 24 * 3_600 * SECOND_MS;
const WAIT_MAX_MS = 60 * SECOND_MS;
/** Doubled so often, a second is longer than the longest wait. */
const DOUBLINGS_MAX = 6;
const GIVEN_UP_AT_ONCE = 1_000;
const NAMED_MAX = 20;
const CLAIM_DIGITS = 16;

export interface PurgeSender {
	/** Sends what is due, if no other process does. Rejects when the database is away. */
	look(): Promise<void>;
	/** Cuts what is on its way: it is sent again by whoever comes next. */
	stop(): Promise<void>;
}

export function purgeSender(room: Purging): PurgeSender {
	const { target, purges, machineClock } = room;
	const stopping = new AbortController();
	let looking: Promise<void> | undefined;

	async function look(to: PurgeTarget): Promise<void> {
		const nowMs = machineClock.now();
		const state = await purges.state();
		if (!state || state.ageMs === null) return;
		if (state.ageMs > KEPT_MS) await giveUp(room);
		if (Math.max(state.pausedMs, state.leaseMs) > nowMs || !(await purges.next(nowMs, 1))) return;
		const claim = randomBase62(CLAIM_DIGITS);
		if (!(await purges.take(claim, { nowMs, leaseMs: nowMs + LEASE_MS }))) return;
		try {
			await sendAll(to, claim, state.failures);
		} finally {
			await purges.release(claim);
		}
	}

	async function sendAll(to: PurgeTarget, claim: string, before: number): Promise<void> {
		const { signal } = stopping;
		let failures = before;
		while (!signal.aborted && (await sendNext(room, to, { claim, failures, signal }))) failures = 0;
	}

	return {
		async look() {
			if (!target || stopping.signal.aborted) return;
			looking ??= look(target).finally(() => {
				looking = undefined;
			});
			await looking;
		},
		async stop() {
			stopping.abort();
			await looking?.catch(() => undefined);
		},
	};
}

interface Sending {
	readonly claim: string;
	/** In a row, before this turn. */
	readonly failures: number;
	readonly signal: AbortSignal;
}

interface PurgeOutcome extends PurgeAnswer {
	readonly call: PurgeCall;
}

/** One turn; false where there is nothing more to send now. */
async function sendNext(room: Purging, target: PurgeTarget, { claim, failures, signal }: Sending): Promise<boolean> {
	const { purges, machineClock } = room;
	const waiting = await purges.next(machineClock.now(), tagsAtOnce(target));
	if (!waiting) return false;
	const calls = callsOf(target, waiting.tags);
	const outcomes = await Promise.all(calls.map(async (one) => ({ ...(await call(one, signal)), call: one })));
	// What was cut by our own end says nothing about the cache.
	if (signal.aborted) return false;
	const nowMs = machineClock.now();
	const failed = outcomes.filter(({ status }) => status === null || status < 200 || status > 299);
	const done = outcomes.filter((outcome) => !failed.includes(outcome));
	const isKept = await purges.settle({
		claim,
		lastPk: waiting.lastPk,
		done: tagsOf(done),
		failed: tagsOf(failed),
		leaseMs: nowMs + LEASE_MS,
		...timesOf(failed, { failures, waiting, nowMs }),
	});
	if (failed.length > 0) tell(room, failed);
	return isKept && failed.length === 0;
}

/**
 * The cache has its pause, which grows as long as it takes nothing. A tag that failed waits half as long as it has waited already: one that is
 * never taken does not keep back the others.
 */
function timesOf(
	failed: readonly PurgeOutcome[],
	{ failures, waiting, nowMs }: { readonly failures: number; readonly waiting: WaitingPurges; readonly nowMs: number },
) {
	const asked = Math.max(0, ...failed.map(({ retryAfter }) => retryAfterMs(retryAfter, nowMs)));
	const pause = Math.min(WAIT_MAX_MS, SECOND_MS * 2 ** Math.min(failures, DOUBLINGS_MAX));
	const wait = Math.min(WAIT_MAX_MS, Math.max(SECOND_MS, waiting.ageMs / 2));
	return { pausedMs: nowMs + Math.max(pause, asked), nextMs: Math.round(nowMs + Math.max(wait, asked)) };
}

/** `Retry-After` in seconds or as a date, a day at most. */
function retryAfterMs(sent: string | undefined, nowMs: number): number {
	if (sent === undefined) return 0;
	const wait = /^\d{1,9}$/.test(sent) ? Number(sent) * SECOND_MS : Date.parse(sent) - nowMs;
	return Number.isNaN(wait) ? 0 : Math.min(KEPT_MS, wait);
}

function tagsOf(outcomes: readonly PurgeOutcome[]): readonly string[] {
	return outcomes.flatMap(({ call: { tags } }) => tags);
}

function tell({ log, meters }: Purging, failed: readonly PurgeOutcome[]): void {
	meters.count("svc_purge_failures_total", {}, failed.length);
	const [{ status, failure } = { status: null }] = failed;
	log.warn("the cache in front did not take a purge; it is sent again", {
		status,
		failure,
		tags: tagsOf(failed).length,
	});
}

async function giveUp({ purges, log }: Purging): Promise<void> {
	for (;;) {
		const tags = await purges.giveUp(KEPT_MS, GIVEN_UP_AT_ONCE);
		if (tags.length === 0) return;
		const why = "the cache in front took no purge for a day; it may show what is gone";
		log.error(why, { tags: tags.length, some: tags.slice(0, NAMED_MAX) });
	}
}
