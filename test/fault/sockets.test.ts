import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { openDescriptors } from "../support/census.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { chunked } from "./damage.ts";
import { behind, CONNECTS, LAST, ODD, rawRequest, SMUGGLING, type Where } from "./raw-requests.ts";
import { exchange } from "./raw-socket.ts";
import { Dice, seed } from "./seed.ts";

/* The started program, spoken to in bytes. */

const REQUESTS = 3_000;
const AT_ONCE = 50;
const QUIET_MS = 60;
const MEMORY_MAX_BYTES = 512_000_000;

let server: ServerProcess;
let where: Where;
let port: number;
beforeAll(async () => {
	server = await startProcess({ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "info" });
	await server.ready();
	port = Number(new URL(server.baseUrl).port);
	const key = /svc_sk_\w+/.exec(server.stdout() + server.stderr())?.[0];
	if (key === undefined) throw new Error(`no key in what was printed: ${server.stdout()}`);
	where = { host: `localhost:${port}`, key };
});
afterAll(async () => {
	await server.stop();
	await removeData(server.dataDir);
});

/** 505 tells a client that it does not speak our HTTP. */
function isFailure(status: number): boolean {
	return status >= 500 && status !== 505;
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

async function memoryBytes(): Promise<number> {
	const status = await readFile(`/proc/${server.process.pid}/status`, "utf8");
	return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

/** Alive, answering, small, and without a failure of its own in the log. */
async function expectWell(): Promise<void> {
	const answer = await fetch(`${server.baseUrl}/v1/usage`, { headers: { Authorization: `Bearer ${where.key}` } });
	expect(answer.status).toBe(200);
	expect(server.process.exitCode).toBeNull();
	expect(await memoryBytes()).toBeLessThan(MEMORY_MAX_BYTES);
	const loud = `${server.stdout()}${server.stderr()}`.split("\n").filter((line) => line.includes('"error"'));
	expect([seed, loud.filter((line) => line.includes('"level":"error"'))]).toEqual([seed, []]);
}

/** Closing takes a moment. */
async function expectClosed(most: number): Promise<void> {
	const open = () => openDescriptors(server.process.pid);
	for (let tries = 0; tries < 2_000 && (await open()) > most; tries++) await Bun.sleep(50);
	expect(await open()).toBeLessThanOrEqual(most);
}

describe("request smuggling", () => {
	test.each([...SMUGGLING])("%s: what hides in a body is never answered", async (_, written) => {
		const heard = await exchange(port, [bytesOf(written(where))], { answers: 3, quietMs: 250 });
		expect(heard.statuses.filter(isFailure)).toEqual([]);
		// Either the framing is refused, or the hidden request is a second one in the open, sent by the same client.
		expect(heard.text).not.toContain('"object":"list"');
	});
});

describe("a request that is the last of its connection", () => {
	// Of the others Bun's server decides by itself.
	test.each(LAST.filter(([name]) => name.endsWith("cut off")))(
		"%s: what is sent behind it is not carried out",
		async (_, written) => {
			const heard = await exchange(port, [bytesOf(written(where) + behind(where))], { answers: 9, quietMs: 5_000 });
			// The end may come as a reset, and overtake the answer.
			expect(heard.ended).toBe(true);
			const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
			expect(metrics.includes('method="PATCH"')).toBe(false);
		},
	);
});

describe("odd requests", () => {
	test.each([...ODD])("%s is answered or refused, never with a failure of ours", async (_, written) => {
		const heard = await exchange(port, [bytesOf(written(where))], { answers: 1, quietMs: 250 });
		expect(heard.statuses.filter(isFailure)).toEqual([]);
	});

	afterAll(expectWell);
});

test(`${REQUESTS} connections with damaged bytes: it goes on as if nothing had been (seed ${seed})`, async () => {
	const before = await openDescriptors(server.process.pid);
	let turn = 0;
	const failures: unknown[] = [];
	const sender = async () => {
		while (turn < REQUESTS) {
			const mine = turn++;
			const dice = new Dice(seed, mine);
			const bytes = rawRequest(dice, where);
			const pieces = dice.chance(0.2) ? chunked(bytes, dice, 1 + bytes.length / 5) : [bytes];
			const { statuses } = await exchange(port, pieces, { answers: 1, quietMs: QUIET_MS });
			if (statuses.some(isFailure))
				failures.push({ mine, statuses, sent: Buffer.from(bytes).toString("latin1").slice(0, 300) });
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, sender));
	expect([seed, failures]).toEqual([seed, []]);
	await expectWell();
	await expectClosed(before + 20);
});

test("300 connections that stop half-way or dribble hold nobody up, and leave nothing open", async () => {
	const before = await openDescriptors(server.process.pid);
	const halves = ["", "G", "GET /v1/usage HTTP/1.1\r\nHo", `POST /v1/images HTTP/1.1\r\nHost: ${where.host}\r\n`];
	const upload = `${halves[3]}Authorization: Bearer ${where.key}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc`;
	const sockets = await Promise.all(
		Array.from({ length: 300 }, (_, count) => half([...halves, upload][count % 5] ?? "")),
	);
	const dribble = setInterval(() => {
		for (const socket of sockets) socket.write("x");
	}, 20);
	for (let count = 0; count < 10; count++) await expectWell();
	clearInterval(dribble);
	for (const socket of sockets) socket.destroy();
	await expectClosed(before + 5);
	await expectWell();
});

describe("CONNECT", () => {
	test.each([...CONNECTS])("%s is refused, never with a failure of ours", async (_, written) => {
		const heard = await exchange(port, [bytesOf(written(where))], { answers: 1, quietMs: 250 });
		expect(heard.statuses.filter(isFailure)).toEqual([]);
	});
});

/** A connection that has sent this much and stays. */
function half(text: string): Promise<Socket> {
	return new Promise((resolve) => {
		const socket = connect({ port, host: "127.0.0.1" }, () => {
			socket.write(text);
			resolve(socket);
		});
		socket.on("error", () => resolve(socket));
	});
}
