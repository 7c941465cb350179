import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BareServer } from "./bare-server.ts";
import { startChild } from "./child.ts";
import { type KeptRendition, keptRendition } from "./kept-rendition.ts";
import type { Load, Served } from "./load-client.ts";
import {
	cpuSeconds,
	interleaved,
	megabytes,
	printTable,
	ratioOf,
	residentOf,
	shown,
	spreadOf,
	verdict,
} from "./measure.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import { startBenchService } from "./service.ts";

/*
 * Processor time of an answer with a cached rendition, against a bare Bun.serve that answers with the same bytes and the same headers. The
 * service asks on every request whether the image is still there: `bun test/bench/cached.ts [rounds]`.
 */

const ROUNDS = Number(process.argv[2] ?? 9);
const SECONDS = 1.5;
const CONNECTIONS = 16;

interface Case {
	readonly name: string;
	/** Of the rendition, about. */
	readonly bytes: number;
	/** Whether the client has it already. */
	readonly known: boolean;
	/** How much more than a bare server the service may take. */
	readonly target: number;
}

const CASES: readonly Case[] = [
	{ name: "25 KB", bytes: 25_000, known: false, target: 1.5 },
	{ name: "75 KB", bytes: 75_000, known: false, target: 1.2 },
	{ name: "304", bytes: 25_000, known: true, target: 2 },
];

await using service = await startBenchService();
await using bare = startChild("./bare-server.ts");
await using client = startChild("./load-client.ts");
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));

interface Rate {
	readonly perSecond: number;
	readonly cpuMicroseconds: number;
}

async function rate(pid: number, load: Load): Promise<Rate> {
	const before = await cpuSeconds(pid);
	const { requests, seconds } = (await client.ask(load)) as Served;
	const cpu = (await cpuSeconds(pid)) - before;
	return { perSecond: requests / seconds, cpuMicroseconds: (cpu / requests) * 1e6 };
}

async function measure(
	{ name, known, target }: Case,
	{ url, bytes, headers }: KeptRendition,
): Promise<readonly string[]> {
	const path = join(folder, "rendition.jpg");
	await writeFile(path, bytes);
	const question: BareServer = { path, headers };
	const barePort = Number(await bare.ask(question));
	const etag = headers.etag ?? "";
	const common = {
		path: `${url.pathname}${url.search}`,
		connections: CONNECTIONS,
		seconds: SECONDS,
		...(known && { etag }),
	};
	const measured = await interleaved(ROUNDS + 1, {
		service: () => rate(service.pid, { ...common, host: url.host, port: Number(url.port) }),
		bare: () => rate(bare.pid, { ...common, host: `127.0.0.1:${barePort}`, port: barePort }),
	});
	// The first round of each is compiled while it runs.
	const [own, plain] = [measured.service.slice(1), measured.bare.slice(1)];
	const cpu = (rates: readonly Rate[]) => rates.map(({ cpuMicroseconds }) => cpuMicroseconds);
	const perSecond = (rates: readonly Rate[]) => spreadOf(rates.map((one) => one.perSecond)).median.toFixed(0);
	const ratio = ratioOf(cpu(own), cpu(plain));
	return [
		`${name} (${bytes.length} bytes)`,
		spreadOf(cpu(own)).median.toFixed(0),
		spreadOf(cpu(plain)).median.toFixed(0),
		shown(ratio),
		`${verdict(ratio.median <= target)} (≤ ${target.toFixed(1)})`,
		perSecond(own),
		perSecond(plain),
	];
}

try {
	console.log(pictureNote);
	const image = await service.upload(new Blob([await twelveMegapixels()]), "picture.jpg");
	const rows: (readonly string[])[] = [];
	for (const one of CASES) rows.push(await measure(one, await keptRendition(image.url, one.bytes)));
	printTable(
		`Processor µs of a cached answer, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each; median (min–max)`,
		["", "service", "bare", "service/bare", "target", "per second", "bare"],
		rows,
	);
	const peaks = [await residentOf(service.pid), await residentOf(bare.pid)].map(({ peak }) => megabytes(peak));
	console.log(`\nPeak memory: service ${peaks[0]}, bare ${peaks[1]}.`);
} finally {
	await rm(folder, { recursive: true });
}
