import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleService } from "@svc/deploy/bundle";
import { plain } from "../support/pictures.ts";
import { startChild } from "./child.ts";
import { printTable, shareBelow, verdict } from "./measure.ts";
import type { Probe } from "./probe-client.ts";
import { startBenchService } from "./service.ts";
import type { Writing } from "./write-client.ts";

/*
 *   bun test/bench/slow-disk.ts
 *
 * What others wait for while sixteen clients write to a disk that is slow, in wall time, and how much they write. health.ts prints it too. A disk that sleeps
 * takes no processor time: only the clock sees it.
 */

const WRITERS = 16;
const SECONDS = 5;
const MOST_MS = 50;
const LEAST_TIMES = 4;

interface Disk {
	readonly name: string;
	readonly env: Readonly<Record<string, string>>;
	/** Whether the bars are meant for it. */
	readonly isJudged: boolean;
}

const DISKS: readonly Disk[] = [
	// What is written to it waits for the processor.
	{ name: "the disk as it is", env: {}, isJudged: false },
	{ name: "fsync 20 ms", env: { SLOW_SYNC_MS: "20" }, isJudged: true },
	// Pages that are in no cache are read on the event loop.
	{ name: "fsync 20 ms, each read 5 ms", env: { SLOW_SYNC_MS: "20", SLOW_READ_MS: "5" }, isJudged: false },
];

/** @param server the folder of the built service */
export async function printSlowDisk(server: string): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), "svc-slow-"));
	try {
		const library = join(folder, "slow-disk.so");
		const source = new URL("./slow-disk.c", import.meta.url).pathname;
		await Bun.$`cc -shared -fPIC -O1 -o ${library} ${source} -ldl`.quiet();
		const rows: string[][] = [];
		for (const disk of DISKS) rows.push(await rowOf(disk, server, library));
		printTable(
			`beside ${WRITERS} clients that write, p50/p99 in ms of the clock`,
			["", "kept picture", "/healthz", "changes/s, 1", `${WRITERS}`, `${MOST_MS} ms, ${LEAST_TIMES} ×`],
			rows,
		);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function rowOf({ name, env, isJudged }: Disk, server: string, library: string): Promise<string[]> {
	await using service = await startBenchService({ ...env, LD_PRELOAD: library, SVC_LOG: "error" }, [
		...[process.execPath, join(server, "main.js")],
	]);
	const { headers } = service;
	const images: { readonly id: string; readonly url: string }[] = [];
	for (let place = 0; place < WRITERS; place++)
		images.push(await service.upload(new Blob([await plain(400, 300 + place, "jpeg")]), "a.jpg"));
	const urls = images.map(({ id }) => `${service.baseUrl}/v1/images/${id}`);
	const kept = `${images[0]?.url}?w=200`;
	await (await fetch(kept)).arrayBuffer();
	await using writing = startChild("./write-client.ts");
	await using looking = startChild("./probe-client.ts");
	await using probing = startChild("./probe-client.ts");
	const write = async (of: readonly string[]) => {
		const asked: Writing = { urls: of, headers, seconds: SECONDS };
		return Number(await writing.ask(asked)) / SECONDS;
	};
	const times = async (child: typeof looking, url: string) => {
		const probe: Probe = { url, headers: {}, seconds: SECONDS };
		return (await child.ask(probe)) as readonly number[];
	};
	const alone = await write(urls.slice(0, 1));
	const [together, pictures, probes] = await Promise.all([
		write(urls),
		times(looking, kept),
		times(probing, `${service.baseUrl}/healthz`),
	]);
	const isMet = [pictures, probes].every((seen) => shareBelow(seen, 0.99) < MOST_MS) && together >= LEAST_TIMES * alone;
	const seen = (all: readonly number[]) => [0.5, 0.99].map((share) => shareBelow(all, share).toFixed(1)).join(" / ");
	return [
		...[name, seen(pictures), seen(probes), alone.toFixed(0), together.toFixed(0)],
		isJudged ? verdict(isMet) : "not judged",
	];
}

if (import.meta.main) {
	const folder = await mkdtemp(join(tmpdir(), "svc-built-"));
	try {
		await bundleService(folder, { target: "bun" });
		await printSlowDisk(folder);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}
