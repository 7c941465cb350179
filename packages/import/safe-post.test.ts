import { describe, expect, test } from "bun:test";
import { HOSTILE_ADDRESSES } from "@svc/test/support/hostile-addresses";
import {
	certificate,
	host,
	internet,
	leaveNothingOpen,
	OTHER,
	PRIVATE,
	PUBLIC,
	rawHost,
} from "@svc/test/support/local-import";
import { type Network, redirectTo, reply } from "@svc/test/support/local-network";
import { dialDirectly } from "./connection.ts";
import { safePoster } from "./safe-post.ts";

const withTls = certificate === undefined ? " (skipped: openssl is missing)" : "";
const HOOK = "https://img.example.com/hooks";
const REFUSED = { status: null, error: "address_not_allowed", retryAfter: undefined, response: null } as const;
const FAILED = { ...REFUSED, error: "connection_failed" } as const;
const LATE = { ...REFUSED, error: "timeout" } as const;

leaveNothingOpen();

type Options = Omit<Parameters<typeof safePoster>[0], "allow" | "resolve" | "dial">;

/** One try. A short deadline would make a failure of a busy machine's. */
function postTo(net: Network, url = HOOK, options: Options = {}) {
	const { resolve, dial } = net;
	const poster = safePoster({ allow: [], resolve, dial, ca: certificate?.cert, deadlineMs: 20_000, ...options });
	return poster.post(url, "{}", { "webhook-id": "evt_1" });
}

describe("an address that the rules of imports refuse", () => {
	const poster = safePoster({ allow: [] });

	for (const [url] of HOSTILE_ADDRESSES) {
		test(`${JSON.stringify(url.slice(0, 60))} is no endpoint, with TLS or without, and is not tried`, async () => {
			const net = internet({});
			for (const form of [url, url.replace(/^http:/, "https:")]) {
				expect(() => poster.check(form)).toThrow();
				expect(await postTo(net, form)).toEqual(REFUSED);
			}
			expect([net.resolved, net.dialled]).toEqual([[], []]);
		});
	}

	test.each(["http://img.example.com/", "https://img.example.com:80/", "http://img.example.com:443/"])(
		"%s is none either: receivers have TLS, on its own port",
		async (url) => {
			const net = internet({});
			expect(() => poster.check(url)).toThrow();
			expect(await postTo(net, url)).toEqual(REFUSED);
			expect(net.dialled).toEqual([]);
		},
	);
});

describe("a name that leads inside", () => {
	for (const bad of [
		PRIVATE,
		"127.0.0.1",
		"::1",
		"::ffff:10.1.2.3",
		"169.254.169.254",
		"fe80::1",
		"64:ff9b::a01:203",
	]) {
		test(`to ${bad}, alone or beside a public address, is not allowed, and nothing is dialled`, async () => {
			for (const addresses of [[bad], [PUBLIC, bad], [bad, PUBLIC]]) {
				const net = internet({}, { "img.example.com": [addresses] });
				expect(await postTo(net)).toEqual(REFUSED);
				expect(net.dialled).toEqual([]);
			}
		});
	}

	test("by the next look-up is not allowed from then on: each try looks again", async () => {
		const net = internet({}, { "img.example.com": [[PUBLIC], [PRIVATE]] });
		expect(await postTo(net)).toEqual(FAILED);
		expect(await postTo(net)).toEqual(REFUSED);
		expect(net).toMatchObject({ resolved: ["img.example.com", "img.example.com"], dialled: [`${PUBLIC}:443`] });
	});

	test("a connection that ends somewhere else than it was sent is dropped before a word is said", async () => {
		const server = await host(reply("200 OK"));
		const { resolve } = internet({});
		const diverted = safePoster({ allow: [], resolve, dial: () => dialDirectly("127.0.0.1", server.port) });
		expect(await diverted.post(HOOK, "{}", {})).toEqual(REFUSED);
		expect(server.heads).toEqual([]);
	});
});

