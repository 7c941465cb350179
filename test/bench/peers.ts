import { familyCpuSeconds, interleaved, printTable, ratioOf, shown, spreadOf } from "./measure.ts";
import { apiScene } from "./peers/api-rows.ts";
import { keptScene } from "./peers/kept-rows.ts";
import type { Row, Scene, Side } from "./peers/peer.ts";
import { pictureScene } from "./peers/picture-rows.ts";

/*
 *   bun test/bench/peers.ts [what the name of a row matches] [rounds]
 *
 * Processor time of one answer here, and as a ratio to that of each other program on the PATH: below 1 it is cheaper here. Rounds alternate
 * between the programs, whatever else the machine does. Missing programs are left out.
 */

const [part = "", rounds = "7"] = process.argv.slice(2);
const SCENES: readonly (() => Promise<Scene>)[] = [apiScene, keptScene, pictureScene];

/** The kernel counts in hundredths of a second. */
const ROUND_SECONDS = 0.5;
const MOST_PER_ROUND = 20_000;
/** What a runtime compiles in its first second is not what an answer costs. */
const WARM_SECONDS = 1;
const TRIED = 20;

for (const open of SCENES) {
	await using scene = await open();
	const rows = scene.rows.filter(({ name }) => new RegExp(part).test(name));
	if (rows.length === 0) continue;
	const peers = [...new Set(rows.flatMap(({ sides }) => Object.keys(sides)))].filter((name) => name !== "svc");
	const cells: string[][] = [];
	for (const row of rows) cells.push(await measure(row, peers));
	const [dear, quick] = [peers.map((name) => `svc/${name}`), peers.map((name) => `a second, svc/${name}`)];
	const title = `Processor time of an answer, and answers a second, ${rounds} rounds; median (min–max)`;
	printTable(title, [scene.title, "svc, ms", ...dear, ...quick, "bytes"], cells);
	for (const line of scene.settings) console.log(line);
}

/** Of one answer: seconds of the processor, and of the clock divided by how many are under way. */
interface Cost {
	readonly processor: number;
	readonly clock: number;
}

async function measure(
	{ name, atOnce, most = MOST_PER_ROUND, sides }: Row,
	peers: readonly string[],
): Promise<string[]> {
	const bytes: string[] = [];
	const timed: Record<string, () => Promise<Cost>> = {};
	for (const [program, side] of Object.entries(sides)) {
		let turn = 0;
		const asked = async (count: number): Promise<Cost> => {
			await side.stock?.(count);
			const [before, start, from] = [await familyCpuSeconds(side.pid), performance.now(), turn];
			turn += count;
			await askAll(side, from, count, atOnce);
			const clock = (performance.now() - start) / 1_000 / count;
			return { processor: ((await familyCpuSeconds(side.pid)) - before) / count, clock };
		};
		await side.stock?.(1);
		bytes.push(`${program} ${await side.ask(turn++)}`);
		const each = await warmed(asked, most);
		const count = Math.ceil(Math.min(most, Math.max(atOnce, ROUND_SECONDS / each)));
		timed[program] = () => asked(count);
	}
	const measured = await interleaved(Number(rounds), timed);
	const of = (program: string, what: keyof Cost) => (measured[program] ?? []).map((cost) => cost[what]);
	const beside = (numerator: string, denominator: string, what: keyof Cost) =>
		measured[numerator] && measured[denominator] ? shown(ratioOf(of(numerator, what), of(denominator, what))) : "–";
	const dear = peers.map((peer) => beside("svc", peer, "processor"));
	const quick = peers.map((peer) => beside(peer, "svc", "clock"));
	return [name, (spreadOf(of("svc", "processor")).median * 1_000).toFixed(3), ...dear, ...quick, bytes.join(", ")];
}

/** Asks until it is warm, and says about how many seconds of the processor one answer takes. */
async function warmed(asked: (count: number) => Promise<Cost>, most: number): Promise<number> {
	let [spent, last] = [0, 0];
	for (let count = TRIED; spent < WARM_SECONDS; count = Math.min(2 * count, MOST_PER_ROUND)) {
		last = (await asked(Math.min(count, most))).processor;
		if (count >= most) break;
		// Where an answer takes next to nothing, the kernel may have counted nothing yet.
		spent += Math.max(last * count, WARM_SECONDS / 50);
	}
	return last;
}

async function askAll(side: Side, from: number, count: number, atOnce: number): Promise<void> {
	let next = from;
	const caller = async () => {
		while (next < from + count) await side.ask(next++);
	};
	await Promise.all(Array.from({ length: atOnce }, caller));
}
