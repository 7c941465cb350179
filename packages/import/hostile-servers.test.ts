import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import {
	BAD_HTTP,
	BROKEN,
	failureOf,
	fetchFrom,
	host,
	IMAGE_URL,
	internet,
	LATE,
	leaveNothingOpen,
	PUBLIC,
	rawHost,
	text,
	tooLarge,
	unfetchable,
} from "@svc/test/support/local-import";
import { type Host, redirectTo, reply } from "@svc/test/support/local-network";
import { safeImporter } from "./safe-fetch.ts";

leaveNothingOpen();

const at = (server: Host) => internet({ [`${PUBLIC}:80`]: server });

describe("servers that are missing or say no", () => {
	test("a refused connection is a failed fetch", async () => {
		expect(await failureOf(fetchFrom(internet({})))).toEqual(unfetchable("does not answer"));
	});

	test("an unknown name, one without addresses and one with nonsense for an address are failed fetches", async () => {
		const net = internet({}, { "empty.example.com": [[]], "odd.example.com": [["nonsense"]] });
		for (const name of ["unknown", "empty", "odd"]) {
			const failure = await failureOf(fetchFrom(net, `http://${name}.example.com/`));
			expect(failure).toEqual(unfetchable("has a host name that cannot be resolved"));
		}
		expect(net.dialled).toEqual([]);
	});

	for (const status of [
		"201 Created",
		"204 No Content",
		"206 Partial Content",
		"300 Multiple Choices",
		"304 Not Modified",
	]) {
		test(`${status} is not an image`, async () => {
			const failure = await failureOf(fetchFrom(at(await host(reply(status, ["Location: /a"])))));
			expect(failure).toEqual(unfetchable(`answered with status ${status.slice(0, 3)}`));
		});
	}

	for (const status of ["403 Forbidden", "404 Not Found", "500 Internal Server Error", "503 Service Unavailable"]) {
		test(`${status} is a failed fetch`, async () => {
			const failure = await failureOf(fetchFrom(at(await host(reply(status, [], "sorry")))));
			expect(failure).toEqual(unfetchable(`answered with status ${status.slice(0, 3)}`));
		});
	}

	test("a redirect that says not where is a failed fetch", async () => {
		const failure = await failureOf(fetchFrom(at(await host(reply("302 Found")))));
		expect(failure).toEqual(unfetchable("redirects without saying where"));
	});
});

