import { describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { nextTurn } from "@svc/base/pace/turns";
import { bunListener } from "./bun-listener.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/** A server whose answers become ready in a later turn than their requests, and a client of it. */
async function asked(answer: () => Response | Promise<Response>) {
	const listener = await bunListener({
		...{ hostname: "127.0.0.1", port: 0, idleSeconds: 60, headMaxBytes: 16_384 },
		async fetch() {
			await nextTurn();
			return await answer();
		},
		failed: () => new Response("failed", { status: 500 }),
		refused: (status) => new Response(null, { status }),
	});
	const socket = connect(listener.port, "127.0.0.1");
	socket.write(GET);
	return {
		socket,
		async [Symbol.asyncDispose]() {
			socket.destroy();
			await listener.stop(true);
		},
	};
}

async function firstOf(socket: Socket): Promise<string> {
	for await (const chunk of socket.iterator({ destroyOnReturn: false })) return String(chunk);
	throw new Error("the connection ended");
}

/** A body without an end, how much of it was asked for, and whether it was given up. */
function endless() {
	const state = { pieces: 0, cancelled: Promise.withResolvers<void>() };
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				await nextTurn();
				state.pieces += 1;
				controller.enqueue(new Uint8Array(262_144));
			},
			cancel: () => state.cancelled.resolve(),
		},
		{ highWaterMark: 0 },
	);
	return { state, body };
}

describe("an answer that becomes ready in a later turn", () => {
	test("has its length, its status and its headers, and the headers come with the first bytes", async () => {
		const headers = { "Content-Length": "20000", "X-A": "b", "Set-Cookie": "a=b" };
		await using client = await asked(() => new Response("a".repeat(20_000), { status: 201, headers }));
		const said = await firstOf(client.socket);
		expect(said).toMatch(/^HTTP\/1.1 201 Created\r\n[\s\S]*\r\n\r\naaa/);
		for (const line of [/^content-length: 20000\r$/im, /^x-a: b\r$/im, /^set-cookie: a=b\r$/im])
			expect(said).toMatch(line);
		expect(said).not.toMatch(/^transfer-encoding/im);
	});

	test("says the length of a body that is in memory and that says none", async () => {
		for (const body of ["", "a", "a".repeat(15_359), "a".repeat(900_000)]) {
			await using client = await asked(() => new Response(body));
			expect(await firstOf(client.socket)).toMatch(new RegExp(`^content-length: ${body.length}\\r$`, "im"));
		}
	});

	test("is failed, and not half an answer, where its body breaks before anything was sent", async () => {
		const broken = new ReadableStream({ pull: () => Promise.reject(new Error("gone")) });
		await using client = await asked(() => new Response(broken, { headers: { "Content-Length": "20000" } }));
		expect(await firstOf(client.socket)).toStartWith("HTTP/1.1 500 ");
	});

	test("is made no faster than its client takes it, and given up where the client goes", async () => {
		const { state, body } = endless();
		await using client = await asked(() => new Response(body));
		await firstOf(client.socket);
		client.socket.pause();
		let before = -1;
		// The kernel takes some megabytes on both sides; it goes on no further then.
		for (let still = 0; still < 20; still = state.pieces === before ? still + 1 : 0) {
			before = state.pieces;
			await Bun.sleep(10);
		}
		expect(state.pieces).toBeLessThan(200);
		client.socket.destroy();
		await state.cancelled.promise;
	});

	test("is given up where the client goes before its first bytes are there", async () => {
		const gone = Promise.withResolvers<void>();
		const asking = Promise.withResolvers<void>();
		const body = new ReadableStream(
			{
				pull() {
					asking.resolve();
					return new Promise<void>(() => undefined);
				},
				cancel: () => gone.resolve(),
			},
			{ highWaterMark: 0 },
		);
		await using client = await asked(() => new Response(body));
		await asking.promise;
		client.socket.destroy();
		await gone.promise;
	});
});
