import type { Image } from "@svc/sdk/shapes";
import { type HostileBody, hostileBodies, sendHostile, targetOf } from "../support/hostile-bodies.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { keyIn } from "../support/whole-service.ts";
import { startChild } from "./child.ts";
import { familyCpuSeconds, printTable } from "./measure.ts";
import { LAUNCH } from "./service.ts";
import type { Waits } from "./wait-client.ts";

/*
 *   bun test/bench/hostile-bodies.ts [hostile bodies of JSON for each operation]
 *
 * What hostile bodies cost: processor time of all processes of the service for each operation that takes a body, its dearest hostile one beside an ordinary
 * one, and how long another client's `GET /v1/usage` and a kept rendition wait beside four of a kind at once. A wait is what the event loop's thread
 * has used of a processor while the request was under way: the machine's other work is not in it. SVC_TEST_SERVER="node dist/server/main.js" measures
 * another runtime.
 */

const PER_OPERATION = Number(process.argv[2] ?? Number.POSITIVE_INFINITY);
const SECONDS = 0.1;
const SECONDS_PER_MB = 0.02;
const ANSWER_BYTES = 65_536;
const WAIT_MS = 100;
const AT_ONCE = 4;
const LOOKS = 60;

const server = await startProcess({ ...LAUNCH, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" });
await server.ready();
const { pid } = server.process;
await using looker = startChild("./wait-client.ts");

async function upload(): Promise<Image> {
	const body = new FormData();
	body.append("file", new Blob([await plain(600, 400, "jpeg")]), "a.jpg");
	const headers = { Authorization: `Bearer ${keyIn(server.stdout())}` };
	return (await (await fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers })).json()) as Image;
}

const image = await upload();
const target = await targetOf(server, image.id);
let networks = 0;
/** Open routes let each network try so many times. */
const freshNetwork = () => `198.18.${(networks >> 8) & 255}.${networks++ & 255}`;

interface Cost {
	readonly one: HostileBody;
	readonly status: number | undefined;
	readonly seconds: number;
	readonly megabytes: number;
	readonly bytes: number;
}

const allowed = ({ megabytes }: Cost) => Math.max(SECONDS, megabytes * SECONDS_PER_MB);
const isDear = (cost: Cost) => cost.seconds > allowed(cost) || cost.bytes > ANSWER_BYTES;

async function measureOnce(one: HostileBody): Promise<Cost> {
	const before = await familyCpuSeconds(pid);
	const answer = await sendHostile(target, one, freshNetwork());
	const bytes = (await answer?.arrayBuffer().catch(() => undefined))?.byteLength ?? 0;
	const seconds = (await familyCpuSeconds(pid)) - before;
	return { one, status: answer?.status, seconds, megabytes: one.body().length / 1e6, bytes };
}

/** What a process does for the first time, and what it cleans up, is not the body's: a dear one is sent again. */
async function measured(one: HostileBody): Promise<Cost> {
	let cost = await measureOnce(one);
	for (let again = 0; again < 2 && isDear(cost); again++) {
		const next = await measureOnce(one);
		if (next.seconds < cost.seconds) cost = next;
	}
	return cost;
}

/** The longest waits of another client beside four senders of these bodies, in milliseconds of the loop's own time. */
async function waitsBeside(
	bodies: readonly HostileBody[],
): Promise<{ readonly usage: number; readonly rendition: number }> {
	let isOver = false;
	const sending = Array.from({ length: AT_ONCE }, async (_, sender) => {
		for (let turn = sender; !isOver; turn++) {
			const one = bodies[turn % bodies.length];
			if (one) await (await sendHostile(target, one, `198.19.0.${sender}`))?.arrayBuffer().catch(() => undefined);
		}
	});
	const headers = { Authorization: `Bearer ${target.key}`, "X-Forwarded-For": "203.0.113.9" };
	const urls = [`${target.baseUrl}/v1/usage`, `${image.url}?w=100`];
	const question: Waits = { pid, urls, headers, looks: LOOKS };
	const [usage = 0, rendition = 0] = (await looker.ask(question)) as readonly number[];
	isOver = true;
	await Promise.all(sending);
	return { usage, rendition };
}

const verdictOf = (isPassed: boolean) => (isPassed ? "PASS" : "FAIL");

try {
	const bodies = await hostileBodies(PER_OPERATION);
	for (const one of bodies.slice(0, 3)) await measureOnce(one);
	const rows: string[][] = [];
	for (const [operation, all] of Map.groupBy(bodies, ({ kind, operation }) => `${kind} ${operation}`)) {
		const costs: Cost[] = [];
		for (const one of all) costs.push(await measured(one));
		const ordinary = costs.find(({ one }) => one.isOrdinary);
		const [dearest] = costs
			.filter(({ one }) => !one.isOrdinary)
			.toSorted((a, b) => b.seconds / allowed(b) - a.seconds / allowed(a));
		if (!dearest) continue;
		const longest = Math.max(...costs.map(({ bytes }) => bytes));
		rows.push([
			operation,
			dearest.one.label,
			String(all.length - 1),
			String(dearest.status ?? "cut"),
			dearest.seconds.toFixed(2),
			(dearest.seconds / dearest.megabytes).toFixed(3),
			ordinary?.seconds.toFixed(2) ?? "",
			String(longest),
			verdictOf(!costs.some(isDear)),
		]);
	}
	printTable(
		`At most ${SECONDS} s or ${SECONDS_PER_MB} s a MB of processor time, answers of ${ANSWER_BYTES} bytes`,
		["", "its dearest body", "bodies", "status", "s", "s/MB", "ordinary, s", "answer", ""],
		rows,
	);
	const beside: string[][] = [];
	for (const [kind, all] of Map.groupBy(
		bodies.filter(({ isOrdinary }) => !isOrdinary),
		({ kind }) => kind,
	)) {
		let longest = await waitsBeside(all);
		// A client that gets no processor itself, on a busy machine, counts what the loop does meanwhile.
		for (let again = 0; again < 2 && Math.max(longest.usage, longest.rendition) > WAIT_MS; again++) {
			longest = await waitsBeside(all);
		}
		const { usage, rendition } = longest;
		beside.push([kind, usage.toFixed(1), rendition.toFixed(1), verdictOf(Math.max(usage, rendition) <= WAIT_MS)]);
	}
	printTable(
		`Beside ${AT_ONCE} at once, ms of waiting for the loop`,
		["", "GET /v1/usage", "a kept rendition", `${WAIT_MS} ms`],
		beside,
	);
	if ([...rows, ...beside].some((row) => row.at(-1) === "FAIL")) process.exitCode = 1;
} finally {
	await server.stop();
	await removeData(server.dataDir);
}
