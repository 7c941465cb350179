import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import type { BlobStore, Staged } from "@svc/base/ports";
import { writeSequential } from "./sequential.ts";
import { fileSource, UnusualJpeg } from "./source.ts";

/** Twenty megabytes take two seconds; what takes much longer is made to. Of processor time: a machine that is busy with others is no fault of a file. */
const MOST_CPU_MS = 8_000;
/** Runs of thousands of blocks can be a few bits in a progressive JPEG, and four bits each in a sequential one. */
const MOST_GROWTH = 4;
const MORE_BYTES = 8_000_000;

type Copy = Pick<Staged, "path" | "discard">;

/**
 * A sequential JPEG of the same pixels as the progressive one at `path`; undefined when there is none: decoding the original
 * shows whether it is damaged or only unusual. Blocks this process while it is made. `mostCpuMs` is less in tests only.
 */
export async function sequentialCopy(
	path: string,
	stage: BlobStore["stage"],
	mostCpuMs = MOST_CPU_MS,
): Promise<Copy | undefined> {
	// The original was accepted although the disk is almost full, and it may yet be decoded without a copy.
	const copy = await stage(nothing(), 0).catch(() => undefined);
	if (!copy || isWritten(path, copy.path, mostCpuMs)) return copy;
	await copy.discard();
	return undefined;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** False for what is too unusual or takes too long, and where the disk is full. */
function isWritten(from: string, to: string, mostCpuMs: number): boolean {
	const source = openSync(from, "r");
	const target = openSync(to, "w");
	try {
		const { size } = fstatSync(source);
		writeSequential(fileSource(source, size), MOST_GROWTH * size + MORE_BYTES, timely(target, mostCpuMs));
		return true;
	} catch {
		return false;
	} finally {
		closeSync(target);
		closeSync(source);
	}
}

function timely(target: number, mostCpuMs: number): (bytes: Uint8Array) => void {
	const start = process.cpuUsage();
	return (bytes) => {
		const { user, system } = process.cpuUsage(start);
		if ((user + system) / 1_000 > mostCpuMs) throw new UnusualJpeg("takes too long");
		for (let at = 0; at < bytes.length; ) at += writeSync(target, bytes, at);
	};
}
