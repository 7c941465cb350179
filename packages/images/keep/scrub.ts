import { setTimeout as pause } from "node:timers/promises";
import { randomBase62 } from "@svc/base/ids";
import type { Images } from "../room.ts";
import type { MasterRecord } from "./master-damage.ts";
import type { ScrubPlace } from "./scrub-store.ts";

/*
 * The scrub reads every stored original now and then, so that what rots on a disk is found while there is still a copy of it somewhere. It
 * goes through the images in the order of their numbers, a few with each call, and never faster than a disk can do beside its work.
 */

const DAY_MS = 24 * 3_600_000;
/** A pass begins after two thirds of the days and takes one third at most: between two looks at one image lie no more than all of them. */
const REST_SHARE = 2 / 3;
const PASS_SHARE = 1 / 3;
const BYTES_PER_MS = 20_000;
/** Looked at by each call even where the plan asks for fewer: a small store is through in minutes. */
const LEAST = 20;
const PAGE = 20;
/** One call ends after this, whatever is due, so that it meets the next one only seldom. */
const CALL_MS = 50_000;
/** Longer than a page of the largest masters takes. */
const LEASE_MS = 180_000;
/** So many in a row that cannot be read at all are a fault of the store, and not of its bytes. */
const FAILURES_MAX = 3;

export interface Scrubber {
	/** Looks at what is due now; returns how many masters it looked at. */
	run(): Promise<number>;
	/** Resolves when nothing is read any more. */
	stop(): Promise<void>;
}

interface ScrubberOptions {
	/** Within how many days every master is read; 0: never. */
	readonly days: number;
	readonly yieldToRequests: () => Promise<void>;
}

export function scrubber(room: Images, { days, yieldToRequests }: ScrubberOptions): Scrubber {
	const { masters, scrubPlace, clock, meters } = room;
	const holder = randomBase62(16);
	let lastCompleteMs = 0;
	let running: Promise<number> | undefined;
	let stopped = false;
	meters.gauge("svc_scrub_last_complete_seconds", () => lastCompleteMs / 1_000);
	meters.count("svc_scrub_checked_total", {}, 0);

	const leaseUntil = () => clock.now() + LEASE_MS;

	async function run(): Promise<number> {
		await masters.count();
		const known = await scrubPlace.find();
		lastCompleteMs = known?.completedMs ?? 0;
		if (days === 0 || stopped || (known && isResting(known)) || (await masters.lastPk()) === 0) return 0;
		const place = await scrubPlace.lease(holder, leaseUntil(), clock.now());
		const begun = place && (await beginPass(place));
		return begun ? await goOn(begun) : 0;
	}

	/** Whether the last pass has ended, and the next one is not due. */
	function isResting({ underWay, startedMs }: ScrubPlace): boolean {
		return !underWay && clock.now() < startedMs + days * DAY_MS * REST_SHARE;
	}

	/** Undefined while no pass is due. */
	async function beginPass(place: ScrubPlace): Promise<ScrubPlace | undefined> {
		if (place.underWay) return place;
		if (isResting(place)) return undefined;
		const begun = { ...place, startedMs: clock.now(), afterPk: 0, underWay: true };
		return (await scrubPlace.move(holder, begun, leaseUntil())) ? begun : undefined;
	}

	async function goOn(from: ScrubPlace): Promise<number> {
		const endMs = performance.now() + CALL_MS;
		const duePk = await dueIn(from);
		const between = paced(yieldToRequests);
		let place = from;
		let checked = 0;
		while (!stopped && performance.now() < endMs && (checked < LEAST || place.afterPk < duePk)) {
			const page = await masters.list(place.afterPk, PAGE);
			const seen = await checkAll(room, page, between, () => stopped);
			checked += seen.length;
			meters.count("svc_scrub_checked_total", {}, seen.length);
			const next = after(place, page, seen, clock.now());
			if (!(await scrubPlace.move(holder, next, leaseUntil()))) return checked;
			place = next;
			if (!place.underWay) break;
		}
		lastCompleteMs = place.completedMs ?? 0;
		return checked;
	}

	/** The number of the image that a steady pass would have come to by now. */
	async function dueIn({ startedMs }: ScrubPlace): Promise<number> {
		const share = (clock.now() - startedMs) / (days * DAY_MS * PASS_SHARE);
		return Math.min(1, share) * (await masters.lastPk());
	}

	return {
		run() {
			running ??= run().finally(() => {
				running = undefined;
			});
			return running;
		},
		async stop() {
			stopped = true;
			await running?.catch(() => undefined);
			await scrubPlace.release(holder).catch(() => undefined);
		},
	};
}

/** Returns those that were looked at: it may be told to stop in between. */
async function checkAll(
	room: Images,
	page: readonly MasterRecord[],
	between: (bytes: number) => Promise<void>,
	isStopped: () => boolean,
): Promise<readonly MasterRecord[]> {
	const seen: MasterRecord[] = [];
	let failures = 0;
	for (const record of page) {
		if (isStopped()) break;
		failures = (await checkOne(room, record, between)) ? 0 : failures + 1;
		if (failures === FAILURES_MAX) throw new Error("several stored images in a row could not be looked at");
		seen.push(record);
	}
	return seen;
}

/** False where it could not be looked at, which says nothing about its bytes. */
async function checkOne(
	room: Images,
	record: MasterRecord,
	between: (bytes: number) => Promise<void>,
): Promise<boolean> {
	// A question to a bucket moves hardly a byte, and is work all the same.
	await between(0);
	try {
		await room.masters.check(record, room.blobs.local ? "all" : "checksum", between);
		return true;
	} catch (cause) {
		room.log.warn("A stored image could not be looked at", { image: record.imageId, cause });
		return false;
	}
}

/** A page that is not full is the last one. */
function after(
	place: ScrubPlace,
	page: readonly MasterRecord[],
	seen: readonly MasterRecord[],
	nowMs: number,
): ScrubPlace {
	const isLast = page.length < PAGE && seen.length === page.length;
	if (isLast) return { ...place, afterPk: 0, underWay: false, completedMs: nowMs };
	return { ...place, afterPk: seen.at(-1)?.pk ?? place.afterPk };
}

/** Waits so that no more than so many bytes are read in a second, and at least as long as requests need to have their turn. */
function paced(yieldToRequests: () => Promise<void>): (bytes: number) => Promise<void> {
	const startedMs = performance.now();
	let read = 0;
	return async (bytes) => {
		read += bytes;
		await yieldToRequests();
		const aheadMs = read / BYTES_PER_MS - (performance.now() - startedMs);
		if (aheadMs > 0) await pause(aheadMs);
	};
}
