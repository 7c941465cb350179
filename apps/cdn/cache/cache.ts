import { hash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { crc32 } from "node:zlib";
import type { Log, Meters } from "@svc/base/ports";
import type { Made } from "@svc/images/ports";
import { type CacheEntry, RenditionFiles, readWhole, requireSound, stampOf } from "./cache-files.ts";
import { HotRenditions } from "./hot.ts";
import { OWNER_LENGTH, OwnedKeys } from "./owned-keys.ts";

/** Larger renditions are sent from the disk: the memory is for what many pages show at once. */
const HOT_ENTRY_BYTES = 1_000_000;
/** What is kept apart of a picture at most. */
const SMALL_MAX_BYTES = 262_144;
/** The file system's block size; counting blocks also bounds the number of tiny and empty files. */
const BLOCK_BYTES = 4096;
/** Purges that are remembered for renditions that were checked before and come after. */
const PURGES_MAX = 10_000;

export interface CacheOptions {
	/** A folder that only the cache uses; made when missing. */
	readonly dir: string;
	readonly maxBytes: number;
	/** Bound of its own for the smallest size of each picture; without it none is kept apart. */
	readonly smallMaxBytes?: number;
	/** Bytes of memory for small renditions in use. */
	readonly hotBytes: number;
	/** Whether the disk has free room; default: always. */
	readonly hasRoom?: () => Promise<boolean>;
	readonly log: Log;
	readonly meters: Pick<Meters, "count">;
}

/** What shares one bound: its entries in order of use, the least recent first. */
interface Shelf {
	readonly entries: Map<string, CacheEntry>;
	readonly maxBytes: number;
	/** In whole blocks, including what is being written. */
	bytes: number;
}

export interface Hit {
	readonly tier: "memory" | "disk";
	readonly blob: Blob;
}

/** 128 bits of SHA-256, as 32 hexadecimal digits. */
export function digest(text: string): string {
	return hash("sha256", text).slice(0, OWNER_LENGTH);
}

/**
 * Names one rendition: half of it stands for the blob, half for the canonical form. Blob keys are never reused, so a key never
 * comes to mean other bytes.
 */
export function renditionKey(blobKey: string, formDigest: string): string {
	return `${digest(blobKey)}${formDigest}`;
}

function allotted(bytes: number): number {
	return Math.max(1, Math.ceil(bytes / BLOCK_BYTES)) * BLOCK_BYTES;
}

/**
 * Renditions on disk under a byte bound, least recently used go first, with the hot ones in memory as well. The smallest size of each picture
 * has a bound of its own, so that nothing else that is looked at drives it out. An entry is written
 * whole or not at all. Nothing here can fail a request: what cannot be read is a miss, what cannot be written is logged and counted.
 */
export class RenditionCache {
	readonly #options: CacheOptions;
	readonly #files: RenditionFiles;
	readonly #hot: HotRenditions;
	readonly #all: Shelf;
	readonly #small: Shelf;
	readonly #owned = new OwnedKeys();
	/** Being written; a purge meanwhile flips the flag, and the file goes as soon as it is there. */
	readonly #writing = new Map<string, { purged: boolean; readonly ended: Promise<void> }>();
	/** The number of a blob's last purge, by its digest; the oldest first. */
	readonly #purges = new Map<string, number>();
	#lastPurge = 0;
	#lastForgotten = 0;

	/** @param found - what lies on the disk already, the least recent first. */
	constructor(options: CacheOptions, files: RenditionFiles, found: ReadonlyMap<string, CacheEntry>) {
		this.#options = options;
		this.#files = files;
		this.#hot = new HotRenditions(options.hotBytes);
		this.#all = { entries: new Map(), maxBytes: options.maxBytes, bytes: 0 };
		this.#small = { entries: new Map(), maxBytes: options.smallMaxBytes ?? 0, bytes: 0 };
		for (const [key, entry] of found) {
			const shelf = this.#shelfOf(entry);
			shelf.entries.set(key, entry);
			this.#owned.add(key);
			shelf.bytes += allotted(entry.bytes);
		}
	}

	/** Bytes on disk, in whole blocks, including renditions that are being written, without the smallest sizes. */
	get bytes(): number {
		return this.#all.bytes;
	}

	/** The same of the smallest sizes. */
	get smallBytes(): number {
		return this.#small.bytes;
	}

	/** The bound of {@link bytes}. */
	get maxBytes(): number {
		return this.#options.maxBytes;
	}

	/** Whether an entry of this many bytes can be kept without another one having to go. */
	hasFree(bytes: number): boolean {
		return this.#all.bytes + allotted(bytes) <= this.#all.maxBytes;
	}

	get hotBytes(): number {
		return this.#hot.bytes;
	}

	get entries(): number {
		return this.#all.entries.size + this.#small.entries.size;
	}

	/** The size of what is kept under this key, without opening it. */
	bytesOf(key: string): number | undefined {
		return this.#entry(key)?.bytes ?? this.#hot.find(key)?.size;
	}

	/** The same of what lies on the disk, where alone {@link pathOf} finds it. */
	diskBytesOf(key: string): number | undefined {
		return this.#entry(key)?.bytes;
	}

	/** What lies in memory. */
	findHot(key: string): Blob | undefined {
		const entry = this.#entry(key);
		if (entry) this.#touch(key, entry);
		return this.#hot.find(key);
	}

	async find(key: string): Promise<Hit | undefined> {
		const entry = this.#entry(key);
		if (entry) this.#touch(key, entry);
		const blob = this.#hot.find(key);
		if (blob) return { tier: "memory", blob };
		if (!entry) return undefined;
		try {
			return { tier: "disk", blob: await this.#open(key, entry) };
		} catch (error) {
			// Evicted or purged while it was being opened: not there, and nothing to mend.
			if (this.#entry(key) === entry) await this.#dropBroken(key, entry, error);
			return undefined;
		}
	}

	/** A path for a new file beside the renditions, which can be put later; what a crash leaves there is removed at the next start. */
	scratchPath(): string {
		return this.#files.scratchPath();
	}

	/** Where the bytes of an entry lie, whole; undefined where it is not kept on the disk. */
	async pathOf(key: string): Promise<string | undefined> {
		const entry = this.#entry(key);
		if (!entry) return undefined;
		this.#touch(key, entry);
		try {
			const path = this.#files.pathOf(key, entry);
			await requireSound(path, entry);
			return path;
		} catch (error) {
			if (this.#entry(key) === entry) await this.#dropBroken(key, entry, error);
			return undefined;
		}
	}

	/** What lies on the disk, the least recently used first. */
	keys(): readonly string[] {
		return [...this.#all.entries.keys(), ...this.#small.entries.keys()];
	}

	/** Reads an entry through, whatever was found before, and drops it where it is not what was written. Returns how many bytes it has. */
	async check(key: string): Promise<number> {
		const entry = this.#entry(key);
		if (!entry) return 0;
		entry.soundAt = undefined;
		try {
			await requireSound(this.#files.pathOf(key, entry), entry);
		} catch (error) {
			if (this.#entry(key) === entry) await this.#dropBroken(key, entry, error);
		}
		return entry.bytes;
	}

	/** The blobs of all that lies on the disk, some of them more than once. */
	blobKeys(): readonly string[] {
		return [this.#all, this.#small].flatMap(({ entries }) => [...entries.values()].map(({ blobKey }) => blobKey));
	}

	/** A moment, for {@link put}: to be taken before it is looked up whether the image may be served. */
	moment(): number {
		return this.#lastPurge;
	}

	/**
	 * Resolves when the rendition is on disk, or was given up; small ones are found from the moment of the call. A file that is kept is moved;
	 * one that is not stays where it is, for its owner to remove.
	 * @param since when the image was still there: what was purged after that is not kept
	 * @param isSmallest whether it is the picture's smallest size, in its own format
	 */
	async put(key: string, made: Made, blobKey: string, since = this.moment(), isSmallest = false): Promise<void> {
		if (this.#lastForgotten > since || (this.#purges.get(digest(blobKey)) ?? 0) > since) return;
		if (made instanceof Uint8Array) await this.#putBytes(key, made, { blobKey, isSmallest });
		else {
			const [bytes, checksum] = [made.length, made.crc32];
			const entry: CacheEntry = {
				blobKey,
				bytes,
				checksum,
				isSmall: this.#fitsApart(isSmallest, bytes),
				soundAt: undefined,
			};
			await this.#keep(key, entry, (path) => this.#files.move(made.path, path));
		}
	}

	async #putBytes(
		key: string,
		bytes: Uint8Array<ArrayBuffer>,
		{ blobKey, isSmallest }: { readonly blobKey: string; readonly isSmallest: boolean },
	): Promise<void> {
		if (this.#entry(key) || this.#writing.has(key)) return;
		if (bytes.length <= HOT_ENTRY_BYTES) this.#hot.put(key, new Blob([bytes]));
		const isSmall = this.#fitsApart(isSmallest, bytes.length);
		const entry: CacheEntry = { blobKey, bytes: bytes.length, checksum: crc32(bytes), isSmall, soundAt: undefined };
		await this.#keep(key, entry, (path) => this.#files.write(bytes, path));
	}

	/** An animation may be large in its smallest size, too. */
	#fitsApart(isSmallest: boolean, bytes: number): boolean {
		return isSmallest && bytes <= SMALL_MAX_BYTES && allotted(bytes) <= this.#small.maxBytes;
	}

	async #keep(key: string, entry: CacheEntry, write: (path: string) => Promise<void>): Promise<void> {
		const shelf = this.#shelfOf(entry);
		const blocks = allotted(entry.bytes);
		if (this.#entry(key) || this.#writing.has(key) || blocks > shelf.maxBytes) return;
		const { promise: ended, resolve: end } = Promise.withResolvers<void>();
		const writing = { purged: false, ended };
		this.#writing.set(key, writing);
		// Counted before it is written, so that renditions written at once cannot pass the bound together.
		shelf.bytes += blocks;
		try {
			await this.makeRoom();
			if (await this.#hasRoom()) {
				const path = this.#files.pathOf(key, entry);
				await write(path);
				entry.soundAt = await stampOf(path);
				shelf.entries.set(key, entry);
				this.#owned.add(key);
			} else shelf.bytes -= blocks;
			if (writing.purged) await this.#removeIfKnown(key);
			// Evicts again, because an entry that was being written could not be evicted then.
			await this.makeRoom();
		} catch (error) {
			shelf.bytes -= blocks;
			this.#complain("write", error);
		} finally {
			this.#writing.delete(key);
			end();
		}
	}

	/** Whether an entry lies on the disk, once what is being written under its key is there. */
	async isOnDisk(key: string): Promise<boolean> {
		await this.#writing.get(key)?.ended;
		return this.#entry(key) !== undefined;
	}

	/** Forgets every rendition of a blob. One that is put afterwards stays if the image was found to be there later than this. */
	async purge(blobKey: string): Promise<void> {
		const owner = digest(blobKey);
		this.#remember(owner);
		this.#hot.removeAll(owner);
		for (const [key, writing] of this.#writing) {
			if (key.startsWith(owner)) writing.purged = true;
		}
		await Promise.all(this.#owned.of(owner).map((key) => this.#removeIfKnown(key)));
	}

	#remember(owner: string): void {
		this.#purges.delete(owner);
		this.#purges.set(owner, ++this.#lastPurge);
		if (this.#purges.size <= PURGES_MAX) return;
		for (const [oldest, number] of this.#purges) {
			this.#purges.delete(oldest);
			this.#lastForgotten = number;
			return;
		}
	}

	/** Forgets one rendition, to make room. */
	async drop(key: string): Promise<void> {
		await this.#removeIfKnown(key);
	}

	/** Evicts until the bounds hold. */
	async makeRoom(): Promise<void> {
		const leaving: Promise<void>[] = [];
		for (const shelf of [this.#all, this.#small]) {
			for (const [key, entry] of shelf.entries) {
				if (shelf.bytes <= shelf.maxBytes) break;
				leaving.push(this.#remove(key, entry));
			}
		}
		await Promise.all(leaving);
	}

	#entry(key: string): CacheEntry | undefined {
		return this.#all.entries.get(key) ?? this.#small.entries.get(key);
	}

	#shelfOf({ isSmall }: CacheEntry): Shelf {
		return isSmall ? this.#small : this.#all;
	}

	#touch(key: string, entry: CacheEntry): void {
		const { entries } = this.#shelfOf(entry);
		entries.delete(key);
		entries.set(key, entry);
	}

	async #open(key: string, entry: CacheEntry): Promise<Blob> {
		const path = this.#files.pathOf(key, entry);
		if (entry.bytes > HOT_ENTRY_BYTES) {
			await requireSound(path, entry);
			return openAsBlob(path);
		}
		const blob = new Blob([await readWhole(path, entry)]);
		// Not if it was purged while being read: memory would then keep bytes that had to be forgotten.
		if (this.#entry(key) === entry) this.#hot.put(key, blob);
		return blob;
	}

	/** False where the last room of the disk is reserved for other data. */
	async #hasRoom(): Promise<boolean> {
		return (await this.#options.hasRoom?.()) ?? true;
	}

	async #removeIfKnown(key: string): Promise<void> {
		const entry = this.#entry(key);
		if (!entry) return;
		// Removed once more: a read that was under way may have brought it back into memory.
		this.#hot.remove(key);
		await this.#remove(key, entry);
	}

	async #dropBroken(key: string, entry: CacheEntry, error: unknown): Promise<void> {
		this.#complain("read", error);
		this.#hot.remove(key);
		await this.#remove(key, entry);
	}

	/** Removes an entry from the index at once, then from the disk. */
	async #remove(key: string, entry: CacheEntry): Promise<void> {
		const shelf = this.#shelfOf(entry);
		shelf.entries.delete(key);
		this.#owned.remove(key);
		shelf.bytes -= allotted(entry.bytes);
		try {
			await this.#files.remove(key, entry);
		} catch (error) {
			this.#complain("remove", error);
		}
	}

	#complain(what: "read" | "write" | "remove", error: unknown): void {
		this.#options.meters.count("svc_cdn_cache_errors_total", { operation: what });
		this.#options.log.warn("The rendition cache failed", { operation: what, error });
	}
}

/** Reads what an earlier process left: its whole renditions are used again, in the order they were written. */
export async function openRenditionCache(options: CacheOptions): Promise<RenditionCache> {
	const files = new RenditionFiles(options.dir);
	const cache = new RenditionCache(options, files, await files.open());
	await cache.makeRoom();
	return cache;
}
