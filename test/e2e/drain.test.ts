import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

/* SIGTERM in the middle of many uploads. */

const IN_FLIGHT = 200;
const BOUNDARY = "the-boundary";

/** A connection on which one request after the other is written by hand. */
class Line {
	readonly #socket: Socket;
	#received = "";
	#closed = false;
	#changed: (() => void) | undefined;

	constructor(port: number) {
		this.#socket = connect(port, "localhost");
		this.#socket.on("data", (chunk) => {
			this.#received += chunk.toString("latin1");
			this.#changed?.();
		});
		for (const end of ["close", "error"] as const) {
			this.#socket.on(end, () => {
				this.#closed = true;
				this.#changed?.();
			});
		}
	}

	write(bytes: string | Uint8Array): void {
		this.#socket.write(bytes);
	}

	/** The status of the next answer; undefined where the connection ended without one. */
	async answer(): Promise<number | undefined> {
		for (;;) {
			const status = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(this.#received)?.[1];
			if (status !== undefined) {
				this.#received = "";
				return Number(status);
			}
			if (this.#closed) return undefined;
			await this.#change();
		}
	}

	/** All that came until the other side ended the connection. */
	async untilClosed(): Promise<string> {
		while (!this.#closed) await this.#change();
		return this.#received;
	}

	#change(): Promise<void> {
		return new Promise((resolve) => {
			this.#changed = resolve;
		});
	}

	close(): void {
		this.#socket.destroy();
	}
}

async function uploadParts(port: number, key: string): Promise<[head: Buffer, rest: Buffer]> {
	const name = 'Content-Disposition: form-data; name="file"; filename="a.png"';
	const body = Buffer.concat([
		Buffer.from(`--${BOUNDARY}\r\n${name}\r\n\r\n`),
		await plain(40, 30),
		Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
	]);
	const head = [
		"POST /v1/images HTTP/1.1",
		`Host: localhost:${port}`,
		`Authorization: Bearer ${key}`,
		`Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
		`Content-Length: ${body.length}`,
	];
	const half = body.length >> 1;
	return [Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body.subarray(0, half)]), body.subarray(half)];
}

/** On a connection of its own: one that is kept is served for as long as it asks. */
async function takesMore(port: number): Promise<boolean> {
	const line = get(port, "/healthz");
	const status = await line.answer();
	line.close();
	return status !== undefined;
}

function get(port: number, path: string): Line {
	const line = new Line(port);
	line.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
	return line;
}

/** When the readiness probe says that the service is going. */
async function draining({ baseUrl }: ServerProcess): Promise<void> {
	while ((await fetch(`${baseUrl}/readyz`)).status !== 503) await Bun.sleep(10);
}

async function stored({ baseUrl }: ServerProcess, key: string): Promise<number> {
	const answer = await fetch(`${baseUrl}/v1/usage`, { headers: { Authorization: `Bearer ${key}` } });
	return ((await answer.json()) as { totals: { images_stored: number } }).totals.images_stored;
}

test(`SIGTERM with ${IN_FLIGHT} uploads half received: none is cut, all are stored, and nobody new gets in`, async () => {
	const env = { SVC_LOG: "error", SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0" };
	const server = await startProcess(env);
	await server.ready();
	const key = /svc_sk_test_\w{38}/.exec(server.stdout())?.[0] ?? "";
	const port = Number(new URL(server.baseUrl).port);
	const lines = Array.from({ length: IN_FLIGHT }, () => new Line(port));
	// An answer says that the connection was accepted, and does not wait where the kernel keeps what is new.
	for (const line of lines) line.write(`GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
	expect(await Promise.all(lines.map((line) => line.answer()))).toEqual(lines.map(() => 200));
	const [head, rest] = await uploadParts(port, key);
	for (const line of lines) line.write(head);
	// Whoever answers this has read what came before it.
	for (let turns = 0; turns < 3; turns++) expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);

	const exit = server.stop();
	while (await takesMore(port)) await Bun.sleep(10);
	for (const line of lines) line.write(rest);
	expect(await Promise.all(lines.map((line) => line.answer()))).toEqual(lines.map(() => 201));
	expect(await exit).toBe(0);
	expect(server.stderr()).toBe("");
	for (const line of lines) line.close();

	const again = await startProcess({ ...env, SVC_DATA_DIR: server.dataDir });
	await again.ready();
	expect(await stored(again, key)).toBe(IN_FLIGHT);
	expect(await again.stop()).toBe(0);
	await removeData(server.dataDir);
});

test("a service that drains says so and goes on answering, each time for the last time on that connection; a second signal ends the wait", async () => {
	const server = await startProcess({ SVC_LOG: "error", SVC_DRAIN_SECONDS: "3600" });
	await server.ready();
	const port = Number(new URL(server.baseUrl).port);
	const kept = new Line(port);
	const ask = () => kept.write(`GET /healthz HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
	ask();
	expect(await kept.answer()).toBe(200);

	const exit = server.stop();
	await draining(server);
	ask();
	const last = await kept.untilClosed();
	expect(last).toStartWith("HTTP/1.1 200 ");
	expect(last).toMatch(/\r\nconnection: close\r\n/i);
	const answers = { "/readyz": 503, "/v1/usage": 401, "/openapi.json": 200, "/account": 200, "/x": 404 };
	for (const [path, status] of Object.entries(answers)) {
		const answer = await get(port, path).untilClosed();
		expect([path, answer.slice(0, 12)]).toEqual([path, `HTTP/1.1 ${status}`]);
		expect(answer).toMatch(/\r\nconnection: close\r\n/i);
	}
	expect(await (await fetch(`${server.baseUrl}/readyz`)).json()).toEqual({
		ready: false,
		checks: { service: "draining" },
	});

	server.process.kill("SIGTERM");
	expect(await exit).toBe(0);
	expect(server.stderr()).toBe("");
	await removeData(server.dataDir);
});

test("the wait of a drain ends by itself; whoever waits then for an answer that does not come is cut by a second signal", async () => {
	const server = await startProcess({ SVC_LOG: "error", SVC_DRAIN_SECONDS: "1" });
	await server.ready();
	const port = Number(new URL(server.baseUrl).port);
	const [head] = await uploadParts(port, /svc_sk_test_\w{38}/.exec(server.stdout())?.[0] ?? "");
	const half = new Line(port);
	half.write(head);
	for (let turns = 0; turns < 3; turns++) expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
	const exit = server.stop();
	while (await takesMore(port)) await Bun.sleep(10);
	server.process.kill("SIGINT");
	expect(await exit).toBe(0);
	expect(await half.answer()).toBeUndefined();
	await removeData(server.dataDir);
});
