import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { LAUNCH } from "./service.ts";
import type { Output } from "./transform-cases.ts";

/* libvips' own program for the same task, where it is installed (Debian: libvips-tools). */

const PROGRAM = Bun.which("vipsthumbnail");

export const vipsNote = PROGRAM
	? `Compared with ${Bun.spawnSync([PROGRAM, "--vips-version"]).stdout.toString().trim() || "vipsthumbnail"}; its processor time includes one start for all pictures of a round.`
	: "vipsthumbnail is MISSING here (Debian: apt-get install libvips-tools): its column stays empty.";

export interface Thumbnails {
	readonly path: string;
	readonly format: Output;
	readonly animated: boolean;
	readonly folder: string;
	/** Makes the names of this run's files its own. */
	readonly run: number;
	readonly count: number;
}

/** Processor seconds per picture; undefined where there is no such program. */
export async function vipsthumbnail(asked: Thumbnails): Promise<number | undefined> {
	if (!PROGRAM) return undefined;
	const { path, format, animated, folder, run, count } = asked;
	// A name for each: the same file twice would come from the program's cache.
	const names = Array.from({ length: count }, (_, index) =>
		join(folder, `${run}-${index}${path.slice(path.lastIndexOf("."))}`),
	);
	await Promise.all(names.map((name) => symlink(path, name)));
	const inputs = animated && format === "webp" ? names.map((name) => `${name}[n=-1]`) : names;
	const child = Bun.spawn([PROGRAM, "--size", "640x", "--output", `%s-small.${format}[Q=85]`, ...inputs], {
		env: { ...LAUNCH, PATH: process.env.PATH, VIPS_CONCURRENCY: "1" },
		stdio: ["ignore", "ignore", "pipe"],
	});
	const [exitCode, said] = [await child.exited, await new Response(child.stderr).text()];
	if (exitCode !== 0) throw new Error(`vipsthumbnail: ${said}`);
	return Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / 1e6 / count;
}
