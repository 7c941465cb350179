import { createHash, randomUUID } from "node:crypto";
import { S3Error } from "./errors.ts";
import { drained, listObjects, ONCE, removeFrom } from "./objects.ts";
import type { S3Requests } from "./requests.ts";

/*
 * Who works with a bucket is written down in it, again and again: `lease/<number>`. A lease that nobody renews any more has ended. The
 * next one has the next number, which only one process can write (If-None-Match: *), so that two who take an ended lease at once do not
 * both get it. Its age is told by the store alone, by two times of one answer: clocks of machines differ.
 */

const PREFIX = "lease/";
/** A service that was killed keeps the bucket from others for as long. */
export const LEASE_MS = 90_000;
/** Two renewals may fail before it ends. */
export const RENEW_MS = 30_000;
const TRIES = 5;

export interface LeaseHolder {
	/** The same for all processes that may work with the bucket together, or one after the other at once: those of one database. */
	readonly token: string;
	readonly installation: string;
	/** False where a second process of the same database is none of ours: a copy of its file. */
	readonly together: boolean;
}

export interface BucketLease {
	/** @throws LeaseLost once another service has the bucket */
	renew(): Promise<void>;
	/** Whether it was renewed lately, and not lost. */
	isHeld(): boolean;
	isLost(): boolean;
	release(): Promise<void>;
}

/** Another service works with the bucket. */
export class LeaseTaken extends Error {
	override readonly name = "LeaseTaken";
	readonly installation: string;
	readonly ageMs: number;

	constructor(installation: string, ageMs: number) {
		super(`the lease is another service's, of installation ${installation}`);
		this.installation = installation;
		this.ageMs = ageMs;
	}
}

interface LeaseEntry {
	readonly token: string;
	readonly installation: string;
	/** A random id of the process that wrote it. */
	readonly process: string;
}

interface Found extends LeaseEntry {
	readonly number: number;
	readonly ageMs: number;
}

/** @throws LeaseTaken while the lease of another service has not ended */
export async function takeLease(requests: S3Requests, holder: LeaseHolder): Promise<BucketLease> {
	const { token, installation, together } = holder;
	const own: LeaseEntry = { token, installation, process: randomUUID() };
	let number = await take();
	let renewedMs = performance.now();
	let lost = false;

	async function take(): Promise<number> {
		for (let tries = 1; tries <= TRIES; tries++) {
			const found = await newest(requests);
			if (found && found.token !== token && found.ageMs < LEASE_MS)
				throw new LeaseTaken(found.installation, found.ageMs);
			const next = (found?.number ?? 0) + 1;
			if (await write(requests, next, own, ONCE)) {
				await removeBefore(requests, next);
				return next;
			}
		}
		throw new Error("the lease was taken by others again and again");
	}

	/** Processes that work together go on with each other's leases. */
	function isOurs(found: Found): boolean {
		return together ? found.token === token : found.process === own.process;
	}

	return {
		async renew() {
			const found = await newest(requests);
			if (found && !isOurs(found)) {
				lost = true;
				throw new LeaseTaken(found.installation, found.ageMs);
			}
			number = found?.number ?? number;
			await write(requests, number, own, {});
			renewedMs = performance.now();
		},
		isHeld: () => !lost && performance.now() - renewedMs < LEASE_MS,
		isLost: () => lost,
		async release() {
			// Those who work together may still need it.
			if (together || lost) return;
			const found = await newest(requests);
			if (found && isOurs(found)) await removeFrom(requests, keyOf(found.number));
		},
	};
}

/** Numbers of one width sort as texts do. */
function keyOf(number: number): string {
	return `${PREFIX}${String(number).padStart(12, "0")}`;
}

async function listNumbers(requests: S3Requests): Promise<number[]> {
	const { blobs } = await listObjects(requests, PREFIX);
	const numbers = blobs.map(({ key }) => Number(/^lease\/(\d{12})$/.exec(key)?.[1]));
	return numbers.filter(Number.isSafeInteger).sort((one, other) => one - other);
}

async function newest(requests: S3Requests): Promise<Found | undefined> {
	const number = (await listNumbers(requests)).at(-1);
	if (number === undefined) return undefined;
	try {
		return await requests.send({ method: "GET", key: keyOf(number) }, async (response) => ({
			...entryIn(await response.text()),
			number,
			ageMs: ageOf(response.headers),
		}));
	} catch (cause) {
		// Its holder has released it since it was listed.
		if (cause instanceof S3Error && cause.status === 404) return undefined;
		throw cause;
	}
}

/** Something that no service of this release wrote counts as a lease of nobody that we know. */
function entryIn(text: string): LeaseEntry {
	try {
		const { token, installation, process } = JSON.parse(text);
		return { token: String(token), installation: String(installation), process: String(process) };
	} catch {
		return { token: "", installation: "unknown", process: "" };
	}
}

/** Without both times it counts as new: it is better to wait for a lease than to share a bucket. */
function ageOf(headers: Headers): number {
	const age = Date.parse(headers.get("date") ?? "") - Date.parse(headers.get("last-modified") ?? "");
	return Number.isNaN(age) ? 0 : Math.max(0, age);
}

/** False where the number is taken already. */
async function write(
	requests: S3Requests,
	number: number,
	entry: LeaseEntry,
	headers: Readonly<Record<string, string>>,
): Promise<boolean> {
	const bytes = new TextEncoder().encode(`${JSON.stringify({ format: 1, ...entry })}\n`);
	const sha256 = createHash("sha256").update(bytes).digest();
	const upload = { open: () => new Blob([bytes]).stream(), bytes: bytes.length, sha256 };
	try {
		await requests.send({ method: "PUT", key: keyOf(number), upload, headers }, drained);
		return true;
	} catch (cause) {
		if (cause instanceof S3Error && cause.status === 412) return false;
		throw cause;
	}
}

async function removeBefore(requests: S3Requests, number: number): Promise<void> {
	for (const older of await listNumbers(requests)) if (older < number) await removeFrom(requests, keyOf(older));
}
