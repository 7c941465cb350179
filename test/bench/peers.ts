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
	const head = [scene.title, "svc, ms", ...peers.map((name) => `svc/${name}`), "bytes"];
	printTable(`Processor time of an answer, ${rounds} rounds; median (min–max)`, head, cells);
	for (const line of scene.settings) console.log(line);
}

async function measure({ name, atOnce, sides }: Row, peers: readonly string[]): Promise<string[]> {
	const bytes: string[] = [];
	const timed: Record<string, () => Promise<number>> = {};
	for (const [program, side] of Object.entries(sides)) {
		let turn = 0;
		const asked = async (count: number) => {
			const [before, from] = [await familyCpuSeconds(side.pid), turn];
			turn += count;
			await askAll(side, from, count, atOnce);
			return ((await familyCpuSeconds(side.pid)) - before) / count;
		};
		bytes.push(`${program} ${await side.ask(turn++)}`);
		const each = await warmed(asked);
		const count = Math.ceil(Math.min(MOST_PER_ROUND, Math.max(atOnce, ROUND_SECONDS / each)));
		timed[program] = () => asked(count);
	}
	const measured = await interleaved(Number(rounds), timed);
	const own = measured.svc ?? [];
	const ratios = peers.map((peer) => (measured[peer] ? shown(ratioOf(own, measured[peer])) : "–"));
	return [name, (spreadOf(own).median * 1_000).toFixed(3), ...ratios, bytes.join(", ")];
}

/** Asks until it is warm, and says about how many seconds of the processor one answer takes. */
async function warmed(asked: (count: number) => Promise<number>): Promise<number> {
	let [spent, last] = [0, 0];
	for (let count = TRIED; spent < WARM_SECONDS; count = Math.min(2 * count, MOST_PER_ROUND)) {
		last = await asked(count);
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