describe("servers that break HTTP before the body", () => {
	for (const [what, answer] of [
		["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
		["bytes without meaning", "\0\x01\x02\xff\xfe\r\n\r\n"],
		["HTTP/0.9", "pixels\r\n\r\n"],
		["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
		["two lengths", reply("200 OK", ["Content-Length: 2", "Content-Length: 6"], "pixels")],
		[
			"a length and chunks",
			reply("200 OK", ["Content-Length: 2", "Transfer-Encoding: chunked"], "1\r\na\r\n0\r\n\r\n"),
		],
		["a negative length", reply("200 OK", ["Content-Length: -1"], "pixels")],
		["one header of 20 KB", reply("200 OK", [`X-A: ${"a".repeat(20_000)}`], "pixels")],
		[
			"a flood of headers",
			reply(
				"200 OK",
				Array.from({ length: 1_000 }, (_, n) => `X-${n}: ${"a".repeat(100)}`),
			),
		],
		["a flood of early hints", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n".repeat(1_000)],
	] as const) {
		test(`${what} is a failed fetch`, async () => {
			expect(await failureOf(fetchFrom(at(await host(answer))))).toEqual(BAD_HTTP);
		});
	}

	test("headers without end are cut off", async () => {
		const server = await host((socket) => {
			socket.write("HTTP/1.1 200 OK\r\n");
			repeat(socket, "X-A: b\r\n".repeat(100));
		});
		expect(await failureOf(fetchFrom(at(server)))).toEqual(BAD_HTTP);
	});

	test("a reset and a goodbye instead of an answer are failed fetches", async () => {
		expect(await failureOf(fetchFrom(at(await host((socket) => void socket.resetAndDestroy()))))).toEqual(BAD_HTTP);
		expect(await failureOf(fetchFrom(at(await host((socket) => void socket.end()))))).toEqual(BAD_HTTP);
	});

	test("a reset as soon as the connection stands is a failed fetch", async () => {
		const server = await rawHost((socket) => void socket.resetAndDestroy());
		expect((await failureOf(fetchFrom(at(server)))).code).toBe("fetch_failed");
	});
});

describe("bodies that are not what they claim", () => {
	for (const [what, lines] of [
		...["gzip", "BR", "deflate", "zstd", "compress", "x-gzip", "aws-chunked, gzip", ",gzip,"].map(
			(list) => [list, [`Content-Encoding: ${list}`]] as const,
		),
		["two encodings", ["Content-Encoding: identity, gzip"]],
		["a gzip transfer", ["Transfer-Encoding: gzip, chunked"]],
	] as const) {
		test(`${what} was not asked for`, async () => {
			const failure = await failureOf(fetchFrom(at(await host(reply("200 OK", lines, "0\r\n\r\n")))));
			expect(failure).toEqual(unfetchable("sends an encoding that was not asked for"));
		});
	}

	for (const [what, sent] of [
		["shorter than declared", reply("200 OK", ["Content-Length: 10"], "pixels")],
		["empty though declared", reply("200 OK", ["Content-Length: 10"])],
		["cut off between chunks", reply("200 OK", ["Transfer-Encoding: chunked"], "3\r\npix\r\n")],
		["cut off within a chunk", reply("200 OK", ["Transfer-Encoding: chunked"], "a\r\npix")],
		["broken in a chunk's size", reply("200 OK", ["Transfer-Encoding: chunked"], "3\r\npix\r\nzz\r\n")],
		["longer than declared", reply("200 OK", ["Content-Length: 3"], "pixels")],
	] as const) {
		test(`a body ${what} is a failed fetch`, async () => {
			const server = await host((socket) => void socket.end(sent));
			expect(await failureOf(fetchFrom(at(server)))).toEqual(BROKEN);
		});
	}

	test("a body that is reset midway is a failed fetch", async () => {
		const server = await host((socket) => {
			socket.write(reply("200 OK", ["Content-Length: 100"], "pixels"));
			setTimeout(() => socket.resetAndDestroy(), 50);
		});
		expect(await failureOf(fetchFrom(at(server)))).toEqual(BROKEN);
	});

	for (const [what, start] of [
		["a chunk's note", "3;note="],
		["trailers", "3\r\npix\r\n0\r\n"],
	] as const) {
		test(`${what} without end are cut off`, async () => {
			const server = await host((socket) => {
				socket.write(reply("200 OK", ["Transfer-Encoding: chunked"], start));
				repeat(socket, start.includes("note") ? "a".repeat(1_000) : "X-A: b\r\n".repeat(100));
			});
			expect(await failureOf(fetchFrom(at(server)))).toEqual(BROKEN);
		});
	}

	test("a body that is declared too large is not even begun", async () => {
		const net = at(await host(reply("200 OK", ["Content-Length: 20000001"], "pixels")));
		let received = false;
		const importer = safeImporter({ allow: [], resolve: net.resolve, dial: net.dial });
		const receive = async () => {
			received = true;
		};
		expect(await failureOf(importer.fetch(IMAGE_URL, receive))).toEqual(tooLarge("20,000,000"));
		expect(received).toBe(false);
	});

	test("an endless body is cut at the bound, and the server is not drained", async () => {
		let sent = 0;
		const server = await host((socket) => {
			socket.write("HTTP/1.1 200 OK\r\n\r\n");
			repeat(socket, "a".repeat(65_536), (bytes) => {
				sent += bytes;
			});
		});
		expect(await failureOf(fetchFrom(at(server), IMAGE_URL, { maxBytes: 100_000 }))).toEqual(tooLarge("100,000"));
		expect(sent).toBeLessThan(64_000_000);
	});

	test("a slow receiver slows the server down instead of filling memory", async () => {
		let sent = 0;
		const server = await host((socket) => {
			socket.write("HTTP/1.1 200 OK\r\n\r\n");
			repeat(socket, "a".repeat(65_536), (bytes) => {
				sent += bytes;
			});
		});
		const net = at(server);
		const importer = safeImporter({ allow: [], resolve: net.resolve, dial: net.dial });
		await importer.fetch(IMAGE_URL, async (body) => {
			await body[Symbol.asyncIterator]().next();
			await Bun.sleep(300);
		});
		expect(sent).toBeLessThan(64_000_000);
	});
});

describe("one deadline over everything", () => {
	const soon = { deadlineMs: 200 };

	async function late(work: Promise<unknown>): Promise<void> {
		expect(await failureOf(work)).toEqual(LATE);
	}

	test("a look-up that never ends", async () => {
		const importer = safeImporter({ allow: [], resolve: () => new Promise(() => undefined), ...soon });
		await late(importer.fetch(IMAGE_URL, text));
	});

	test("a server that accepts and stays silent", async () => {
		await late(fetchFrom(at(await rawHost(() => undefined)), IMAGE_URL, soon));
	});

	test("a TLS handshake that never ends", async () => {
		const net = internet({ [`${PUBLIC}:443`]: await rawHost(() => undefined) });
		await late(fetchFrom(net, "https://img.example.com/", soon));
	});

	test("headers that trickle", async () => {
		const server = await host((socket) => trickle(socket, "HTTP/1.1 200 OK\r\n", "X-A: b\r\n"));
		await late(fetchFrom(at(server), IMAGE_URL, soon));
	});

	test("a body that trickles", async () => {
		const server = await host((socket) => trickle(socket, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", "a"));
		await late(fetchFrom(at(server), IMAGE_URL, soon));
	});

	test("a body that stops without ending", async () => {
		const server = await host(reply("200 OK", ["Content-Length: 100"], "pixels"));
		await late(fetchFrom(at(server), IMAGE_URL, soon));
	});

	test("redirects that each take their time", async () => {
		const server = await host((socket) => setTimeout(() => socket.write(redirectTo("/on")), 80));
		await late(fetchFrom(at(server), IMAGE_URL, soon));
		expect(server.heads.length).toBeLessThan(6);
	});

	test("a receiver that never comes back", async () => {
		const net = at(await host(reply("200 OK", [], "pixels")));
		const importer = safeImporter({ allow: [], resolve: net.resolve, dial: net.dial, ...soon });
		await late(importer.fetch(IMAGE_URL, () => new Promise(() => undefined)));
	});

	test("a receiver that is cut off has cleaned up before the failure is told", async () => {
		const net = at(await host(reply("200 OK", ["Content-Length: 100"], "pixels")));
		const importer = safeImporter({ allow: [], resolve: net.resolve, dial: net.dial, ...soon });
		let cleaned = false;
		const receive = async (body: AsyncIterable<Uint8Array>) => {
			try {
				await text(body);
			} finally {
				await Bun.sleep(100);
				cleaned = true;
			}
		};
		await late(importer.fetch(IMAGE_URL, receive));
		expect(cleaned).toBe(true);
	});
});

function trickle(socket: Socket, first: string, again: string): void {
	socket.write(first);
	const timer = setInterval(() => socket.write(again), 20);
	socket.on("close", () => clearInterval(timer));
}

/** Writes the same again and again, as fast as the other side reads, until it goes away. */
function repeat(socket: Socket, chunk: string, wrote: (bytes: number) => void = () => undefined): void {
	while (!socket.destroyed) {
		wrote(chunk.length);
		if (!socket.write(chunk)) {
			socket.once("drain", () => repeat(socket, chunk, wrote));
			return;
		}
	}
}
