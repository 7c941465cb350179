import type { ImageFormat } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import type { Images } from "./room.ts";

/* What search engines are told: every public image that anybody may stumble upon. Anybody may ask for it, so asking costs a walk
   through the database at most once a minute, however often and by whomever it is done. */

/** A stretch of the public images, in the order in which they came. */
export interface Stretch {
	readonly fromPk: number;
	/** Not itself part of it; undefined: to the end. */
	readonly beforePk: number | undefined;
}

/** A public image of whatever state. */
export interface PublicRow {
	readonly pk: number;
	readonly id: string;
	readonly teamHash: string;
	readonly format: ImageFormat;
	readonly createdMs: number;
	/** Whether search engines may be told: ready, unexpired, suitable for everybody, in a storage that is there to stay. */
	readonly listed: boolean;
}

interface SitemapRoom extends Pick<Images, "clock"> {
	readonly visibleImages: Pick<Images["visibleImages"], "findNext" | "listPublic">;
}

export type SitemapEntry = Pick<PublicRow, "id" | "teamHash" | "format" | "createdMs">;

interface SitemapFile {
	/** Some entries each, so that nobody need hold all of them at once. */
	readonly parts: readonly Iterable<SitemapEntry>[];
}

/** The sitemap as it was at one moment. Its files are cut at the same places for as long as it is kept. */
export interface SitemapEdition {
	/** At least 1. */
	readonly files: number;
	/** How long it may still be told. */
	freshSeconds(): number;
	/**
	 * By its number from 1 on; undefined when there is none.
	 * @throws Failure rate_limited when more of them were asked for in a minute than are kept
	 */
	file(number: number): Promise<SitemapFile | undefined>;
}

/** Longer files than that are no sitemaps (sitemaps.org protocol 0.9). */
const ENTRIES_MAX = 50_000;
const KEPT_MS = 60_000;
/** Of one query: requests are answered between two of them. */
const ROWS = 1_000;
/** Each takes about 3 MB. */
const FILES_KEPT = 16;

/** Gives the edition of this minute. `entriesMax` is the most that one file may hold. */
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
	/** One walk after another, so that many at once are no heavier than one. */
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
async function cut({ visibleImages }: SitemapRoom, entriesMax: number): Promise<readonly Stretch[]> {
	const stretches: Stretch[] = [];
	let fromPk = 0;
	for (;;) {
		const beforePk = await visibleImages.findNext(fromPk, entriesMax);
		stretches.push({ fromPk, beforePk });
		if (beforePk === undefined) return stretches;
		fromPk = beforePk;
		await yieldToRequests();
	}
}

/** The last stretch is open, and may have grown since the cut: what does not fit comes with the next edition. */
async function readFile(
	{ visibleImages }: SitemapRoom,
	stretch: Stretch,
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

/** Kept as one text: thousands of objects would take several times the memory. */
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

/** Reading from a file of our own never waits: without a pause nobody else would have a turn. */
function yieldToRequests(): Promise<void> {
	return new Promise((resolve) => setTimeout(resolve, 0));
}
