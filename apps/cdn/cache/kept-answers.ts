import type { Clock } from "@svc/base/ports";
import type { LinkBounds } from "@svc/delivery/links/bounds";
import type { Image } from "@svc/images/images";
import type { ShownChanges } from "@svc/images/ports";
import type { RenditionCache } from "./cache.ts";

/** Two kilobytes each. */
const ENTRIES_MAX = 4_096;
const URL_MAX = 512;
/** After that an address is looked up in full again, so that the rest of the host stays in use and knows what was there lately. */
const KEPT_MS = 30_000;

/** What says that an answer depends on more than its address. */
const CONDITIONS = ["if-match", "range"] as const;

/** An answer that lasts: nothing of it ends at a known time, and it does not depend on what else a request says. */
export interface LastingAnswer {
	/** Of the rendition whose bytes it has. */
	readonly key: string;
	readonly etag: string;
	readonly storagePk: number;
	/** What its App lets links do; undefined where nothing bounds this address. */
	readonly bounds: LinkBounds | undefined;
	/** With the bytes, but for the id of the request; undefined where only those who have them have asked. */
	readonly whole: Headers | undefined;
	/** The same for those who have them. */
	readonly known: Headers;
}

interface KeptEntry extends LastingAnswer {
	/** What it was made of, and when that was read. */
	readonly reads: NonNullable<ReturnType<ShownChanges["readsOf"]>>;
	readonly at: number;
	readonly untilMs: number;
}

/** An answer, and what is counted of it. */
export interface AnswerAgain extends Pick<LastingAnswer, "key" | "storagePk" | "bounds"> {
	readonly response: Response;
	/** Undefined where the client has them. */
	readonly bytes: number | undefined;
}

interface KeptAnswersDeps {
	/** Undefined where nobody knows of all changes, and no answer is kept. */
	readonly changes: ShownChanges | undefined;
	readonly cache: Pick<RenditionCache, "findHot">;
	readonly clock: Clock;
}

/** What an answer was made of. */
interface MadeOf {
	/** The number of the database's last change before any of it was read. */
	readonly at: number;
	/** All images that it shows. */
	readonly images: readonly Image[];
}

/**
 * What an address was answered, to be answered again until anything changes of what it was made of. It holds no pictures: what the cache has
 * forgotten is not answered from here. Most requests are for what many pages show at once, and reading the address, the conditions of
 * its App and the parameters again would be most of their cost.
 */
export class KeptAnswers {
	readonly #deps: KeptAnswersDeps;
	readonly #entries = new Map<string, KeptEntry>();

	constructor(deps: KeptAnswersDeps) {
		this.#deps = deps;
	}

	/** Undefined where the request has to be answered in full. */
	find(request: Request, nextId: () => string): AnswerAgain | undefined {
		if (request.method !== "GET") return undefined;
		const entry = this.#entries.get(request.url);
		if (!entry) return undefined;
		const { changes, clock } = this.#deps;
		if (!changes?.isAsRead(entry.reads, entry.at) || clock.now() > entry.untilMs) {
			this.#entries.delete(request.url);
			return undefined;
		}
		const { headers } = request;
		for (const name of CONDITIONS) if (headers.has(name)) return undefined;
		return again(entry, headers.get("if-none-match"), nextId, () => this.#deps.cache.findHot(entry.key));
	}

	keep(url: string, answer: LastingAnswer, { at, images }: MadeOf): void {
		const { changes, clock } = this.#deps;
		if (url.length > URL_MAX || !changes) return;
		const known = this.#entries.get(url);
		if (answer.whole === undefined && known && changes.isAsRead(known.reads, known.at)) return;
		const reads = changes.readsOf(images);
		if (!reads) return;
		// Those in use come back by themselves.
		if (this.#entries.size >= ENTRIES_MAX) this.#entries.clear();
		this.#entries.set(url, { ...answer, reads, at, untilMs: clock.now() + KEPT_MS });
	}
}

function again(
	{ key, etag, storagePk, bounds, known, whole }: KeptEntry,
	noneMatch: string | null,
	nextId: () => string,
	findBlob: () => Blob | undefined,
): AnswerAgain | undefined {
	// Headers that are there as such are copied at once; out of an object they would cost more than all else here.
	if (noneMatch !== null) {
		if (noneMatch !== etag) return undefined;
		known.set("X-Request-Id", nextId());
		return { response: new Response(null, { status: 304, headers: known }), key, storagePk, bounds, bytes: undefined };
	}
	const blob = whole && findBlob();
	if (!blob) return undefined;
	whole.set("X-Request-Id", nextId());
	return { response: new Response(blob, { headers: whole }), key, storagePk, bounds, bytes: blob.size };
}
