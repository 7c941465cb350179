import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { hostname } from "node:os";
import type { Keyring } from "@svc/base/crypto/keyring";
import type { Database } from "@svc/base/database/client";
import { lockFolder, type Sharing } from "@svc/base/database/file/folder-lock";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import { LEASE_MS, type LeaseHolder, LeaseTaken, takeLease } from "@svc/storage/s3/lease";
import type { S3Requests } from "@svc/storage/s3/requests";
import type { Config } from "../../config/config.ts";
import type { PictureStore } from "./storage.ts";

/** This process's right to change what lies in the store of pictures, for itself or together with others of its installation. */
export interface Ownership {
	/** Asks the store itself. False once its mark is another one, or gone, or the lease is not held for sure. */
	isCertain(): Promise<boolean>;
	/** @throws Error once another service has the store */
	renew(): Promise<void>;
	/** Another service has the store. */
	isLost(): boolean;
	/** @throws Error once another service has the store */
	requireKept(): void;
	release(): Promise<void>;
}

interface Taker {
	readonly database: Database;
	readonly keyring: Keyring;
	readonly where: Config["database"];
	readonly installation: string;
}

/** How a store keeps other services away. */
interface Hold {
	isHeld(): boolean;
	isLost(): boolean;
	renew(): Promise<void>;
	release(): Promise<void>;
}

/**
 * Takes the store for this process. Services of one database server share it; a database file has one service.
 * @throws Error that names the store while another service has it
 */
export async function takeStore(
	store: PictureStore,
	{ database, keyring, where, installation }: Taker,
): Promise<Ownership> {
	const { mark, requests } = store;
	const sharing = where.kind === "file" ? "alone" : "together";
	const hold = await (requests
		? holdBucket(mark.place, requests, {
				token: await tokenOf(database, keyring, where),
				installation,
				together: sharing === "together",
			})
		: holdFolder(mark.place, sharing));
	return {
		isCertain: async () => hold.isHeld() && (await mark.read()) === installation,
		renew: hold.renew,
		isLost: hold.isLost,
		requireKept() {
			if (hold.isLost())
				throw taken(mark.place, "This service was silent for too long; restart it once the other one has stopped.");
		},
		release: hold.release,
	};
}

async function holdFolder(folder: string, sharing: Sharing): Promise<Hold> {
	const lock = await lockFolder(folder, sharing);
	if (!lock) throw taken(folder, "Stop it first, or give this one a folder of its own.");
	return {
		isHeld: () => true,
		isLost: () => false,
		renew: async () => undefined,
		release: async () => lock.release(),
	};
}

/**
 * What the leases of one database have in common. That of a file is bound to where the file lies, for its owner lock is there too: a
 * service that was killed starts again at once, and one on a copy of the file does not pass for it.
 */
async function tokenOf(database: Database, keyring: Keyring, where: Config["database"]): Promise<string> {
	const secret = (await keptKey(database, keyring, "store-lease")).toHex();
	if (where.kind === "remote") return secret;
	const path = await realpath(where.path);
	const { dev, ino } = await stat(path);
	return createHash("sha256")
		.update(JSON.stringify([secret, hostname(), path, dev, ino]))
		.digest("hex");
}

async function holdBucket(place: string, requests: S3Requests, holder: LeaseHolder): Promise<Hold> {
	try {
		return await takeLease(requests, holder);
	} catch (cause) {
		if (!(cause instanceof LeaseTaken)) throw cause;
		const { installation: other, ageMs } = cause;
		throw taken(
			place,
			`It is of installation ${other}, and said so ${Math.round(ageMs / 1_000)} seconds ago. Stop it first. One that was killed keeps the bucket for ${LEASE_MS / 1_000} seconds.`,
			cause,
		);
	}
}

function taken(place: string, advice: string, cause?: unknown): Error {
	return new Error(`another service works with ${place}. ${advice}`, { cause });
}
