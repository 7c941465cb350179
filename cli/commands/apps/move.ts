import { open, rename } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import { type AppFile, checkApp, openAppFile, sendApp } from "@svc/migrate/app-file/send-app";
import { appFile, type Begun, openBegun, type WrittenApp } from "@svc/migrate/app-file/write-app";
import { ApiError } from "@svc/sdk/failure";
import type { AppImport, MovePlan } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { refuseFailed, waitForJob } from "../../kit/work/follow-job.ts";
import { openStatusLine } from "../../kit/work/progress.ts";
import { APP_ID } from "./columns.ts";

interface Written {
	readonly app: string;
	readonly images: number;
	readonly bytes: number;
	readonly gone: number;
	readonly file: string;
}

const WRITTEN_COLUMNS: readonly Column<Written>[] = [...fields("app", "images", "bytes", "gone", "file")];

const PLAN_COLUMNS: readonly Column<MovePlan>[] = [
	{ name: "images", value: ({ counts }) => counts.images },
	{ name: "users", value: ({ counts }) => counts.users },
	...fields("bytes", "left_out"),
];

interface Held {
	readonly app: string;
	readonly images: number;
	readonly users: number;
	readonly bytes: number;
	readonly installation: string;
}

const HELD_COLUMNS: readonly Column<Held>[] = [...fields("app", "images", "users", "bytes", "installation")];

const IMPORT_COLUMNS: readonly Column<AppImport>[] = [
	...fields("app", "state"),
	{ name: "images", value: ({ images }) => images.here },
	...fields("id", "created_at"),
];

export const exportApp = defineCommand({
	summary: "Write an App with all of its images into a file, to take it to another service",
	notes:
		"For the Owner, confirmed lately, or a token with the scope moves:write. The file is a ZIP that only you may read, called FILE.part until it is\n" +
		"whole; stopped, the same command goes on. It holds no secrets: keys, signing keys and webhooks are made anew where it goes to.\n" +
		"--dry-run asks the service what the file would hold, and what would be left out.",
	examples: ["svc apps export app_1 --to pictures.zip --dry-run", "svc apps export app_1 --dry-run"],
	args: { ...APP_ID, to: takes.text("The file; - for standard output", "file") },
	async run({ args: { id, to } }, context) {
		const { signal } = context.process;
		if (context.globals.dryRun) {
			const { apps } = await context.looking();
			await context.out.record(PLAN_COLUMNS, await apps.of(id).exports.rehearse({ signal }));
			return EXIT.ok;
		}
		if (to === undefined) throw new LocalError("Where to?", "Name a file: --to FILE", EXIT.usage);
		const path = to === "-" ? undefined : resolve(context.process.cwd, to);
		if (path !== undefined) await refuseThere(path, to);
		const written = await writeApp(context, id, path);
		const { images, bytes, gone } = written;
		if (path === undefined) return EXIT.ok;
		await context.out.record(WRITTEN_COLUMNS, { app: id, images, bytes, gone: gone.length, file: to });
		if (written.kept > 0) await context.out.note(`${written.kept} of them were in ${to}.part already.`);
		return EXIT.ok;
	},
});

async function refuseThere(path: string, name: string): Promise<void> {
	const there = await open(path, "r").catch(() => undefined);
	await there?.close();
	if (there) throw new LocalError(`${name} exists already.`, "Name another file.", EXIT.conflict);
}

async function writeApp(context: Context, id: string, path: string | undefined): Promise<WrittenApp> {
	const { signal } = context.process;
	const { exports } = (await context.management()).apps.of(id);
	const job = await waitForJob(context, await exports.start({ signal }));
	refuseFailed(job);
	const { baseUrl } = await context.credentials();
	const line = openStatusLine(context);
	const onImage = (images: number) => line.show(`${images} images`);
	const writing = { exports, job: job.id, app: id, installation: baseUrl, signal, isGone, onImage };
	const begun = path === undefined ? undefined : await openBegun(`${path}.part`).catch(() => undefined);
	let written: WrittenApp | undefined;
	const parts = appFile(writing, begun, (whole) => {
		written = whole;
	});
	try {
		if (path === undefined) await pipe(context, parts);
		else await save(path, parts, begun);
	} finally {
		await line.clear();
		await begun?.close();
	}
	if (!written) throw new Error("An export ended without its manifest.");
	return written;
}

function isGone(error: unknown): boolean {
	return error instanceof ApiError && error.code === "not_found";
}

async function pipe(context: Context, parts: AsyncIterable<Uint8Array>): Promise<void> {
	const { output } = context.process.streams();
	for await (const part of parts) {
		await new Promise<void>((done, failed) => output.write(part, (error) => (error ? failed(error) : done())));
	}
}

/** What an earlier run has written is written over, byte for byte where nothing has changed; the name comes last. */
async function save(path: string, parts: AsyncIterable<Uint8Array>, begun: Begun | undefined): Promise<void> {
	const file = await open(`${path}.part`, begun ? "r+" : "w", 0o600);
	try {
		let position = 0;
		for await (const part of parts) {
			await writeAll(file, part, position);
			position += part.length;
		}
		await file.truncate(position);
		await file.sync();
	} finally {
		await file.close();
	}
	await rename(`${path}.part`, path);
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, part: Uint8Array, position: number): Promise<void> {
	for (let done = 0; done < part.length; ) {
		const { bytesWritten } = await file.write(part, done, part.length - done, position + done);
		done += bytesWritten;
	}
}

export const importApp = defineCommand({
	summary: "Take in an App from a file that svc apps export wrote; for operators",
	notes:
		"Its ids and the addresses of its images stay. Each picture is looked at as an upload is, and compared with its digest; nothing of the App is\n" +
		"served before all of it is here. Stopped, the same command goes on. Whoever used the App is asked again at the first sign-in.\n" +
		"--dry-run compares the records with their digests, says what there is, and sends nothing.",
	examples: ["svc apps import pictures.zip", "svc apps import pictures.zip --dry-run"],
	args: { file: takes.word("The file", "file") },
	async run({ args: { file: name } }, context) {
		const { signal } = context.process;
		const file = await opened(resolve(context.process.cwd, name), name);
		const line = openStatusLine(context);
		try {
			if (context.globals.dryRun) {
				const { app, bytes, installation } = file.manifest;
				await context.out.record(HELD_COLUMNS, { app, ...(await checkApp(file)), bytes, installation });
				return EXIT.ok;
			}
			const { operator } = await context.management();
			const onMaster = (masters: number) => line.show(`${masters} pictures of ${file.manifest.images} images`);
			const done = await sendApp({ imports: operator.appImports, file, signal, onMaster });
			await line.clear();
			await context.out.record(IMPORT_COLUMNS, done);
			return EXIT.ok;
		} finally {
			await line.clear();
			await file.close();
		}
	},
});

async function opened(path: string, name: string): Promise<AppFile> {
	return await openAppFile(path).catch((error: NodeJS.ErrnoException) => {
		if (error instanceof LocalError || error.code === undefined) throw error;
		throw new LocalError(`${name} cannot be read (${error.code}).`, "Check its name, and who may read it.", EXIT.usage);
	});
}