describe.skipIf(certificate === undefined)(`a public receiver${withTls}`, () => {
	const at = async (respond: Parameters<typeof host>[0]) => {
		const server = await host(respond, true);
		return { server, net: internet({ [`${PUBLIC}:443`]: server }) };
	};

	test("whose name rebinds after the look-up gets what was sent to the address that was judged", async () => {
		const [good, inner] = [await host(reply("200 OK", [], "thanks"), true), await host(reply("200 OK"), true)];
		const reachable = { [`${PUBLIC}:443`]: good, [`${PRIVATE}:443`]: inner };
		const net = internet(reachable, { "img.example.com": [[PUBLIC], [PRIVATE]] });
		expect(await postTo(net)).toMatchObject({ status: 200, response: "thanks" });
		expect(net).toMatchObject({ resolved: ["img.example.com"], dialled: [`${PUBLIC}:443`] });
		expect([good.heads.length, inner.heads.length]).toEqual([1, 0]);
	});

	test("gets the body and the headers as they were given, and is named as its address names it", async () => {
		const { server, net } = await at(reply("204 No Content"));
		await postTo(net, "https://img.example.com/a%20b?c=d#e");
		const [head = ""] = server.heads;
		expect(head).toStartWith("POST /a%20b?c=d HTTP/1.1\r\nHost: img.example.com\r\n");
		expect(head).toContain("webhook-id: evt_1\r\n");
		expect(head).toContain("Content-Length: 2\r\n");
		expect(head).toContain("Content-Type: application/json\r\n");
	});

	for (const status of [301, 302, 303, 307, 308]) {
		test(`that redirects by ${status} is not followed, wherever it points`, async () => {
			for (const location of [`https://${PRIVATE}/`, "https://other.example.com/", "/elsewhere"]) {
				const answer = redirectTo(location).replace("302 Found", `${status} Elsewhere`);
				const { server, net } = await at(answer);
				expect(await postTo(net)).toMatchObject({ status, error: null });
				expect([server.heads.length, net.dialled]).toEqual([1, [`${PUBLIC}:443`]]);
			}
		});
	}

	test("is shown by the first 1,024 characters of its answer, however much it sends", async () => {
		const { net } = await at(
			(socket) => void socket.write(reply("500 No", ["Content-Length: 9000000"], `é${"😀".repeat(9_000)}`)),
		);
		expect(await postTo(net)).toMatchObject({ status: 500, response: `é${"😀".repeat(511)}\ufffd` });
	});

	test("whose certificate is another's, or is not trusted, is told nothing", async () => {
		const server = await host(reply("200 OK"), true);
		const net = internet({ [`${OTHER}:443`]: server, [`${PUBLIC}:443`]: server });
		expect(await postTo(net, "https://other.example.com/")).toEqual(FAILED);
		expect(await postTo(net, HOOK, { ca: undefined })).toEqual(FAILED);
		expect(server.heads).toEqual([]);
	});

	for (const [what, answer] of [
		["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
		["a switch of protocols", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"],
		["a flood of early hints", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n".repeat(1_000)],
		["one header of 20 KB", reply("200 OK", [`X-A: ${"a".repeat(20_000)}`])],
	] as const) {
		test(`that answers with ${what} has not answered`, async () => {
			expect(await postTo((await at(answer)).net)).toEqual(FAILED);
		});
	}

	test("that resets, or says goodbye without an answer, has not answered", async () => {
		expect(await postTo((await at((socket) => void socket.destroy())).net)).toEqual(FAILED);
		expect(await postTo((await at((socket) => void socket.end())).net)).toEqual(FAILED);
	});

	test("that has answered is not waited for until the end of its body", async () => {
		const { net } = await at((socket) => void socket.write(reply("200 OK", ["Content-Length: 100"], "than")));
		expect(await postTo(net, HOOK, { deadlineMs: 500 })).toMatchObject({ status: 200, response: "than" });
	});

	const soon = { deadlineMs: 200 };

	test("that hangs, or whose headers trickle, is cut off by the deadline, and its connection closed", async () => {
		expect(await postTo((await at(() => undefined)).net, HOOK, soon)).toEqual(LATE);
		const trickles = await at((socket) => {
			socket.write("HTTP/1.1 200 OK\r\n");
			const timer = setInterval(() => socket.write("X-A: b\r\n"), 20);
			socket.on("close", () => clearInterval(timer));
		});
		expect(await postTo(trickles.net, HOOK, soon)).toEqual(LATE);
	});
});

describe("nobody there", () => {
	const soon = { deadlineMs: 200 };

	test("a refused connection and a name that there is not are failed connections, and nothing more is said", async () => {
		const net = internet({}, { "img.example.com": [[PUBLIC, OTHER]] });
		expect(await postTo(net)).toEqual(FAILED);
		expect(net.dialled).toEqual([`${PUBLIC}:443`, `${OTHER}:443`]);
		expect(await postTo(net, "https://unknown.example.com/")).toEqual(FAILED);
	});

	test("a look-up or a handshake without end is cut off by the deadline", async () => {
		const silent = safePoster({ allow: [], resolve: () => new Promise(() => undefined), ...soon });
		expect(await silent.post(HOOK, "{}", {})).toEqual(LATE);
		expect(await postTo(internet({ [`${PUBLIC}:443`]: await rawHost(() => undefined) }), HOOK, soon)).toEqual(LATE);
	});
});

test("what the operator's own receiver answers is not shown, in reach of nothing else beside it", async () => {
	const [mine, neighbour] = [await host(reply("500 No", [], "inner secrets")), await host(reply("200 OK"))];
	const poster = safePoster({ allow: [`127.0.0.1:${mine.port}`] });
	const posted = await poster.post(`http://127.0.0.1:${mine.port}/`, "{}", {});
	expect(posted).toEqual({ status: 500, error: null, retryAfter: undefined, response: null });
	expect(await poster.post(`http://127.0.0.1:${neighbour.port}/`, "{}", {})).toEqual(REFUSED);
	expect(neighbour.heads).toEqual([]);
});
