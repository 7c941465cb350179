import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BareServer } from "./bare-server.ts";
import { startChild } from "./child.ts";
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
 * Requests per second of one cached rendition of about 50 KB, against a bare Bun.serve with the same bytes. The service asks its
 * database on every request whether the image is still there.
 */

const TARGET = 1 / 3;
const ROUNDS = 9;
const SECONDS = 1.5;
const CONNECTIONS = 16;
const WANTED_BYTES = 50_000;

await using service = await startBenchService();
await using bare = startChild("./bare-server.ts");
await using client = startChild("./load-client.ts");
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));

interface Cached {
	readonly url: URL;
	readonly bytes: Uint8Array;
}

/** Between two widths, the one whose rendition comes closest to the wanted size. */
async function cachedRendition(): Promise<Cached> {
	const image = await service.upload(new Blob([await twelveMegapixels()]), "picture.jpg");
	let [low, high] = [100, 2_000];
	let found: Cached | undefined;
	while (high - low > 4) {
		const width = Math.round((low + high) / 2);
		const url = new URL(`${image.url}?w=${width}`);
		const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
		found = { url, bytes };
		if (bytes.length < WANTED_BYTES) low = width;
		else high = width;
	}
	if (!found) throw new Error("no rendition was made");
	return found;
}

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

async function measure({ url, bytes }: Cached): Promise<void> {
	const path = join(folder, "rendition.jpg");
	await writeFile(path, bytes);
	const question: BareServer = { path, contentType: "image/jpeg" };
	const barePort = Number(await bare.ask(question));
	const common = { path: `${url.pathname}${url.search}`, connections: CONNECTIONS, seconds: SECONDS };
	const hitsBefore = await service.metric("svc_cdn_requests_total");
	const measured = await interleaved(ROUNDS, {
		service: () => rate(service.pid, { ...common, host: url.host, port: Number(url.port) }),
		bare: () => rate(bare.pid, { ...common, host: `127.0.0.1:${barePort}`, port: barePort }),
	});
	const hits = (await service.metric("svc_cdn_requests_total")) - hitsBefore;
	const [own, plain] = [measured.service.slice(1), measured.bare.slice(1)];
	const per = (rates: readonly Rate[]) => rates.map(({ perSecond }) => perSecond);
	const cpu = (rates: readonly Rate[]) => rates.map(({ cpuMicroseconds }) => cpuMicroseconds);
	const busy = (rates: readonly Rate[]) =>
		spreadOf(rates.map(({ perSecond, cpuMicroseconds }) => (perSecond * cpuMicroseconds) / 1e4)).median.toFixed(0);
	const ratio = ratioOf(per(own), per(plain));
	printTable(
		`A cached rendition of ${bytes.length} bytes, ${CONNECTIONS} connections, ${ROUNDS - 1} rounds of ${SECONDS} s each; median (min–max)`,
		["", "service", "bare", "service/bare", "target"],
		[
			[
				"requests per second",
				spreadOf(per(own)).median.toFixed(0),
				spreadOf(per(plain)).median.toFixed(0),
				shown(ratio),
				`${verdict(ratio.median >= TARGET)} (≥ ${TARGET.toFixed(2)})`,
			],
			[
				"processor µs per request",
				spreadOf(cpu(own)).median.toFixed(0),
				spreadOf(cpu(plain)).median.toFixed(0),
				shown(ratioOf(cpu(own), cpu(plain))),
				"",
			],
			// Below 100 the client, or whatever else the machine does, was the limit and not the server.
			["processor share, %", busy(own), busy(plain), "", ""],
			[
				"peak memory",
				megabytes((await residentOf(service.pid)).peak),
				megabytes((await residentOf(bare.pid)).peak),
				"",
				"",
			],
		],
	);
	console.log(`\nAnswered by the service: ${hits} requests, each with its own look-up in the database.`);
}

try {
	console.log(pictureNote);
	await measure(await cachedRendition());
} finally {
	await rm(folder, { recursive: true });
}
