import { createHash, randomUUID } from "node:crypto";
import { S3Error } from "./errors.ts";
import { checksumOf, drained, headOf, MARK, ONCE, removeFrom, wholeBody } from "./objects.ts";
import type { S3Requests } from "./requests.ts";

const PROBE = new TextEncoder().encode("probe");

/** Writes, reads and removes a few bytes. */
export async function probeBucket(requests: S3Requests): Promise<void> {
	await withProbe(requests, {}, (key) => readProbe(requests, key));
}

/**
 * Whether the store keeps all that blobs rely on, tried for real.
 * @returns whether it takes a checksum with an object. Some refuse the header, and are used without it.
 */
export async function verifyBucket(requests: S3Requests): Promise<{ readonly checksums: boolean }> {
	const mark = randomUUID();
	const gone = await withProbe(requests, { [MARK]: mark }, async (key) => {
		await readProbe(requests, key);
		if ((await headOf(requests, key))?.mark !== mark) throw new Error("it does not keep an object's metadata");
		await refuseSecond(requests, key);
		return key;
	});
	await requireGone(requests, gone);
	return { checksums: await takesChecksums(requests) };
}

async function takesChecksums(requests: S3Requests): Promise<boolean> {
	try {
		return await withProbe(requests, checksumOf(sha256Of(PROBE)), async () => true);
	} catch (cause) {
		if (cause instanceof S3Error && (cause.status === 400 || cause.status === 501)) return false;
		throw cause;
	}
}

/** Puts a few bytes, and removes them after the work. The first failure is the one reported: the PUT, whose refusal says why. */
async function withProbe<T>(
	requests: S3Requests,
	headers: Readonly<Record<string, string>>,
	work: (key: string) => Promise<T>,
): Promise<T> {
	const key = `probe/${randomUUID()}`;
	try {
		await putProbe(requests, key, headers);
		const done = await work(key);
		await removeFrom(requests, key);
		return done;
	} catch (cause) {
		await removeFrom(requests, key).catch(() => undefined);
		throw cause;
	}
}

async function putProbe(requests: S3Requests, key: string, headers: Readonly<Record<string, string>> = {}) {
	const upload = { open: () => new Blob([PROBE]).stream(), bytes: PROBE.length, sha256: sha256Of(PROBE) };
	await requests.send({ method: "PUT", key, upload, headers }, drained);
}

function sha256Of(bytes: Uint8Array): Uint8Array {
	return createHash("sha256").update(bytes).digest();
}

async function readProbe(requests: S3Requests, key: string): Promise<void> {
	const body = await requests.send({ method: "GET", key }, (response) => wholeBody(response, PROBE.length));
	if (!PROBE.every((byte, index) => body[index] === byte)) throw new Error("an object read back as something else");
}

/** Many stores answer 403 for a missing object to a key that may not list the bucket: every look would be taken for a fault. */
async function requireGone(requests: S3Requests, key: string): Promise<void> {
	const found = await headOf(requests, key).catch((cause: unknown) => {
		if (!(cause instanceof S3Error && cause.status === 403)) throw cause;
		throw new Error("it hides that an object is missing: the access key has to be allowed to list the bucket", {
			cause,
		});
	});
	if (found) throw new Error("it still has an object that was deleted");
}

async function refuseSecond(requests: S3Requests, key: string): Promise<void> {
	try {
		await putProbe(requests, key, ONCE);
	} catch (cause) {
		if (cause instanceof S3Error && cause.status === 412) return;
		throw cause;
	}
	throw new Error("it ignores If-None-Match: * on PUT, so keys could be written twice");
}
