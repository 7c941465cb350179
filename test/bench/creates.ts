import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { type Child, startChild } from "./child.ts";
import { cpuSeconds, familyCpuSeconds, interleaved, printTable, ratioOf, shown, spreadOf } from "./measure.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import { type BenchService, startBenchService } from "./service.ts";

/*
 *   bun test/bench/creates.ts [rounds] [part of a row's name]
 *
 * Processor time of one create with all that follows it, of all processes of the service from the first POST until it rests, beside that of a bare
 * decode of the same file by the same library. BENCH_ROOT=<folder> has the service of another tree measured in turn.
 */

const [rounds = "9", part = ""] = process.argv.slice(2);
const CREATES = 40;
const AT_ONCE = 4;
const WARM_ROUNDS = 4;
/** A service that uses less than this in a step rests: a hundredth of a second is the least that the kernel counts. */
const STEP_MS = 500;
const RESTING_SECONDS = 0.015;

const SIZES = { "600×400": [600, 400], "1 MP": [1_224, 816], "3 MP": [2_048, 1_365] } as const;

type Starter = typeof startBenchService;
const other = process.env.BENCH_ROOT;
const starters: Record<string, Starter> = {
	svc: startBenchService,
	...(other !== undefined && {
		other: ((await import(`${other}/test/bench/service.ts`)) as { startBenchService: Starter }).startBenchService,
	}),
};

interface Cost {
	readonly service: number;
	readonly workers: number;
}

await using open = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
open.defer(() => rm(folder, { recursive: true }));
const bare = open.use(startChild("./bare-decode.ts"));
const services: Record<string, BenchService> = {};
for (const [name, start] of Object.entries(starters)) services[name] = open.use(await start());
const camera = await twelveMegapixels();
const cells: string[][] = [];
for (const [name, [width, height]] of Object.entries(SIZES)) {
	if (!name.includes(part)) continue;
	const bytes = await sharp(camera).autoOrient().resize(width, height).jpeg({ quality: 85 }).toBuffer();
	const path = join(folder, "picture.jpg");
	await writeFile(path, bytes);
	for (const service of Object.values(services))
		for (let round = 0; round < WARM_ROUNDS; round++) await createAll(service, bytes);
	await decodeAll(bare, path);
	const sides = Object.fromEntries(
		Object.entries(services).map(([side, service]) => [side, () => createAll(service, bytes)] as const),
	);
	const measured = await interleaved<string, Cost>(Number(rounds), { ...sides, bare: () => decodeAll(bare, path) });
	const totals = (side: string) => (measured[side] ?? []).map(({ service, workers }) => service + workers);
	for (const side of Object.keys(services)) {
		const costs = measured[side] ?? [];
		const ms = (values: readonly number[]) => shown(spreadOf(values.map((value) => value * 1_000)), 1);
		const row = [ms(totals(side)), ms(costs.map(({ service }) => service)), ms(costs.map(({ workers }) => workers))];
		const others = Object.keys(services).filter((one) => one !== side);
		const ratios = others.map((one) => shown(ratioOf(totals(side), totals(one))));
		cells.push([
			`${name} (${side})`,
			...row,
			ms(totals("bare")),
			shown(ratioOf(totals(side), totals("bare"))),
			...ratios,
		]);
	}
}
printTable(
	`Processor time of a create with all that follows, ${CREATES} a round, ${AT_ONCE} at once, ${rounds} rounds; median (min–max)`,
	["JPEG", "ms", "service", "workers", "a decode", "create/decode", ...(other === undefined ? [] : ["to the other"])],
	cells,
);
console.log(pictureNote);

async function createAll(service: BenchService, bytes: Uint8Array): Promise<Cost> {
	const before = await spent(service.pid);
	let left = CREATES;
	const caller = async () => {
		// Another file each time: what follows a picture does not count as a part of it.
		while (left-- > 0) await service.upload(new Blob([new Uint8Array(bytes), crypto.randomUUID()]), "picture.jpg");
	};
	await Promise.all(Array.from({ length: AT_ONCE }, caller));
	const after = await rested(service.pid);
	return { service: (after.service - before.service) / CREATES, workers: (after.workers - before.workers) / CREATES };
}

async function rested(pid: number): Promise<Cost> {
	for (let last = await spent(pid); ; ) {
		await Bun.sleep(STEP_MS);
		const now = await spent(pid);
		if (now.service + now.workers - last.service - last.workers <= RESTING_SECONDS) return now;
		last = now;
	}
}

async function spent(pid: number): Promise<Cost> {
	const [service, all] = [await cpuSeconds(pid), await familyCpuSeconds(pid)];
	return { service, workers: all - service };
}

async function decodeAll(child: Child, path: string): Promise<Cost> {
	const before = await cpuSeconds(child.pid);
	await child.ask({ path, times: CREATES });
	return { service: ((await cpuSeconds(child.pid)) - before) / CREATES, workers: 0 };
}
