import { startLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { fakeS3 } from "../support/s3.ts";
import { cpuSeconds, printTable, verdict } from "./measure.ts";
import { LAUNCH } from "./service.ts";

/*
 *   bun test/bench/many.ts [calls to a side]
 *
 * What three processes on one libSQL server and one bucket do, against one: in processor time per answer, since a machine with fewer
 * processors than processes can show nothing else. A call keeps a process busy for its own time, and the database server, which there is once, for
 * its time: so n processes answer n times as much as one, until the server is busy all the time. Needs sqld on the PATH, or SQLD.
 *
 * A process that gets cheaper answers more by itself and reaches the server's bound with fewer beside it: the ratio falls then, though more is
 * answered. So the last columns say what one and three answer a second, with a processor for each, and from which time of a process on
 * the ratio would be met with the server's time as it is. A change in the table meets others of the same image in other processes, and is made again, about one time in six.
 */

const COUNT = Number(process.argv[2] ?? 1_500);
const AT_ONCE = 64;
const TARGET = 2.5;
const HEAD = [
	"",
	"process, ms",
	"server, ms",
	"with three",
	`at least ${TARGET}`,
	"one, three, a second",
	"met from, ms",
];

const server = await startLibsql(["--checkpoint-interval-s", "10"]);
const bucket = await fakeS3();
const env = {
	...LAUNCH,
	...{ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error", SVC_WARM_SIZES: "off" },
	...{ SVC_DATABASE_URL: server.url, ...bucket.env },
};
const first = await startProcess(env);
await first.ready();
const key = await firstKey(first);
const others = await Promise.all([startProcess(env), startProcess(env)]);
for (const other of others) await other.ready();
const all = [first, ...others];
const headers = { Authorization: `Bearer ${key}` };
const file = await plain(60, 40, "jpeg");
const images = await Promise.all(Array.from({ length: AT_ONCE }, () => stored(first)));
let next = 0;
/** Each call is about another image than the one before it. */
const another = () => images[next++ % AT_ONCE] ?? { id: "", path: "" };

const calls: Readonly<Record<string, (at: ServerProcess) => Promise<Response>>> = {
	"a kept picture": ({ cdnUrl }) => fetch(`${cdnUrl}${another().path}?w=30`),
	"reading an image": ({ baseUrl }) => fetch(`${baseUrl}/v1/images/${another().id}`, { headers }),
	"a list": ({ baseUrl }) => fetch(`${baseUrl}/v1/images?limit=10`, { headers }),
	"a change": ({ baseUrl }) =>
		fetch(`${baseUrl}/v1/images/${another().id}`, {
			method: "PATCH",
			headers: { ...headers, "Content-Type": "application/json" },
			body: JSON.stringify({ caption: crypto.randomUUID() }),
		}),
	"a create": (at) => create(at),
};

const rows: string[][] = [];
for (const [name, call] of Object.entries(calls)) rows.push(await measured(name, call));
printTable(`Processor time per answer, ${COUNT} calls, ${AT_ONCE} at once, to three processes in turn`, HEAD, rows);
for (const one of all) {
	await one.stop();
	await removeData(one.dataDir);
}
await bucket.close();
await server[Symbol.asyncDispose]();
process.exit(0);

async function measured(name: string, call: (at: ServerProcess) => Promise<Response>): Promise<string[]> {
	// Each process knows each picture and each caller before.
	for (const one of all) {
		for (let warm = 0; warm < images.length; warm += 1) await (await call(one)).arrayBuffer();
	}
	const before = await times();
	let turn = 0;
	await Promise.all(
		Array.from({ length: AT_ONCE }, async () => {
			while (turn < COUNT) {
				const answer = await call(all[turn++ % all.length] ?? first);
				if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
				await answer.arrayBuffer();
			}
		}),
	);
	const after = await times();
	const processMs = ((after.processes - before.processes) / turn) * 1_000;
	const serverMs = ((after.server - before.server) / turn) * 1_000;
	// Of one process alone either side is the limit, too.
	const one = Math.max(processMs, serverMs);
	const gain = one / Math.max(processMs / all.length, serverMs);
	const [alone, together] = [one, one / gain].map((ms) => (1_000 / ms).toFixed(0));
	return [
		...[name, processMs.toFixed(2), serverMs.toFixed(2), `${gain.toFixed(2)} ×`, verdict(gain >= TARGET)],
		...[`${alone}, ${together}`, (serverMs * TARGET).toFixed(2)],
	];
}

async function times() {
	const each = await Promise.all(all.map((one) => cpuSeconds(one.process.pid)));
	return { processes: each.reduce((sum, one) => sum + one, 0), server: await cpuSeconds(server.pid) };
}

function create({ baseUrl }: ServerProcess): Promise<Response> {
	const body = new FormData();
	body.append("file", new Blob([file]), "a.jpg");
	return fetch(`${baseUrl}/v1/images`, { method: "POST", body, headers });
}

async function stored(at: ServerProcess): Promise<{ id: string; path: string }> {
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
