import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, link, readFile, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import type { Masters } from "@svc/images/keep/masters";
import type { HeldFile, MasterBlob } from "@svc/images/ports";
import { digest, type RenditionCache, renditionKey } from "./cache.ts";

/** Where the transform host has originals from: the store itself, or what is kept of it on this machine. */
export interface Originals {
	/** To be sent. */
	find(blobKey: string): Promise<MasterBlob | undefined>;
	/** To make something of; `isReadNow`: by a reader that compares all of it at once. */
	findWhole(blobKey: string, isReadNow?: boolean): Promise<MasterBlob | undefined>;
	/** Before something that was made of an original stands for it. @throws DamagedMaster */
	requireWhole(blobKey: string): Promise<void>;
}

/** The form under which an original lies in the rendition cache. */
const FORM = digest("the original as it is stored");
/** So much of the cache is theirs: one takes the room of ten renditions, and is needed for the first of them. */
const SHARE = 0.25;
/** How often a file is looked for that goes as soon as it was found. */
const LOOKS = 5;

interface KeptOriginalsDeps {
	readonly masters: Pick<Masters, "findWhole">;
	readonly cache: Pick<
		RenditionCache,
		"bytesOf" | "drop" | "keys" | "maxBytes" | "moment" | "pathOf" | "put" | "scratchPath"
	>;
}

/**
 * Originals of a store that is far away, on this machine's disk: each is fetched once, with one request, for all that is made of it. They lie
 * in the rendition cache, are purged with their image, and are fetched again when they are missed.
 */
export class KeptOriginals implements Originals {
	readonly #deps: KeptOriginalsDeps;
	readonly #fetching = new Map<string, Promise<MasterBlob | undefined>>();
	/** The keys of those that are kept, in the order of use, the least recent first. */
	readonly #kept: Set<string>;

	constructor(deps: KeptOriginalsDeps) {
		this.#deps = deps;
		this.#kept = new Set(deps.cache.keys().filter((key) => key.endsWith(FORM)));
	}

	find(blobKey: string): Promise<MasterBlob | undefined> {
		return this.findWhole(blobKey);
	}

	/** @throws DamagedMaster; Failure `server_error`, timedOut, where the store does not answer */
	async findWhole(blobKey: string): Promise<MasterBlob | undefined> {
		const key = renditionKey(blobKey, FORM);
		const kept = await this.#findKept(key, blobKey);
		if (kept) return kept;
		const fetching = this.#fetching.get(key) ?? this.#fetch(key, blobKey).finally(() => this.#fetching.delete(key));
		this.#fetching.set(key, fetching);
		return await fetching;
	}

	/** What was made of an original that is far away is not held up by a look at it. */
	async requireWhole(): Promise<void> {}

	async #findKept(key: string, blobKey: string): Promise<MasterBlob | undefined> {
		const { cache } = this.#deps;
		const bytes = cache.bytesOf(key);
		const path = bytes === undefined ? undefined : await cache.pathOf(key);
		if (bytes === undefined || path === undefined) return undefined;
		this.#kept.delete(key);
		this.#kept.add(key);
		return {
			...{ bytes, path },
			hold: () => this.#hold(blobKey),
			read: async () => new Uint8Array(await this.#held(blobKey, (held) => readFile(held))),
			stream: (range) => streamOf(path, range),
		};
	}

	/** Whoever needs room may remove the file at any time; under a second name its bytes stay. */
	async #hold(blobKey: string): Promise<HeldFile> {
		const path = this.#deps.cache.scratchPath();
		for (let look = 1; ; look++) {
			const original = await this.findWhole(blobKey);
			if (!original) throw new Error(`The original ${blobKey} is gone.`);
			try {
				if (original.path === undefined) await copy(original, path);
				else await linkOrCopy(original.path, path);
				return { path, release: () => rm(path, { force: true }) };
			} catch (cause) {
				await rm(path, { force: true });
				if (original.path === undefined || look === LOOKS) throw cause;
			}
		}
	}

	async #held<T>(blobKey: string, use: (path: string) => Promise<T>): Promise<T> {
		const { path, release } = await this.#hold(blobKey);
		return await use(path).finally(release);
	}

	async #fetch(key: string, blobKey: string): Promise<MasterBlob | undefined> {
		const { masters, cache } = this.#deps;
		const since = cache.moment();
		const original = await masters.findWhole(blobKey);
		if (!original || original.bytes > this.#most()) return original;
		const path = cache.scratchPath();
		try {
			const checksum = await copy(original, path);
			await cache.put(key, { path, length: original.bytes, crc32: checksum }, blobKey, since);
			this.#kept.add(key);
		} finally {
			await rm(path, { force: true });
		}
		await this.#makeRoom();
		// Not kept where the disk has no room, or the image was deleted meanwhile.
		return (await this.#findKept(key, blobKey)) ?? original;
	}

	#most(): number {
		return this.#deps.cache.maxBytes * SHARE;
	}

	async #makeRoom(): Promise<void> {
		const { cache } = this.#deps;
		let total = 0;
		for (const key of [...this.#kept].reverse()) {
			const bytes = cache.bytesOf(key) ?? 0;
			total += bytes;
			if (bytes > 0 && total <= this.#most()) continue;
			this.#kept.delete(key);
			await cache.drop(key);
		}
	}
}

/** What is read is compared by the original itself with what the database tells of it. Returns the CRC-32. */
async function copy(original: MasterBlob, path: string): Promise<number> {
	let checksum = 0;
	async function* counted(parts: AsyncIterable<Uint8Array>) {
		for await (const part of parts) {
			checksum = crc32(part, checksum);
			yield part;
		}
	}
	await pipeline(original.stream(), counted, createWriteStream(path, { flags: "wx" }));
	return checksum;
}

/** Not every file system has second names. */
async function linkOrCopy(from: string, to: string): Promise<void> {
	await link(from, to).catch(() => copyFile(from, to));
}

function streamOf(path: string, range?: { readonly first: number; readonly last: number }) {
	const file = createReadStream(path, range && { start: range.first, end: range.last });
	const stream: unknown = Readable.toWeb(file);
	return stream as ReadableStream<Uint8Array<ArrayBuffer>>;
}
