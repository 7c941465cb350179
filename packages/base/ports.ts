/** A snapshot's facts about an image's stored bytes. */
export interface SnapshotBlob {
	readonly imageId: string;
	readonly blobKey: string;
	readonly bytes: number;
	/** Hexadecimal. */
	readonly sha256: string;
}

/** The whole database as it was at one moment, in a separate file. */
export interface DatabaseSnapshot {
	readonly images: number;
	/** Name of the last migration in it. */
	readonly migration: string;
	/** The blob of every image, a few at a time. */
	blobs(): AsyncIterable<readonly SnapshotBlob[]>;
	close(): Promise<void>;
}

export interface Snapshots {
	/** The most bytes that a copy takes. */
	bytes(): Promise<number>;
	/**
	 * Copies the database, which goes on serving, and checks the copy as a whole. It is made for a later service: what this one may
	 * still have done after this moment, a mail above all, is not done a third time by one that starts from the copy.
	 * @throws JobFailure where another try would not help; anything else when the signal aborts, too.
	 */
	copy(path: string, signal: AbortSignal): Promise<void>;
	open(path: string): Promise<DatabaseSnapshot>;
}

/** A manifest's facts besides the number of files and their bytes. */
export interface BackupFacts {
	/** The version of the service. */
	readonly version: string;
	readonly migration: string;
	/** Every change that was acknowledged before is in it. */
	readonly madeMs: number;
	readonly images: number;
	/** Images whose bytes were missing or unreadable, or others than the database says. */
	readonly damaged: number;
}

interface MadeBackup {
	/** Absolute, on the machine of the service; or an address in a bucket, as `s3://bucket/folder`. */
	readonly path: string;
	readonly files: number;
	readonly bytes: number;
}

/**
 * A backup that is being made; it counts as complete once `seal` has resolved. Every method throws a JobFailure where the
 * disk is full.
 */
export interface BackupFolder {
	/** The path for the snapshot. */
	readonly databasePath: string;
	requireRoom(bytes: number): Promise<void>;
	/**
	 * Stores a blob and returns what was stored: the expected bytes, from an earlier backup where it has them, or else what the blob has, even
	 * where these are others. Undefined, and nothing stored, where there are none, or none that can be read.
	 */
	keep(blobKey: string, blob: StoredBlob | undefined, expected: BlobDigest): Promise<BlobDigest | undefined>;
	/** The backup is durable when this resolves. */
	seal(facts: BackupFacts): Promise<MadeBackup>;
	/** Never rejects: the next backup removes what cannot be removed now. */
	discard(): Promise<void>;
}

export interface BackupFolders {
	/** Names of whole backups, the oldest first. */
	list(): Promise<readonly string[]>;
	/** Removes a whole backup; what a crash leaves of it has an unfinished one's name. */
	remove(name: string): Promise<void>;
	/** Also removes the remains of backups that did not finish: only one is made at a time. */
	open(name: string): Promise<BackupFolder>;
	/** The bytes of a blob from the newest finished backup that has exactly these; undefined where none has. */
	findCopy(blobKey: string, expected: BlobDigest): Promise<AsyncIterable<Uint8Array> | undefined>;
}

import type { CounterName, GaugeName, HistogramName } from "./pace/meters.ts";

/*
 * What Svc requires of its environment; other nouns have a file of their own beside this one. Adapters are named for their technology; only
 * `apps/server` knows which is used.
 */

/** Milliseconds since 1970, UTC. Injected, so that ttl, cut-offs and leases can be tested at any moment. */
export interface Clock {
	now(): number;
}

/** Injected like the clock, so that a test controls the intervals. */
export interface Ticker {
	/** Calls `work`, which never rejects, again and again until the function that it returns is called. */
	every(milliseconds: number, work: () => Promise<void>): () => void;
}

/** JSON-able facts; secrets never belong in them. */
export type LogFacts = Readonly<Record<string, unknown>>;

export interface Log {
	debug(message: string, facts?: LogFacts): void;
	info(message: string, facts?: LogFacts): void;
	warn(message: string, facts?: LogFacts): void;
	error(message: string, facts?: LogFacts): void;
}

/** Counts and measures under the names of `METERS`. */
export interface Meters {
	count(name: CounterName, labels?: Readonly<Record<string, string>>, by?: number): void;
	/** Adds a duration in seconds to a histogram. */
	observe(name: HistogramName, value: number, labels?: Readonly<Record<string, string>>): void;
	/** Read when the metrics are asked for; of a counter, what it has come to. One name takes several, each with its own labels. */
	gauge(name: GaugeName | CounterName, read: () => number, labels?: Readonly<Record<string, string>>): void;
}

/** A received file that nothing refers to yet. The code that stages it ends it with `put` or `discard`. */
export interface Staged {
	/** Absolute path of the temporary file. */
	readonly path: string;
	readonly bytes: number;
	readonly sha256: Uint8Array<ArrayBuffer>;
	/** Removes the temporary file; harmless when it is already gone or has been put. */
	discard(): Promise<void>;
}

