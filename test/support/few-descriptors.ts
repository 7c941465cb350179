import { closeSync, openSync } from "node:fs";
import { copyFile, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Failure } from "@svc/base/failure";
import type { Staged } from "@svc/base/ports";
import { sharpInspector } from "@svc/imaging/inspect/inspect";

/* A program that looks at a picture while there are only so many descriptors left, for `ulimit -n` is one of a whole process. */

export const FEW_DESCRIPTORS = fileURLToPath(import.meta.url);

/** More than looking at a picture takes. */
const MOST_FREE = 12;

/** What became of the picture: "accepted", a failure's code, or "failed" for what is no failure of the caller's. */
export interface Look {
	/** The descriptors that were left; undefined: all of them. */
	readonly free: number | undefined;
	readonly outcome: string;
}

async function main(picture: string): Promise<void> {
	const dir = await mkdtemp(join(tmpdir(), "svc-descriptors-"));
	const looks: Look[] = [await look(dir, picture, undefined)];
	for (let free = 0; free <= MOST_FREE; free++) looks.push(await look(dir, picture, free));
	looks.push(await look(dir, picture, undefined));
	await rm(dir, { recursive: true });
	process.stdout.write(JSON.stringify(looks));
	process.exit(0);
}

async function look(dir: string, picture: string, free: number | undefined): Promise<Look> {
	const inspector = sharpInspector({
		stage: (chunks) => staged(join(dir, "copy"), chunks),
		memory: (_, work) => work(),
		mostBytes: Number.POSITIVE_INFINITY,
		log: { warn: (message, facts) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`) },
	});
	const path = join(dir, "upload");
	await copyFile(picture, path);
	const upload = await stagedAt(path);
	const taken = free === undefined ? [] : takeAllBut(free);
	try {
		await inspector.inspect(
			upload,
			{ filename: undefined, contentType: undefined },
			{ maxBytes: 20_000_000, formats: new Set(["jpg", "png", "gif", "webp", "avif", "heic"]) },
		);
		return { free, outcome: "accepted" };
	} catch (error) {
		return { free, outcome: error instanceof Failure ? error.code : "failed" };
	} finally {
		for (const descriptor of taken) closeSync(descriptor);
	}
}

function takeAllBut(free: number): number[] {
	const taken: number[] = [];
	try {
		for (;;) taken.push(openSync("/dev/null", "r"));
	} catch {
		for (const descriptor of taken.splice(0, free)) closeSync(descriptor);
		return taken;
	}
}

async function stagedAt(path: string): Promise<Staged> {
	const { size } = await stat(path);
	return { path, bytes: size, sha256: new Uint8Array(32), discard: () => rm(path, { force: true }) };
}

async function staged(path: string, chunks: AsyncIterable<Uint8Array>): Promise<Staged> {
	await writeFile(path, chunks);
	return stagedAt(path);
}

if (process.argv[1] === FEW_DESCRIPTORS) await main(process.argv[2] ?? "");
