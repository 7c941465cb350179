import { createReadStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import type { Context } from "../../../kit/command.ts";
import { type Progress, startProgress } from "../../../kit/work/progress.ts";
import { type ReplicaMoment, restoreFromReplica } from "./litestream.ts";
import { codeOf, openTarget, type RestoreTarget, requireEmpty } from "./restore-target.ts";

/*
 * Back to one moment: the database from what Litestream copied, beside every picture of a folder that was copied the plain way. Pictures
 * never change, so more of them than the database knows do no harm: the sweep moves a few to the trash, and warns of many. Whether each
 * one is whole only the database can tell, so the service does when it reads them.
 */

const BLOBS = join("images", "blobs");
const FAN_OUT = /^[0-9a-f]{2}$/;
const BLOB = /^[A-Za-z0-9_][A-Za-z0-9._+-]{0,199}$/;
/** A date and time, with seconds, their parts and the zone left out where nobody needs them. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/;
/** Read by the next start: mails that the later service has sent are not to be sent again. */
const RESTORED = "restored";

export interface RestoredMoment {
	readonly at: string;
	readonly files: number;
	readonly bytes: number;
}

interface Moment extends ReplicaMoment {
	/** A copy of the data directory, of which only the pictures are used. */
	readonly folder: string;
	readonly dataDir: string;
}

/** @throws UsageError for anything but a moment that has passed; without a zone it is UTC */
export function parseMoment(text: string, now: Date): Date {
	const moment = new Date(/(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
	if (!MOMENT.test(text) || Number.isNaN(moment.getTime()))
		throw new UsageError(`--at ${text} is no moment.`, "Write it as 2026-11-22T10:00, in UTC, or with a zone.");
	if (moment > now) throw new UsageError(`--at ${text} has not come yet.`, "Name a moment that has passed.");
	return moment;
}

/** @throws LocalError and leaves nothing behind */
export async function restoreAt(context: Context, moment: Moment): Promise<RestoredMoment> {
	const { signal } = context.process;
	await requireEmpty(moment.dataDir);
	const paths = await pathsOf(moment.folder);
	const at = moment.at.toISOString();
	if (context.globals.dryRun) return { at, files: paths.length, bytes: 0 };
	const target = await openTarget(moment.dataDir);
	try {
		await target.receive("svc.db", (path) => restoreFromReplica(moment, path, signal));
		const bytes = await copyAll(moment.folder, paths, target, startProgress(context, paths.length), signal);
		await target.write(RESTORED, (file) => file.writeFile(`${JSON.stringify({ at })}\n`));
		await target.finish();
		return { at, files: paths.length, bytes };
	} catch (error) {
		await target.discard();
		signal.throwIfAborted();
		if (error instanceof LocalError) throw error;
		throw new LocalError(`That moment could not be brought back (${codeOf(error)}).`, "Check the disk and its room.");
	}
}

/** Every blob of the copy, as a path below it. Nothing in the copy is believed. */
async function pathsOf(folder: string): Promise<string[]> {
	const paths: string[] = [];
	for (const fanOut of await namesIn(join(folder, BLOBS), FAN_OUT, folder)) {
		for (const name of await namesIn(join(folder, BLOBS, fanOut), BLOB, folder)) paths.push(join(BLOBS, fanOut, name));
	}
	return paths;
}

async function namesIn(dir: string, known: RegExp, folder: string): Promise<string[]> {
	const names = await readdir(dir).catch((error: unknown) => {
		throw new LocalError(
			`${folder} holds no copied pictures: ${dir} cannot be read (${codeOf(error)}).`,
			"Name a copy of the data directory, with images/blobs in it.",
			EXIT.missing,
		);
	});
	return names.filter((name) => known.test(name)).sort();
}

async function copyAll(
	folder: string,
	paths: readonly string[],
	target: RestoreTarget,
	progress: Progress,
	signal: AbortSignal,
): Promise<number> {
	let total = 0;
	for (const path of paths) {
		signal.throwIfAborted();
		const bytes = await copyOne(join(folder, path), path, target);
		total += bytes;
		await progress.advance(bytes);
	}
	await progress.clear();
	return total;
}

async function copyOne(from: string, path: string, target: RestoreTarget): Promise<number> {
	// A link could lead out of the copy.
	if (!(await lstat(from)).isFile()) throw new LocalError(`${from} is no ordinary file.`, "Use another copy.");
	return await target.write(path, async (file) => {
		let bytes = 0;
		for await (const chunk of createReadStream(from)) {
			await file.writeFile(chunk);
			bytes += chunk.length;
		}
		return bytes;
	});
}
