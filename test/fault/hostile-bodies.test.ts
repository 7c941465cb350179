import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { familyCpuSeconds } from "../bench/measure.ts";
import {
	type HostileBody,
	hostileBodies,
	type Kind,
	sendHostile,
	type Target,
	targetOf,
} from "../support/hostile-bodies.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { loopMs } from "../support/thread-clock.ts";
import { keyIn } from "../support/whole-service.ts";
import { found } from "./scoreboard.ts";

/*
 * Bodies that are nothing but work, at the started program: what they cost it, and what others wait for beside them, in processor time. `test/bench/hostile-bodies.ts`
 * prints each operation.
 */

/** Of JSON, for each operation. */
const PER_OPERATION = Number(process.env.SVC_TEST_HOSTILE_BODIES ?? 1);
const KINDS: readonly Kind[] = ["multipart", "urlencoded", "JSON"];
/** A body alone: so long, or so long for each megabyte. A process that is new to one is slower, and ticks are of 10 ms. */
const SECONDS = 0.1;
const SECONDS_PER_MEGABYTE = 0.02;
const ANSWER_BYTES = 65_536;
const WAIT_MS = 100;
const TRIES = 3;
const LOOKS = 15;

let server: ServerProcess;
let target: Target;
let rendition: string;
let bodies: readonly HostileBody[];

beforeAll(async () => {
	server = await startProcess({ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" });
	await server.ready();
	const body = new FormData();
	body.append("file", new Blob([await plain(300, 200, "jpeg")]), "a.jpg");
	const headers = { Authorization: `Bearer ${keyIn(server.stdout())}` };
	const made = await fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers });
	const { id, url } = (await made.json()) as Image;
	rendition = `${url}?w=100`;
	await (await fetch(rendition)).arrayBuffer();
	target = await targetOf(server, id);
	bodies = (await hostileBodies(PER_OPERATION)).filter(({ isOrdinary }) => !isOrdinary);
});
afterAll(async () => {
	await server.stop();
	await removeData(server.dataDir);
});

const of = (kind: Kind) => bodies.filter((one) => one.kind === kind);
let networks = 0;

async function costOf(one: HostileBody): Promise<{ readonly seconds: number; readonly bytes: number }> {
	const { pid } = server.process;
	const before = await familyCpuSeconds(pid);
	const answer = await sendHostile(target, one, `198.18.${networks >> 8}.${networks++ & 255}`);
	if (answer)
		expect([one.operation, one.label, answer.status >= 400 && answer.status < 500]).toEqual([
			one.operation,
			one.label,
			true,
		]);
	const bytes = (await answer?.arrayBuffer().catch(() => undefined))?.byteLength ?? 0;
	return { bytes, seconds: (await familyCpuSeconds(pid)) - before };
}

/** A client that gets no processor itself, on a busy machine, counts what the loop does meanwhile: a series that was too long is begun anew. */
async function longestWait(kind: Kind, url: string): Promise<number> {
	let longest = await longestWaitOnce(kind, url);
	for (let again = 1; again < TRIES && longest > WAIT_MS; again++) {
		longest = Math.min(longest, await longestWaitOnce(kind, url));
	}
	return longest;
}

/** The most that a look took of the loop while four send. */
async function longestWaitOnce(kind: Kind, url: string): Promise<number> {
	const sent = of(kind);
	let isOver = false;
	const sending = [0, 1, 2, 3].map(async (sender) => {
		for (let turn = sender; !isOver; turn++) {
			const one = sent[turn % sent.length];
			if (one) await (await sendHostile(target, one, `198.19.0.${sender}`))?.arrayBuffer().catch(() => undefined);
		}
	});
	const headers = { Authorization: `Bearer ${target.key}`, "X-Forwarded-For": "203.0.113.9" };
	const waits: number[] = [];
	for (let look = 0; look < LOOKS; look++) {
		const before = await loopMs(server.process.pid);
		const answer = await fetch(url, { headers });
		await answer.arrayBuffer();
		waits.push((await loopMs(server.process.pid)) - before);
		expect(answer.status).toBe(200);
	}
	isOver = true;
	await Promise.all(sending);
	return Math.max(...waits);
}

describe.each([...KINDS])("hostile bodies: %s", (kind) => {
	test("each is refused for at most 0.1 s of processor time or 0.02 a megabyte, with at most 64 KB of answer", async () => {
		let most = 0;
		for (const one of of(kind)) {
			const allowed = Math.max(SECONDS, (one.body().length / 1e6) * SECONDS_PER_MEGABYTE);
			let cost = await costOf(one);
			for (let again = 1; again < TRIES && cost.seconds > allowed; again++) cost = await costOf(one);
			expect([one.operation, one.label, cost.bytes <= ANSWER_BYTES]).toEqual([one.operation, one.label, true]);
			expect(cost.seconds, `${one.operation}: ${one.label}`).toBeLessThanOrEqual(allowed);
			most = Math.max(most, cost.seconds / allowed);
		}
		found("hostile bodies", { [`${kind} bodies`]: of(kind).length, [`${kind}, of what is allowed`]: most.toFixed(2) });
	});

	test("beside four at once another client's call and a kept rendition wait at most 100 ms for the loop", async () => {
		const waits = [await longestWait(kind, `${server.baseUrl}/v1/usage`), await longestWait(kind, rendition)];
		found("hostile bodies", { [`${kind}: longest wait, ms`]: Math.max(...waits).toFixed(0) });
		expect(Math.max(...waits)).toBeLessThanOrEqual(WAIT_MS);
	});
});
