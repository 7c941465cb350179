import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleService } from "@svc/deploy/bundle";
import { removeData, SERVER_PROGRAM, startProcess } from "../support/process.ts";
import { cpuSeconds, interleaved, printTable, ratioOf, residentOf, shown, spreadOf, verdict } from "./measure.ts";
import { LAUNCH } from "./service.ts";

/*
 * bun test/bench/start.ts [rounds]: what a start of the service takes in processor time until its first chores are done, and its memory then: of the
 * built folder, which `npm start` runs, and of its sources as they stand. The processes that open pictures are not counted.
 */

const ROUNDS = Number(process.argv[2] ?? 5);
/** By then the first round of all chores is over. */
const REST_MS = 4_000;
const MOST_SECONDS = 0.5;
const MOST_MEGABYTES = 100;

const folder = await mkdtemp(join(tmpdir(), "svc-start-"));
const built = join(folder, "server");
await bundleService(built, { target: "bun" });

interface Start {
	readonly seconds: number;
	readonly megabytes: number;
}

/** Another start on the same data: the first one makes the database. */
async function start(program: readonly string[]): Promise<Start> {
	const env = { ...LAUNCH, SVC_TUNING: "warm_sizes=on", SVC_DATA_DIR: join(folder, "data") };
	const server = await startProcess(env, { program });
	await server.ready();
	await Bun.sleep(REST_MS);
	const { pid } = server.process;
	const seconds = await cpuSeconds(pid);
	const { now } = await residentOf(pid);
	await server.stop();
	return { seconds, megabytes: now / 1e6 };
}

const sides = {
	built: () => start([process.execPath, join(built, "main.js")]),
	sources: () => start(SERVER_PROGRAM),
};
try {
	await sides.built();
	const measured = await interleaved(ROUNDS, sides);
	const seconds = (side: keyof typeof sides) => measured[side].map((one) => one.seconds);
	const rows = (["built", "sources"] as const).map((side) => {
		const time = spreadOf(seconds(side));
		const memory = spreadOf(measured[side].map(({ megabytes }) => megabytes));
		const met = verdict(time.median <= MOST_SECONDS && memory.median <= MOST_MEGABYTES);
		return [side, shown(time), shown(ratioOf(seconds(side), seconds("sources"))), shown(memory, 0), met];
	});
	printTable(
		`A start, ${ROUNDS} rounds: median (least–most)`,
		["", "processor s", "of the sources'", "MB at rest", `${MOST_SECONDS} s, ${MOST_MEGABYTES} MB`],
		rows,
	);
} finally {
	await removeData(folder);
}
