import type { ImageFormat } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import type { Clock } from "@svc/base/ports";
import type { VisibleImageStore } from "./visible-images-store.ts";

/* The sitemap for search engines: every public image that may be listed. Any client may request it, so a request costs a walk
   through the database at most once a minute, however often and by whichever client it is made. */

/** A range of the public images, in the order of their creation. */
export interface SitemapStretch {
	readonly fromPk: number;
	/** The exclusive end; undefined: no end. */
	readonly beforePk: number | undefined;
}

/** A public image in any state. */
export interface PublicRow {
	readonly pk: number;
	readonly id: string;
	readonly teamHash: string;
	readonly format: ImageFormat;
	readonly createdMs: number;
	/** Whether search engines may list it: ready, unexpired, suitable for every viewer, in a storage that is not being deleted. */
	readonly listed: boolean;
}

interface SitemapRoom {
	readonly clock: Clock;
	readonly visibleImages: Pick<VisibleImageStore, "findNext" | "listPublic">;
}

export type SitemapEntry = Pick<PublicRow, "id" | "teamHash" | "format" | "createdMs">;

interface SitemapFile {
	/** Entries in parts, so that no caller need hold all of them at once. */
	readonly parts: readonly Iterable<SitemapEntry>[];
}

/** The sitemap as it was at one moment. Its files are cut at the same places as long as it is kept. */
export interface SitemapEdition {
	/** At least 1. */
	readonly files: number;
	/** How long it may still be served. */
	freshSeconds(): number;
	/**
	 * A file by its number from 1 on; undefined when there is none.
	 * @throws Failure rate_limited when more of them were asked for in a minute than are kept
	 */
	file(number: number): Promise<SitemapFile | undefined>;
}

/** The most entries in one file (sitemaps.org protocol 0.9). */
const ENTRIES_MAX = 50_000;
const KEPT_MS = 60_000;
/** Rows of one query: requests are answered between two queries. */
const ROWS = 1_000;
/** Each takes about 3 MB. */
const FILES_KEPT = 16;

/** Returns the edition of this minute. `entriesMax` is the most that one file may hold. */
export function sitemap(room: SitemapRoom, entriesMax = ENTRIES_MAX): () => Promise<SitemapEdition> {
	let current: { readonly takenMs: number; readonly edition: Promise<SitemapEdition> } | undefined;
	return async () => {
		const now = room.clock.now();
		const age = now - (current?.takenMs ?? Number.NEGATIVE_INFINITY);
		if (current && age >= 0 && age < KEPT_MS) return await current.edition;
		const taken = { takenMs: now, edition: takeEdition(room, entriesMax, now) };
		current = taken;
		try {
			return await taken.edition;
		} catch (cause) {
			if (current === taken) current = undefined;
			throw cause;
		}
	};
}

async function takeEdition(room: SitemapRoom, entriesMax: number, takenMs: number): Promise<SitemapEdition> {
	const stretches = await cut(room, entriesMax);
	const files = new Map<number, Promise<SitemapFile>>();
	const freshSeconds = () => Math.max(0, Math.floor((takenMs + KEPT_MS - room.clock.now()) / 1_000));
	/** Walks run one after another, so that many at once are no heavier than one. */
	let last: Promise<unknown> = Promise.resolve();

	return {
		files: stretches.length,
		freshSeconds,
		async file(number) {
			const stretch = stretches[number - 1];
			const kept = files.get(number);
			if (!stretch || kept) return await kept;
			if (files.size >= FILES_KEPT) {
				throw new Failure("rate_limited", undefined, { retryAfterSeconds: freshSeconds() + 1 });
			}
			const read = last.then(() => readFile(room, stretch, entriesMax, takenMs));
			files.set(number, read);
			last = read.catch(() => files.delete(number));
			return await read;
		},
	};
}

/** Stretches of at most `entriesMax` public images each; the last one is open. */
async function cut({ visibleImages }: SitemapRoom, entriesMax: number): Promise<readonly SitemapStretch[]> {
	const stretches: SitemapStretch[] = [];
	let fromPk = 0;
	for (;;) {
		const beforePk = await visibleImages.findNext(fromPk, entriesMax);
		stretches.push({ fromPk, beforePk });
		if (beforePk === undefined) return stretches;
		fromPk = beforePk;
		await yieldToRequests();
	}
}

/** The last range is open, and may have grown since the cut: what does not fit comes with the next edition. */
async function readFile(
	{ visibleImages }: SitemapRoom,
	stretch: SitemapStretch,
	entriesMax: number,
	nowMs: number,
): Promise<SitemapFile> {
	const parts: Part[] = [];
	let { fromPk } = stretch;
	for (let left = entriesMax; left > 0; ) {
		const limit = Math.min(ROWS, left);
		const rows = await visibleImages.listPublic({ ...stretch, fromPk }, limit, nowMs);
		const listed = rows.filter((row) => row.listed);
		if (listed.length > 0) parts.push(new Part(listed));
		const last = rows.at(-1);
		if (last === undefined || rows.length < limit) break;
		left -= rows.length;
		fromPk = last.pk + 1;
		await yieldToRequests();
	}
	return { parts };
}

/** Stored as one text: thousands of objects would take several times the memory. */
class Part {
	readonly #text: string;

	constructor(rows: readonly SitemapEntry[]) {
		this.#text = rows
			.map(({ id, teamHash, format, createdMs }) => [id, teamHash, format, createdMs].join(" "))
			.join("\n");
	}

	*[Symbol.iterator](): Generator<SitemapEntry> {
		for (const line of this.#text.split("\n")) {
			const [id = "", teamHash = "", format = "", createdMs = ""] = line.split(" ");
			yield { id, teamHash, format: format as ImageFormat, createdMs: Number(createdMs) };
		}
	}
}

/** Reading from a local file never waits: without a pause no other request would be served. */
function yieldToRequests(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 0));
}
