import { plain } from "../support/pictures.ts";
import { familyCpuSeconds, interleaved, printTable, ratioOf, shown, verdict } from "./measure.ts";
import { startBenchService } from "./service.ts";

/*
 * What a batch of 50 images costs against a call about one, in time and in processor time of the service: `bun test/bench/batches.ts
 * [rounds]`. Each batch is one commit.
 */

const ROUNDS = Number(process.argv[2] ?? 3);
const SIZE = 50;
/** In a round: the kernel counts processor time in hundredths of a second. */
const BATCHES = 6;
const SINGLES = 60;
const MOST = 5;

await using service = await startBenchService({ SVC_TUNING: "warm_sizes=off" });
const file = new Blob([await plain(8, 8)]);

interface Cost {
	readonly seconds: number;
	readonly cpu: number;
}

async function uploads(count: number): Promise<string[]> {
	const ids: string[] = [];
	for (let place = 0; place < count; place++)
		ids.push((await service.upload(file, "a.png", { labels: '{"a":"b"}' })).id);
	return ids;
}

async function sent(method: string, path: string, body?: object): Promise<void> {
	const answer = await fetch(`${service.baseUrl}/v1/images/${path}`, {
		method,
		headers: { ...service.headers, "Content-Type": "application/json" },
		...(body && { body: JSON.stringify(body) }),
	});
	if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
	await answer.arrayBuffer();
}

/** Of one call of several that go one after the other. */
async function costOf(calls: readonly (() => Promise<void>)[]): Promise<Cost> {
	const [startMs, before] = [performance.now(), await familyCpuSeconds(service.pid)];
	for (const call of calls) await call();
	const cpu = (await familyCpuSeconds(service.pid)) - before;
	return { seconds: (performance.now() - startMs) / 1_000 / calls.length, cpu: cpu / calls.length };
}

const calls = (ids: readonly string[], count: number, call: (mine: readonly string[], turn: number) => Promise<void>) =>
	Array.from({ length: count }, (_, turn) => () => call(ids.slice(turn * SIZE, (turn + 1) * SIZE), turn));

const kept = await uploads(SIZE);
const change = (turn: number) => ({ caption: `turn ${turn} ${crypto.randomUUID()}`, labels: { a: String(turn) } });
const sides = {
	change: {
		batch: () => costOf(calls(kept, BATCHES, (_, turn) => sent("PATCH", "batch", { ids: kept, ...change(turn) }))),
		one: () => costOf(calls(kept, SINGLES, (_, turn) => sent("PATCH", kept[turn % SIZE] ?? "", change(turn)))),
	},
	delete: {
		batch: async () => costOf(calls(await uploads(BATCHES * SIZE), BATCHES, (ids) => sent("DELETE", "batch", { ids }))),
		one: async () => {
			const ids = await uploads(SINGLES);
			return costOf(calls(ids, SINGLES, (_, turn) => sent("DELETE", ids[turn] ?? "")));
		},
	},
};
const rows: string[][] = [];
for (const [name, { batch, one }] of Object.entries(sides)) {
	await interleaved(1, { batch, one });
	const measured = await interleaved(ROUNDS, { batch, one });
	const ratio = (of: keyof Cost) =>
		ratioOf(...([measured.batch, measured.one].map((costs) => costs.map((cost) => cost[of])) as [number[], number[]]));
	const [time, cpu] = [ratio("seconds"), ratio("cpu")];
	rows.push([name, shown(time), shown(cpu), verdict(Math.max(time.median, cpu.median) <= MOST)]);
}
printTable(
	`A batch of ${SIZE} against one, ${ROUNDS} rounds; median (min–max)`,
	["", "time", "processor", `at most ${MOST}`],
	rows,
);
