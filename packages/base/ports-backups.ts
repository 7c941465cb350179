import type { StoredBlob } from "./ports.ts";

/* What is asked of the world about backups; see ports.ts. */

/** What a snapshot says of an image's stored bytes. */
export interface SnapshotBlob {
	readonly imageId: string;
	readonly blobKey: string;
	readonly bytes: number;
	/** Hexadecimal. */
	readonly sha256: string;
}

/** The whole database as it was at one moment, in a file of its own. */
export interface Snapshot {
	readonly images: number;
	/** Name of the last migration that made it. */
	readonly migration: string;
	/** The blob of every image, a few at a time. */
	blobs(): AsyncIterable<readonly SnapshotBlob[]>;
	close(): Promise<void>;
}

export interface Snapshots {
	/** What a copy takes, at most. */
	bytes(): Promise<number>;
	/**
	 * Copies the database, which goes on serving, and checks the copy as a whole. It is made for another life: what the service may
	 * still have done after this moment, a mail above all, is not done a third time by one that starts from the copy.
	 * @throws JobFailure where another try would not help; anything else when the signal aborts, too.
	 */
	copy(path: string, signal: AbortSignal): Promise<void>;
	open(path: string): Promise<Snapshot>;
}

/** What a manifest tells besides the number of files and their bytes. */
export interface BackupFacts {
	/** Of the service. */
	readonly version: string;
	readonly migration: string;
	/** Everything that was acknowledged before is in it. */
	readonly madeMs: number;
	readonly images: number;
	/** Images whose bytes were missing or unreadable, or others than the database says. */
	readonly damaged: number;
}

export interface MadeBackup {
	/** Absolute, on the machine of the service. */
	readonly path: string;
	readonly files: number;
	readonly bytes: number;
}

/**
 * A backup that is being made; nothing takes it for a whole one before `seal` has resolved. Everything throws a JobFailure where the
 * disk has no room for more.
 */
export interface BackupFolder {
	/** Where the snapshot goes. */
	readonly databasePath: string;
	requireRoom(bytes: number): Promise<void>;
	/** Keeps a blob, and tells what its bytes really are; sha256 in hexadecimal. Undefined, and not kept, where the disk cannot read them. */
	keep(blobKey: string, blob: StoredBlob): Promise<{ readonly bytes: number; readonly sha256: string } | undefined>;
	/** Durable when it resolves. */
	seal(facts: BackupFacts): Promise<MadeBackup>;
	/** Never rejects: what cannot be removed now, the next backup removes. */
	discard(): Promise<void>;
}

export interface BackupFolders {
	/** Also removes what backups left behind that did not come to their end: only one is made at a time. */
	open(name: string): Promise<BackupFolder>;
}
