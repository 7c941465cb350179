import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { BareServer } from "./bare-server.ts";
import { startChild } from "./child.ts";
import { type KeptRendition, keptRendition } from "./kept-rendition.ts";
import { familyCpuSeconds, interleaved, printTable, ratioOf, shown, spreadOf, verdict } from "./measure.ts";
import { startNginx } from "./peers/nginx.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import { startBenchService } from "./service.ts";

/*
 * Processor time of an answer with a kept rendition, against a bare Bun.serve and nginx that answer with the same bytes and the same headers: on a machine that does
 * nothing else, and beside neighbours that want all its cores. The service asks on every request whether the image is still there:
 * `bun test/bench/cached.ts [rounds]`. The client is wrk, since a slower one would itself be what is measured.
 */

const ROUNDS = Number(process.argv[2] ?? 9);
const SECONDS = 2;
const CONNECTIONS = 64;

interface Case {
	readonly name: string;
	/** Of the rendition, about. */
	readonly bytes: number;
	/** Whether the client has it already. */
	readonly known: boolean;
}

const CASES: readonly Case[] = [
	{ name: "25 KB", bytes: 25_000, known: false },
	{ name: "75 KB", bytes: 75_000, known: false },
	{ name: "304", bytes: 25_000, known: true },
];

interface Place {
	readonly name: string;
	readonly neighbours: number;
	/** How much more than a bare server the service may take. */
	readonly bare: number;
	/** And than nginx. */
	readonly nginx: (known: boolean) => number;
}

const PLACES: readonly Place[] = [
	{ name: "quiet", neighbours: 0, bare: 1.2, nginx: (known) => (known ? 2.3 : 2.2) },
	{ name: "beside neighbours", neighbours: availableParallelism(), bare: 1.3, nginx: () => 2.8 },
];

if (!Bun.which("wrk")) throw new Error("no wrk on the PATH");
await using service = await startBenchService({ SVC_LOG: "error" });
await using bare = startChild("./bare-server.ts");
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));

/** What one program is asked for. */
interface Asked {
	readonly pid: number;
	readonly url: string;
	/** Of what the client has. */
	readonly etag: string | undefined;
}

/** Processor microseconds of an answer, user and system. */
async function cost({ pid, url, etag }: Asked): Promise<number> {
	const before = await familyCpuSeconds(pid);
	const known = etag === undefined ? [] : ["-H", `If-None-Match: ${etag}`];
	const wrk = Bun.spawn(["wrk", "-t1", `-c${CONNECTIONS}`, `-d${SECONDS}`, ...known, url], { stdout: "pipe" });
	const text = await new Response(wrk.stdout).text();
	const spent = (await familyCpuSeconds(pid)) - before;
	const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
	if (!requests || /Non-2xx|Socket errors/.test(text)) throw new Error(text);
	return (spent / requests) * 1e6;
}

/** Processes of other programs that never sleep. */
function startNeighbours(count: number): Disposable {
	const all = Array.from({ length: count }, () => Bun.spawn(["sh", "-c", "while :; do :; done"]));
	return {
		[Symbol.dispose]() {
			for (const one of all) one.kill("SIGKILL");
		},
	};
}

async function measure(
	{ name, known }: Case,
	{ url, bytes, headers }: KeptRendition,
): Promise<readonly (readonly string[])[]> {
	const path = join(folder, "rendition.jpg");
	await writeFile(path, bytes);
	const question: BareServer = { path, headers };
	const barePort = Number(await bare.ask(question));
	await using nginx = await startNginx(bytes, headers);
	const etag = known ? headers.etag : undefined;
	const asked = {
		service: { pid: service.pid, url: url.href, etag },
		bare: { pid: bare.pid, url: `http://127.0.0.1:${barePort}/`, etag },
		...(nginx && { nginx: { ...nginx, url: nginx.address, etag: known ? await etagOf(nginx.address) : undefined } }),
	};
	const sides = Object.fromEntries(Object.entries(asked).map(([side, one]) => [side, () => cost(one)]));
	await untilIdle(service.pid);
	// What is compiled while it runs is no round.
	await interleaved(1, sides);
	const rows: (readonly string[])[] = [];
	for (const place of PLACES) {
		using _ = startNeighbours(place.neighbours);
		const measured = await interleaved(ROUNDS, sides);
		const ratio = (side: string, most: number) => {
			const found = ratioOf(measured.service ?? [], measured[side] ?? []);
			return [shown(found), `${verdict(found.median <= most)} (≤ ${most.toFixed(1)})`];
		};
		const own = spreadOf(measured.service ?? []).median.toFixed(1);
		const beside = nginx ? ratio("nginx", place.nginx(known)) : ["–", "–"];
		rows.push([`${name}, ${place.name} (${bytes.length} bytes)`, own, ...ratio("bare", place.bare), ...beside]);
	}
	return rows;
}

/** What an upload and a first size leave to be done has been done. */
async function untilIdle(pid: number): Promise<void> {
	for (let before = -1, now = 0; now > before; ) {
		before = now;
		await Bun.sleep(1_000);
		now = await familyCpuSeconds(pid);
		if (now - before < 0.05) return;
	}
}

async function etagOf(address: string): Promise<string> {
	return (await fetch(address, { method: "HEAD" })).headers.get("etag") ?? "";
}

try {
	console.log(pictureNote);
	const image = await service.upload(new Blob([await twelveMegapixels()]), "picture.jpg");
	const rows: (readonly string[])[] = [];
	for (const one of CASES) rows.push(...(await measure(one, await keptRendition(image.url, one.bytes))));
	printTable(
		`Processor µs of a kept answer, wrk, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each; median (min–max)`,
		["", "service", "service/bare", "target", "service/nginx", "target"],
		rows,
	);
} finally {
	await rm(folder, { recursive: true });
}
