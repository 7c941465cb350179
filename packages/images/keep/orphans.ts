import type { BlobPage } from "@svc/base/ports";
import type { Images } from "../room.ts";
import type { WalkName } from "./walk-store.ts";

/*
 * Blobs without a row: written late by a request that was given up, restored on a disk after a power failure, or made after the moment of
 * which the database is a copy. The database's word alone removes nothing: they go to the trash.
 */

const DAY_MS = 24 * 3_600_000;
/** As with dead blobs: a backup whose snapshot still names them finds them. A blob that is being written is younger. */
const GRACE_MS = DAY_MS;
/** The pause between the end of one pass through the store and the start of the next. */
const REST_MS = DAY_MS;
/** A third of the time between two calls: so many seconds are a hundred pages or so of a bucket, and a billion objects a week. */
const CALL_MS = 10_000;
/** The prefix of the keys that creates make; any other key in a bucket is not ours. */
export const BLOB_PREFIX = "img_";
const OURS = /^img_[0-9A-Za-z]{1,64}\/[0-9A-Za-z]{1,64}$/;

/** So many in one page need no explanation, nor does this share of it. */
const FEW = 10;
const SMALL_SHARE = 0.05;

/** Whether a key in the store has the form that creates give to blobs. */
export function isBlobKey(key: string): boolean {
	return OURS.test(key);
}

export interface SweepAids {
	/** Whether the store is this database's own, looked up there and then. */
	readonly isCertain: () => Promise<boolean>;
	readonly yieldToRequests: () => Promise<void>;
}

/**
 * Reads the store page by page, some with each call, and moves blobs that no row names to the trash. Where more of a page are unknown than
 * leftovers explain nothing is moved: then this is more likely the wrong database, or one of an earlier moment.
 */
export function orphanSweeper(room: Images, aids: SweepAids): () => Promise<number> {
	return pageByPage(room, aids, {
		name: "blobs",
		list: (after) => room.blobs.list(BLOB_PREFIX, after),
		work: (blobs, now) => moveOrphans(room, blobs, now, aids.yieldToRequests),
	});
}

/** What a person collects was restored before, or lies there for long: what is younger may be of a database that is read late. */
const YOUNG_MS = 600_000;

export interface Collected {
	/** Stored blobs that no row names. */
	readonly unknown: number;
	readonly bytes: number;
	/** How many of them went to the trash. */
	readonly moved: number;
}

/**
 * Looks through the whole store for blobs that no row names and, where `move` says so, moves all of them to the trash, however many they
 * are: for a person who knows that this is the right database.
 * @param looked called with how many blobs each page had
 */
export async function collectOrphans(
	room: Images,
	{ isCertain, yieldToRequests }: SweepAids,
	move: boolean,
	looked: (blobs: number) => Promise<void>,
): Promise<Collected | undefined> {
	const total = { unknown: 0, bytes: 0, moved: 0 };
	for (let after: string | undefined; ; ) {
		if (!(await isCertain())) return undefined;
		const page = await room.blobs.list(BLOB_PREFIX, after);
		const unknown = await unknownOf(room, page.blobs, room.clock.now() - YOUNG_MS);
		total.unknown += unknown.length;
		total.bytes += unknown.reduce((sum, { bytes }) => sum + bytes, 0);
		if (move) total.moved += await moveAll(room, unknown, yieldToRequests);
		await looked(page.blobs.length);
		after = page.next;
		if (after === undefined) return total;
	}
}

async function moveAll(room: Images, blobs: Blobs, yieldToRequests: () => Promise<void>): Promise<number> {
	for (const { key } of blobs) {
		await room.trash.put(key);
		await yieldToRequests();
	}
	return blobs.length;
}

async function unknownOf(room: Images, listed: Blobs, beforeMs: number): Promise<Blobs> {
	const old = listed.filter(({ key, writtenMs }) => isBlobKey(key) && writtenMs < beforeMs);
	const unknown = new Set(await room.store.listUnknownBlobs(old.map(({ key }) => key)));
	return old.filter(({ key }) => unknown.has(key));
}

type Blobs = BlobPage["blobs"];

interface Pass {
	readonly name: WalkName;
	list(after: string | undefined): Promise<BlobPage>;
	/** Returns how many blobs it took away. */
	work(blobs: Blobs, nowMs: number): Promise<number>;
}

/**
 * Goes through a part of the store again and again, for a while with each call, and rests for a day after each pass. Where it is stands in the
 * database: another process goes on there, and so does this one after a restart.
 */
export function pageByPage(room: Images, aids: SweepAids, pass: Pass): () => Promise<number> {
	const keep = (after: string | undefined) =>
		room.walks.keep(pass.name, { after, restUntilMs: after === undefined ? room.clock.now() + REST_MS : 0 });

	async function onePage(after: string | undefined): Promise<WalkedPage | undefined> {
		if (!(await aids.isCertain())) {
			room.log.warn("it is not certain that the stored blobs are this database's; none was looked at");
			return undefined;
		}
		const page = await pass.list(after).catch(async (cause: unknown) => {
			// A cursor that the store does not know any more must not block the sweep.
			if (after !== undefined) await room.walks.keep(pass.name, { restUntilMs: 0 });
			throw cause;
		});
		return { taken: await pass.work(page.blobs, room.clock.now()), next: page.next };
	}

	return async () => {
		const place = await room.walks.find(pass.name);
		if (room.clock.now() < place.restUntilMs) return 0;
		const endAt = performance.now() + CALL_MS;
		let taken = 0;
		let after = place.after;
		do {
			const page = await onePage(after);
			if (!page) return taken;
			taken += page.taken;
			after = page.next;
		} while (after !== undefined && performance.now() < endAt);
		await keep(after);
		return taken;
	};
}

interface WalkedPage {
	readonly taken: number;
	readonly next: string | undefined;
}

async function moveOrphans(
	room: Images,
	listed: Blobs,
	now: number,
	yieldToRequests: () => Promise<void>,
): Promise<number> {
	const old = listed.filter(({ key, writtenMs }) => isBlobKey(key) && writtenMs < now - GRACE_MS).map(({ key }) => key);
	if (old.length === 0) return 0;
	const orphans = await room.store.listUnknownBlobs(old);
	const known = old.length - orphans.length;
	if (orphans.length > known || orphans.length > Math.max(FEW, old.length * SMALL_SHARE)) {
		room.log.warn(
			"many of the stored blobs looked at are unknown to this database; none was moved to the trash (svc server trash collect)",
			{
				unknown: orphans.length,
				known,
			},
		);
		return 0;
	}
	for (const key of orphans) {
		await room.trash.put(key);
		await yieldToRequests();
	}
	if (orphans.length > 0)
		room.log.warn("stored blobs that the database does not know went to the trash", { blobs: orphans.slice(0, FEW) });
	return orphans.length;
}
