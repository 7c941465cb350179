import { join, resolve } from "node:path";
import { EXIT, type ExitCode, LocalError, UsageError } from "@svc/base/processes/exit";
import { shellWord } from "@svc/base/text";
import { type Context, defineCommand } from "../../../kit/command.ts";
import * as takes from "../../../kit/line/takes.ts";
import { type Column, fields } from "../../../kit/output/table.ts";
import { type Progress, startProgress } from "../../../kit/work/progress.ts";
import { checkFile, type ListedFile, listedFiles, type Manifest, readManifest } from "./backup-folder.ts";
import type { ReplicaMoment } from "./litestream.ts";
import { parseMoment, restoreAt } from "./restore-at.ts";
import { restoreDamaged } from "./restore-damaged.ts";
import { openSource } from "./restore-source.ts";
import { codeOf, openTarget, type RestoreTarget, requireEmpty } from "./restore-target.ts";

interface Restored extends Pick<Manifest, "made_at" | "files" | "bytes"> {
	readonly object: "restore";
	readonly backup: string;
	readonly data_dir: string;
	/** Null for a moment: only a backup that was made says so. */
	readonly version: string | null;
	readonly images: number | null;
	/** False when the backup was only checked. */
	readonly restored: boolean;
	/** Damaged files, which were left out. */
	readonly damaged: readonly string[];
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Restored>[] = [
	...fields("data_dir", "restored", "made_at", "version", "images", "files", "bytes"),
	{ name: "damaged", value: (one) => one.damaged.length },
];

const LANES = 8;
const NAMED = 10;

interface RestoreTask {
	readonly folder: string;
	readonly manifest: Manifest;
	/** Undefined: the backup is only checked. */
	readonly target: RestoreTarget | undefined;
}

export const restore = defineCommand({
	summary: "Bring a backup back into an empty folder; needs no service and no key",
	notes:
		"A backup in a bucket (s3://bucket/folder/backups/name, or with the host) is fetched first, beside --to, with the service's environment; the\n" +
		"folder alone lists what is there.\n" +
		"Checks every file of the backup against its digest; --dry-run does nothing else. Nothing is in the folder before all is\n" +
		"well. Exit 3 when --skip-damaged left something out.\n" +
		"With --at the database comes from --replica, where Litestream keeps a copy of it, and the pictures from a copied data\n" +
		"directory; the service compares them with the database when it reads them, svc server reconcile all at once.\n" +
		"With --only-damaged pictures that are damaged in the data directory of a service, which may be running, come back, and\n" +
		"nothing else is touched; exit 3 when the backup has lost some of them as well. With --missing those come back, too, that\n" +
		"are not there at all, be they lost or deleted since; what nobody refers to goes to the trash again within a day or so.",
	examples: [
		"svc server restore backups/20260101-000000-a1b2c3d4 --to data",
		"svc server restore backups/20260101-000000-a1b2c3d4 --to data --skip-damaged",
		"svc server restore backups/20260101-000000-a1b2c3d4 --to live --only-damaged",
		"svc server restore backups/20260101-000000-a1b2c3d4 --at 2025-12-31T10:00 --replica s3://bucket/svc --to data --dry-run",
	],
	args: {
		folder: takes.word("What svc server backup made: a folder, a copy of it, or s3://…"),
		to: {
			...takes.text("Data directory to make, empty or not there; with --only-damaged that of the service", "folder"),
			required: true,
		},
		at: takes.text("Bring one moment back: 2026-11-22T10:00, in UTC", "time"),
		replica: takes.text("Where Litestream copies the database to; with --at", "url"),
		"skip-damaged": takes.flag("Leave out images whose files are missing or damaged"),
		"only-damaged": takes.flag("Bring back only what is damaged in a data directory"),
		missing: takes.flag("With --only-damaged: also what is not there at all, deleted or lost"),
	},
	async run({ args }, context): Promise<ExitCode> {
		const { process } = context;
		const { at, replica } = args;
		const onlyDamaged = args["only-damaged"] === true;
		if (onlyDamaged) requireAlone([at, replica, args["skip-damaged"]]);
		if (args.missing && !onlyDamaged)
			throw new UsageError("--missing goes with --only-damaged.", "A whole backup has all that it holds.");
		if ((at === undefined) !== (replica === undefined))
			throw new UsageError("--at and --replica go together.", "Name the moment, and where Litestream copies to.");
		const dataDir = resolve(process.cwd, args.to);
		const { close, ...source } = await openSource(context, args.folder, dataDir);
		const from = { ...source, dataDir };
		try {
			if (onlyDamaged) return await mend(context, { ...from, missing: args.missing === true });
			const restored =
				at === undefined || replica === undefined
					? await restoreBackup(context, from, args["skip-damaged"] === true)
					: await restoreMoment(context, from, { replica, at: parseMoment(at, process.date()) });
			return await tellRestored(context, restored);
		} finally {
			await close();
		}
	},
});

async function tellRestored({ globals, out, process }: Context, restored: Restored): Promise<ExitCode> {
	await out.record<Restored>(COLUMNS, restored);
	const next = globals.dryRun
		? "Nothing was written. This can be brought back."
		: `Start the service on it: SVC_DATA_DIR=${shellWord(restored.data_dir)} ${process.command} serve`;
	if (!out.isJson) {
		if (!globals.dryRun) await out.note(withoutSecret(restored.data_dir));
		await out.note(next);
	}
	return restored.damaged.length > 0 ? EXIT.partly : EXIT.ok;
}

function withoutSecret(dataDir: string): string {
	return (
		"The secret of the deployment is in no backup. Where you have it (the file deployment-secret of the old service, or its\n" +
		`SVC_DEPLOYMENT_SECRET), copy that file to ${join(dataDir, "deployment-secret")} before the start. Without it the start\n` +
		"makes a new one, and these no longer work: links in letters, codes on their way, passkeys, keys that sign addresses of\n" +
		"pictures, and the secrets of webhook endpoints (each has a new one: svc webhooks rotate). Keys, tokens and sessions go on."
	);
}

/** @param others flags that mean nothing beside --only-damaged */
function requireAlone(others: readonly unknown[]): void {
	if (others.some(Boolean))
		throw new UsageError("--only-damaged goes with a backup, --to and --missing.", "Leave the other options away.");
}

async function mend(context: Context, places: Places & { readonly missing: boolean }): Promise<ExitCode> {
	const { globals, out } = context;
	const { folder, backup, dataDir } = places;
	const manifest = await readManifest(folder);
	const { files, bytes, damaged, absent } = await restoreDamaged(context, { ...places, manifest });
	const { version, made_at, images } = manifest;
	await out.record<Restored>(COLUMNS, {
		...{ object: "restore", backup, data_dir: dataDir, restored: files > 0 && !globals.dryRun },
		...{ version, made_at, images, files, bytes, damaged },
	});
	const said = globals.dryRun
		? "would be brought back. Nothing was written."
		: "were brought back; they are served at once.";
	if (!out.isJson) await out.note(`${files} pictures ${said}`);
	if (absent > 0 && !out.isJson)
		await out.note(
			`${absent} more are not there, lost or deleted since: svc server reconcile names those that are lost.`,
		);
	return damaged.length > 0 ? EXIT.partly : EXIT.ok;
}

interface Places {
	readonly folder: string;
	/** The backup as it was named. */
	readonly backup: string;
	readonly dataDir: string;
}

async function restoreBackup(
	context: Context,
	{ folder, backup, dataDir }: Places,
	skipDamaged: boolean,
): Promise<Restored> {
	const manifest = await readManifest(folder);
	await requireEmpty(dataDir);
	const target = context.globals.dryRun ? undefined : await openTarget(dataDir);
	const damaged = await bringBack(context, { folder, manifest, target }, skipDamaged);
	const { version, made_at, images, files, bytes } = manifest;
	return {
		...{ object: "restore", backup, data_dir: dataDir, restored: target !== undefined },
		...{ version, made_at, images, files, bytes, damaged },
	};
}

async function restoreMoment(context: Context, places: Places, moment: ReplicaMoment): Promise<Restored> {
	const { at, files, bytes } = await restoreAt(context, { ...places, ...moment });
	return {
		...{ object: "restore", backup: places.backup, data_dir: places.dataDir, restored: !context.globals.dryRun },
		...{ version: null, made_at: at, images: null, files, bytes, damaged: [] },
	};
}

/** @throws LocalError and leaves nothing behind */
async function bringBack(context: Context, task: RestoreTask, skipDamaged: boolean): Promise<string[]> {
	const { target } = task;
	try {
		const damaged = await readAll(context, task);
		requireSound(damaged, skipDamaged);
		await target?.finish();
		return damaged;
	} catch (error) {
		await target?.discard();
		context.process.signal.throwIfAborted();
		if (error instanceof LocalError) throw error;
		throw new LocalError(`The backup could not be brought back (${codeOf(error)}).`, "Check the disk and its room.");
	}
}

/** Reads every file once, and writes it on the way; returns those that are damaged, and were not written. */
async function readAll(context: Context, { folder, manifest, target }: RestoreTask): Promise<string[]> {
	const { signal } = context.process;
	const progress = startProgress(context, manifest.files);
	const files = listedFiles(folder, manifest);
	const damaged: string[] = [];
	const lane = async () => {
		for await (const file of files) {
			signal.throwIfAborted();
			if (!(await readOne(folder, file, target, progress))) damaged.push(file.path);
		}
	};
	const ended = await Promise.allSettled(Array.from({ length: LANES }, lane));
	await progress.clear();
	for (const one of ended) if (one.status === "rejected") throw one.reason;
	return damaged.sort();
}

async function readOne(
	folder: string,
	file: ListedFile,
	target: RestoreTarget | undefined,
	progress: Progress,
): Promise<boolean> {
	const bytes = target
		? await target.write(file.path, (into) => checkFile(folder, file, into))
		: await checkFile(folder, file);
	if (bytes === undefined) await target?.drop(file.path);
	await progress.advance(bytes ?? 0);
	return bytes !== undefined;
}

/** @throws LocalError for a backup that cannot be brought back, or not as it is */
function requireSound(damaged: readonly string[], skipDamaged: boolean): void {
	if (damaged.length === 0) return;
	const named = damaged.slice(0, NAMED).join(", ");
	const more = damaged.length > NAMED ? ` and ${damaged.length - NAMED} more` : "";
	const message = `Missing or damaged in the backup: ${named}${more}.`;
	if (damaged.includes("svc.db")) throw new LocalError(message, "Use another backup: this one has lost its database.");
	if (!skipDamaged)
		throw new LocalError(message, "Use another copy of the backup; or go without these images: --skip-damaged");
}