/** The size and SHA-256 that bytes turned out to have. */
export interface BlobDigest {
	readonly bytes: number;
	/** Hexadecimal. */
	readonly sha256: string;
}

/** A stored, immutable blob. */
export interface StoredBlob {
	readonly bytes: number;
	/** Becomes another one whenever the bytes may have changed: of a file its inode, size and times, of an object its ETag. */
	readonly stamp: string;
	/** The SHA-256, hexadecimal, that the store itself keeps beside the bytes; undefined where it keeps none. */
	readonly checksum: string | undefined;
	/** The path of the bytes on this machine's disk, if they are there: a decoder reads from there without a copy. */
	readonly path: string | undefined;
	read(): Promise<Uint8Array<ArrayBuffer>>;
	/** Reads all of it in small parts; `between` is awaited after each, with its bytes. */
	digest(between?: (bytes: number) => Promise<void>): Promise<BlobDigest>;
	/** `range` is inclusive at both ends and lies inside the blob. */
	stream(range?: { readonly first: number; readonly last: number }): ReadableStream<Uint8Array<ArrayBuffer>>;
}

export interface BlobPage {
	readonly blobs: readonly {
		readonly key: string;
		readonly bytes: number;
		/** In the trash: when it came there. */
		readonly writtenMs: number;
	}[];
	/** Undefined at the end. */
	readonly next: string | undefined;
}

export interface BlobStore {
	/** True where `find` looks at this machine's disk, false where it asks over a network. */
	readonly local: boolean;
	/**
	 * Writes a stream to a temporary file and hashes it on the way.
	 * @throws Failure `validation_error` under `file` past `maxBytes`; `upload_failed` when the disk refuses. Either way no file stays.
	 */
	stage(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Staged>;
	/** Durable when it resolves (fsync of file and folder). A key is written once and never reused. */
	put(key: string, staged: Staged): Promise<void>;
	/** Puts a whole copy in the place of a damaged or missing blob, at once: a reader has one or the other. Durable when it resolves. */
	replace(key: string, staged: Staged): Promise<void>;
	find(key: string): Promise<StoredBlob | undefined>;
	/**
	 * A blob of a known length, without a look at it, where `find` asks over a network: that it is not there, or is another one, shows when its
	 * bytes are read.
	 */
	readonly expected?: (key: string, bytes: number) => StoredBlob;
	/** Harmless when there is no such blob. */
	remove(key: string): Promise<void>;
	/** Lists at most some thousand blobs whose keys begin with `prefix`; `after` is the `next` of the page before. */
	list(prefix: string, after?: string): Promise<BlobPage>;
	/** Writes, reads and removes a few bytes; throws when the store cannot. */
	probe(): Promise<void>;
	/** Removes temporary files last touched before `beforeMs`; returns how many. */
	sweepStaged(beforeMs: number): Promise<number>;
}

/**
 * Where blobs go that no row names, instead of being removed. Each method can be repeated: a crash leaves a blob in the store, in the trash,
 * or in both.
 */
export interface BlobTrash {
	/** Moves a blob from the store into the trash; harmless when there is no such blob. */
	put(key: string): Promise<void>;
	/** As the store lists its blobs. */
	list(after?: string): Promise<BlobPage>;
	/** Moves a blob back into the store, durable when it resolves; false where the trash has none of this key. */
	restore(key: string): Promise<boolean>;
	/** Harmless when there is no such blob. */
	remove(key: string): Promise<void>;
}

/** Which installation a blob store belongs to, written down in the store itself. */
export interface StoreMark {
	/** The folder or bucket, as people know it. */
	readonly place: string;
	/** The id of the installation; undefined where none was written. @throws Error for a mark that cannot be understood */
	read(): Promise<string | undefined>;
	/** Durable when it resolves. False, and nothing written, where there is a mark already. */
	create(installation: string): Promise<boolean>;
	/** Durable when it resolves. */
	replace(installation: string): Promise<void>;
}

/** Renditions stored so that they need not be made again; never the only copy of anything. */
export interface RenditionStore {
	/** Drops all renditions of a blob. What a reader may see does not depend on it: the image is looked up first, always. */
	purge(blobKey: string): Promise<void>;
	/** The blobs that anything is stored of, some of them more than once. */
	blobKeys(): readonly string[];
}

export interface Importer {
	/**
	 * Fetches a public address and hands its body to `receive`; the 30 s deadline covers all of it.
	 * @throws Failure `validation_error` under `url` for a destination or redirect that is not allowed, `fetch_failed` for the rest
	 * (timedOut past the deadline). What `receive` throws is passed on.
	 */
	fetch<T>(url: string, receive: (body: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>;
}
