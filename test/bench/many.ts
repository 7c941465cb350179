import { startLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { fakeS3 } from "../support/s3.ts";
import { cpuSeconds, printTable, verdict } from "./measure.ts";
import { LAUNCH } from "./service.ts";

/*
 *   bun test/bench/many.ts [calls to a side] [at once] [strong | relaxed]
 *
 * What three processes on one libSQL server and one bucket do, against one: in processor time per answer, since a machine with fewer
 * processors than processes can show nothing else. A call keeps a process busy for its own time, and the database server, which there is once, for
 * its time: so n processes answer n times as much as one, until the server is busy all the time. Needs sqld on the PATH, or SQLD.
 *
 * A process has as many calls at once beside others as alone, a third of those that three have: the more of them go together, the less each costs the server. Both sides
 * of the ratio are taken from the load with three. Where there are fewer processors than processes, these and the server take each other's caches, and a call costs each of them more
 * than it does alone, so that one process measured by itself would be compared with three on a slower machine. What it takes by itself is in the columns "alone", and the ratio to that beside them.
 *
 * Without the last word both ways of keeping a commit are measured, each by a process of its own: a server that syncs each commit, and one that does not. What the one writer takes
 * in a second then depends on the disk as well, so that the last table has ratios of what three processes were answered in the time that went by.
 *
 * A process that gets cheaper answers more by itself and reaches the server's bound with fewer beside it: the ratio falls then, though more is
 * answered. So the last columns say what one and three answer a second, with a processor for each, and from which time of a process on
 * the ratio would be met with the server's time as it is. A change in the table meets others of the same image in other processes, and is made again, about one time in six; the
 * row below it is of changes that do not.
 */

const COUNT = Number(process.argv[2] ?? 1_500);
/** Two rows of creates, with one process alone as well, within the images that an App may have. */
const CREATES = Math.min(COUNT, 1_500);
const PROCESSES = 3;
const AT_ONCE = Number(process.argv[3] ?? 64);
const TARGET = 2.5;
const HEAD = [
	...["", "process, ms", "server, ms", "with three", `at least ${TARGET}`, "alone: process", "server", "to alone"],
	...["one, three, a second", "met from, ms"],
];

const MODES = ["strong", "relaxed"] as const;
type Mode = (typeof MODES)[number];
/** Of rows that change anything: what three processes were answered in a second. */
type Rates = Readonly<Record<string, number>>;
const RATES = "answers a second";
const given = MODES.find((mode) => mode === process.argv[4]);
if (given === undefined) await compare();
const mode: Mode = given ?? "strong";

/** Measures both, each by itself, and ends. */
async function compare(): Promise<never> {
	const found: Rates[] = [];
	for (const mode of MODES) {
		const own = [import.meta.filename, String(COUNT), String(AT_ONCE), mode];
		const ran = Bun.spawnSync([process.execPath, ...own], { stderr: "inherit" });
		const [shown = "", rates = "{}"] = ran.stdout.toString().split(RATES);
		process.stdout.write(`${shown}\n`);
		found.push(JSON.parse(rates) as Rates);
	}
	const [strong = {}, relaxed = {}] = found;
	const rows = Object.entries(strong).map(([name, rate]) => [name, `${((relaxed[name] ?? 0) / rate).toFixed(2)} ×`]);
	printTable("Answers a second of three processes, relaxed against strong", ["", "relaxed to strong"], rows);
	process.exit(0);
}

const server = await startLibsql(["--checkpoint-interval-s", "10"]);
await server.keepCommits(mode);
const bucket = await fakeS3();
const env = {
	...LAUNCH,
	...{ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error", SVC_TUNING: "warm_sizes=off" },
	...{ SVC_DATABASE_URL: server.url, ...bucket.env },
};
const first = await startProcess(env);
await first.ready();
const key = await firstKey(first);
const others = await Promise.all(Array.from({ length: PROCESSES - 1 }, () => startProcess(env)));
for (const other of others) await other.ready();
const all = [first, ...others];
const headers = { Authorization: `Bearer ${key}` };
const file = await plain(60, 40, "jpeg");
/** Some are in the hands of several calls at times, and of all of them none. */
const FEW = AT_ONCE;
const MANY = Math.min(512, COUNT);
const images: Stored[] = [];
while (images.length < Math.max(MANY, FEW))
	images.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => stored(first)))));
let next = 0;
/** Each call is about another image than the one before it. */
const another = (among = FEW): Stored => images[next++ % among] ?? { id: "", path: "" };

