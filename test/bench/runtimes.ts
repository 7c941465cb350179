import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleService } from "@svc/deploy/bundle";
import { RUNTIMES } from "../support/runtimes.ts";
import { familyCpuSeconds, interleaved, printTable, ratioOf, spreadOf } from "./measure.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import { type BenchService, startBenchService } from "./service.ts";

/*
 * What a request costs on each runtime, in processor time of the service and its workers, and against Bun. Rates would say more about what
 * else the machine does.
 */

const ROUNDS = 7;
const AT_ONCE = 8;
const SERVING = ["Bun", "Node 22", "Node 24", "Deno"];

interface Side {
	readonly service: BenchService;
	/** Of a picture that is there. */
	readonly url: string;
}

/** What is asked for, and how often in a round. `turn` differs for each request of a side. */
const KINDS: readonly (readonly [string, number, (side: Side, turn: number) => Promise<Response>])[] = [
	["GET image, cached", 1_000, ({ url }) => fetch(`${url}?w=400`)],
	["list of images", 400, ({ service }) => fetch(`${service.baseUrl}/v1/images`, { headers: service.headers })],
	["upload", 20, ({ service }) => service.send(new Blob([picture]), "picture.jpg")],
	["GET image, rendered", 20, ({ url }, turn) => fetch(`${url}?w=${200 + turn}`)],
];

const picture = await twelveMegapixels();
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
await using all = new AsyncDisposableStack();
all.defer(() => rm(folder, { recursive: true, force: true }));

async function startSides(): Promise<Record<string, Side>> {
	await bundleService(folder);
	const sides: Record<string, Side> = {};
	for (const { name, isMissing, command } of RUNTIMES) {
		if (isMissing || !SERVING.includes(name)) continue;
		const program = name === "Bun" ? undefined : [...command(), join(folder, "main.js")];
		const service = all.use(await startBenchService({ SVC_TUNING: "warm_sizes=off" }, program));
		sides[name] = { service, url: (await service.upload(new Blob([picture]), "picture.jpg")).url };
	}
	return sides;
}

/** Milliseconds of the processor for each request. */
async function cost(side: Side, count: number, first: number, ask: (side: Side, turn: number) => Promise<Response>) {
	const before = await familyCpuSeconds(side.service.pid);
	let turn = 0;
	const asker = async () => {
		while (turn < count) {
			const answer = await ask(side, first + turn++);
			if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
			await answer.arrayBuffer();
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, asker));
	return (((await familyCpuSeconds(side.service.pid)) - before) * 1_000) / count;
}

const sides = await startSides();
const names = Object.keys(sides);
const rows: string[][] = [];
for (const [kind, count, ask] of KINDS) {
	const measured = await interleaved(
		ROUNDS,
		Object.fromEntries(
			Object.entries(sides).map(([name, side]) => [name, (round: number) => cost(side, count, round * count, ask)]),
		),
	);
	// The first round makes code and caches warm.
	const warm = (name: string) => (measured[name] ?? []).slice(1);
	const cells = names.map((name) => {
		const times = ratioOf(warm(name), warm("Bun")).median;
		return `${spreadOf(warm(name)).median.toFixed(2)} (${times.toFixed(1)}×)`;
	});
	rows.push([kind, ...cells]);
}
printTable(
	`Milliseconds of the processor for a request, and how many times Bun's; ${ROUNDS - 1} rounds, median. ${pictureNote}`,
	["", ...names],
	rows,
);