const calls: Readonly<Record<string, (at: ServerProcess) => Promise<Response>>> = {
	"a kept picture": ({ cdnUrl }) => fetch(`${cdnUrl}${another().path}?w=30`),
	"reading an image": ({ baseUrl }) => fetch(`${baseUrl}/v1/images/${another().id}`, { headers }),
	"a list": ({ baseUrl }) => fetch(`${baseUrl}/v1/images?limit=10`, { headers }),
	"a change": (at) => change(at, another()),
	"a change that meets none": (at) => change(at, another(images.length)),
	"a create": (at) => create(at),
	"a create with a key": (at) => create(at, { "Idempotency-Key": crypto.randomUUID() }),
};

const rates: Record<string, number> = {};
const rows: string[][] = [];
for (const [name, call] of Object.entries(calls)) {
	rows.push(await measured(name, call, name.startsWith("a create") ? CREATES : COUNT));
}
const title = `Processor time per answer, ${COUNT} calls, ${AT_ONCE} at once, to three processes in turn; commits are ${mode}`;
printTable(title, HEAD, rows);
process.stdout.write(`${RATES}${JSON.stringify(rates)}`);
for (const one of all) {
	await one.stop();
	await removeData(one.dataDir);
}
await bucket.close();
await server[Symbol.asyncDispose]();
process.exit(0);

type Side = (at: ServerProcess) => Promise<Response>;

async function measured(name: string, call: Side, calls: number): Promise<string[]> {
	// Each process knows each picture and each caller before.
	for (const one of all) for (let warm = 0; warm < FEW; warm += 1) await (await call(one)).arrayBuffer();
	const beganMs = performance.now();
	const three = await load(all, call, calls);
	if (/change|create/.test(name)) rates[name] = (calls * 1_000) / (performance.now() - beganMs);
	const alone = await load([first], call, calls / PROCESSES);
	// Of one process alone either side is the limit, too.
	const [one, oneAlone] = [three, alone].map(({ processMs, serverMs }) => Math.max(processMs, serverMs));
	const ms = Math.max(three.processMs / all.length, three.serverMs);
	const gain = (one ?? 0) / ms;
	return [
		...[name, shownMs(three.processMs), shownMs(three.serverMs), `${gain.toFixed(2)} ×`, verdict(gain >= TARGET)],
		...[shownMs(alone.processMs), shownMs(alone.serverMs), `${((oneAlone ?? 0) / ms).toFixed(2)} ×`],
		...[`${(1_000 / (one ?? 0)).toFixed(0)}, ${(1_000 / ms).toFixed(0)}`, shownMs(three.serverMs * TARGET)],
	];
}

/** So many calls to these processes in turn, with as many at once to each; milliseconds of processor time per answer. */
async function load(processes: readonly ServerProcess[], call: Side, calls: number) {
	const before = await times();
	const atOnce = Math.round((AT_ONCE * processes.length) / PROCESSES);
	let turn = 0;
	await Promise.all(
		Array.from({ length: atOnce }, async () => {
			while (turn < calls) {
				const answer = await call(processes[turn++ % processes.length] ?? first);
				if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
				await answer.arrayBuffer();
			}
		}),
	);
	const after = await times();
	return {
		processMs: ((after.processes - before.processes) / turn) * 1_000,
		serverMs: ((after.server - before.server) / turn) * 1_000,
	};
}

function shownMs(ms: number): string {
	return ms.toFixed(2);
}

async function times() {
	const each = await Promise.all(all.map((one) => cpuSeconds(one.process.pid)));
	return { processes: each.reduce((sum, one) => sum + one, 0), server: await cpuSeconds(server.pid) };
}

function change({ baseUrl }: ServerProcess, { id }: Stored): Promise<Response> {
	return fetch(`${baseUrl}/v1/images/${id}`, {
		method: "PATCH",
		headers: { ...headers, "Content-Type": "application/json" },
		body: JSON.stringify({ caption: crypto.randomUUID() }),
	});
}

function create({ baseUrl }: ServerProcess, more: Readonly<Record<string, string>> = {}): Promise<Response> {
	const body = new FormData();
	body.append("file", new Blob([file]), "a.jpg");
	return fetch(`${baseUrl}/v1/images`, { method: "POST", body, headers: { ...headers, ...more } });
}

interface Stored {
	readonly id: string;
	readonly path: string;
}

async function stored(at: ServerProcess): Promise<Stored> {
	const image = (await (await create(at)).json()) as { id: string; url: string };
	return { id: image.id, path: new URL(image.url).pathname };
}

async function firstKey({ stdout }: ServerProcess): Promise<string> {
	for (let tries = 0; tries < 400; tries++) {
		const found = /svc_sk_test_[0-9A-Za-z]{38}/.exec(stdout())?.[0];
		if (found) return found;
		await Bun.sleep(25);
	}
	throw new Error("the first start printed no key");
}
