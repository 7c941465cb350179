import { describe, expect, test } from "bun:test";
import {
	certificate,
	failureOf,
	fetchFrom,
	host,
	IMAGE_URL,
	internet,
	leaveNothingOpen,
	MISLED,
	NOT_PUBLIC,
	OTHER,
	PRIVATE,
	PUBLIC,
	rawHost,
	refusal,
	text,
	unfetchable,
} from "@svc/test/support/local-import";
import { redirectTo, reply } from "@svc/test/support/local-network";
import { dialDirectly } from "./connection.ts";
import { safeImporter } from "./safe-fetch.ts";

const withTls = certificate === undefined ? " (skipped: openssl is missing)" : "";

leaveNothingOpen();

describe("a decent server", () => {
	for (const [what, answer] of [
		["a declared length", reply("200 OK", [], "pixels")],
		["chunks", reply("200 OK", ["Transfer-Encoding: chunked"], "3\r\npix\r\n3;note=1\r\nels\r\n0\r\n\r\n")],
		["early hints before it", `HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n${reply("200 OK", [], "pixels")}`],
		...["identity", "", " ", ",", "aws-chunked", "UTF-8", "Identity, aws-chunked,", "none"].map(
			(list) =>
				[
					`no content coding: ${JSON.stringify(list)}`,
					reply("200 OK", [`Content-Encoding: ${list}`], "pixels"),
				] as const,
		),
	] as (readonly [string, string])[]) {
		test(`a body with ${what} arrives whole`, async () => {
			const net = internet({ [`${PUBLIC}:80`]: await host(answer) });
			expect(await fetchFrom(net)).toBe("pixels");
		});
	}

	test("a body that ends with the connection arrives whole", async () => {
		const server = await host((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\npixels"));
		expect(await fetchFrom(internet({ [`${PUBLIC}:80`]: server }))).toBe("pixels");
	});

	test("an empty body arrives as one", async () => {
		expect(await fetchFrom(internet({ [`${PUBLIC}:80`]: await host(reply("200 OK")) }))).toBe("");
	});

	test("the request names the host that was asked for, wants no encoding and says nothing of us", async () => {
		const server = await host(reply("200 OK"));
		await fetchFrom(internet({ [`${PUBLIC}:80`]: server }), "http://img.example.com/a%20b?c=d#e");
		expect(server.heads).toEqual([
			"GET /a%20b?c=d HTTP/1.1\r\nHost: img.example.com\r\nUser-Agent: svc-import/1\r\nAccept: image/*\r\n" +
				"Accept-Encoding: identity\r\nConnection: close\r\n\r\n",
		]);
	});

	test.each([
		["/日本.jpg", "/%E6%97%A5%E6%9C%AC.jpg"],
		["http://img.example.com/café/à.jpg?q=é#ü", "/caf%C3%A9/%C3%A0.jpg?q=%C3%A9"],
		["caf\xe9.jpg", "/a/caf%E9.jpg"],
		["/%E6%97%A5.jpg", "/%E6%97%A5.jpg"],
	])("a redirect to the bytes %s asks for %s, as browsers do", async (location, path) => {
		const bytes = Buffer.from(redirectTo(location), location.includes("\xe9.") ? "latin1" : "utf8");
		let visits = 0;
		const server = await host((socket) => void socket.end(visits++ === 0 ? bytes : reply("200 OK", [], "pixels")));
		expect(await fetchFrom(internet({ [`${PUBLIC}:80`]: server }), "http://img.example.com/a/b.jpg")).toBe("pixels");
		expect(server.heads[1]?.split(" ")[1]).toBe(path);
	});

	test("a redirect to a name in raw UTF-8 leads to it, as it is known to name servers", async () => {
		const server = await host((socket) => void socket.end(reply("200 OK", [], "pixels")));
		const first = await host((socket) => void socket.end(redirectTo("http://bücher.example.com/")));
		const names = { "img.example.com": [["93.184.216.35"]], "xn--bcher-kva.example.com": [[PUBLIC]] };
		expect(await fetchFrom(internet({ [`${PUBLIC}:80`]: server, "93.184.216.35:80": first }, names))).toBe("pixels");
	});

	test("five redirects are followed, relative ones too, and each is looked up again", async () => {
		let visits = 0;
		const server = await host((socket) => {
			visits++;
			socket.write(visits <= 5 ? redirectTo(`/hop${visits}`) : reply("200 OK", [], "pixels"));
		});
		const net = internet({ [`${PUBLIC}:80`]: server });
		expect(await fetchFrom(net)).toBe("pixels");
		expect(net.resolved).toHaveLength(6);
	});

	test("the next address is tried when the first refuses", async () => {
		const net = internet(
			{ [`${OTHER}:80`]: await host(reply("200 OK", [], "pixels")) },
			{
				"img.example.com": [[PUBLIC, OTHER]],
			},
		);
		expect(await fetchFrom(net)).toBe("pixels");
		expect(net.dialled).toEqual([`${PUBLIC}:80`, `${OTHER}:80`]);
	});

	test("an address that the operator allows is reached on loopback, without a stand-in for anything", async () => {
		const server = await host(reply("200 OK", [], "pixels"));
		const importer = safeImporter({ allow: [`127.0.0.1:${server.port}`] });
		expect(await importer.fetch(`http://127.0.0.1:${server.port}/`, text)).toBe("pixels");
	});

	test("a receiver's own error is passed on, and one that stops early is fine", async () => {
		const net = internet({ [`${PUBLIC}:80`]: await host(reply("200 OK", ["Content-Length: 100"], "pix")) });
		const importer = safeImporter({ allow: [], resolve: net.resolve, dial: net.dial });
		const own = new Error("the disk is full");
		await expect(importer.fetch(IMAGE_URL, () => Promise.reject(own))).rejects.toBe(own);
		expect(await importer.fetch(IMAGE_URL, async (body) => (await body[Symbol.asyncIterator]().next()).done)).toBe(
			false,
		);
	});
});

describe.skipIf(certificate === undefined)(`TLS${withTls}`, () => {
	const ca = certificate?.cert ?? "";
	const SECURE = "https://img.example.com/cat.png";
	const BAD_TLS = unfetchable("has no valid TLS certificate or broke the handshake");

	test("a certificate for the name is accepted, on the literal address", async () => {
		const net = internet({ [`${PUBLIC}:443`]: await host(reply("200 OK", [], "pixels"), true) });
		expect(await fetchFrom(net, SECURE, { ca })).toBe("pixels");
		expect(net.dialled).toEqual([`${PUBLIC}:443`]);
	});

	test("a certificate for the address is accepted where the address is the host", async () => {
		const net = internet({ [`${PUBLIC}:443`]: await host(reply("200 OK", [], "pixels"), true) });
		expect(await fetchFrom(net, `https://${PUBLIC}/`, { ca })).toBe("pixels");
	});

	test("a certificate for another name or address is not, and no request is sent", async () => {
		const server = await host(reply("200 OK", [], "pixels"), true);
		const net = internet({ [`${OTHER}:443`]: server });
		expect(await failureOf(fetchFrom(net, "https://other.example.com/", { ca }))).toEqual(BAD_TLS);
		expect(await failureOf(fetchFrom(net, `https://${OTHER}/`, { ca }))).toEqual(BAD_TLS);
		expect(server.heads).toEqual([]);
	});

	test("an untrusted certificate is refused even when the environment says otherwise", async () => {
		const server = await host(reply("200 OK", [], "pixels"), true);
		const net = internet({ [`${PUBLIC}:443`]: server });
		const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
		process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
		try {
			expect(await failureOf(fetchFrom(net, SECURE))).toEqual(BAD_TLS);
		} finally {
			if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
			else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
		}
		expect(server.heads).toEqual([]);
	});

	test("a redirect from https to http is refused, one from http to https is followed", async () => {
		const plain = await host(redirectTo(SECURE));
		const down = await host(redirectTo("http://other.example.com/"), true);
		const other = await host(reply("200 OK", [], "pixels"));
		const net = internet({ [`${PUBLIC}:80`]: plain, [`${PUBLIC}:443`]: down, [`${OTHER}:80`]: other });
		expect(await failureOf(fetchFrom(net, IMAGE_URL, { ca }))).toEqual(MISLED);
		expect(net.dialled).toEqual([`${PUBLIC}:80`, `${PUBLIC}:443`]);
	});

	test("a server that speaks no TLS, or resets in the middle of it, is a failed fetch", async () => {
		const plain = await rawHost((socket) => void socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"));
		const reset = await rawHost((socket) => socket.once("data", () => socket.resetAndDestroy()));
		const net = internet({ [`${PUBLIC}:443`]: plain, [`${OTHER}:443`]: reset });
		expect(await failureOf(fetchFrom(net, SECURE, { ca }))).toEqual(BAD_TLS);
		expect(await failureOf(fetchFrom(net, "https://other.example.com/", { ca }))).toEqual(BAD_TLS);
	});
});

describe("names and redirects that lead inside", () => {
	test("a name with a private address is refused without a connection", async () => {
		const net = internet({ [`${PRIVATE}:80`]: await host(reply("200 OK")) });
		expect(await failureOf(fetchFrom(net, "http://inner.example.com/"))).toEqual(NOT_PUBLIC);
		expect(net.dialled).toEqual([]);
	});

	for (const bad of [
		PRIVATE,
		"127.0.0.1",
		"::1",
		"::ffff:10.1.2.3",
		"169.254.169.254",
		"fe80::1%eth0",
		"64:ff9b::a01:203",
	]) {
		test(`one ${bad} among public addresses spoils the name`, async () => {
			const net = internet({}, { "img.example.com": [[PUBLIC, bad]] });
			expect(await failureOf(fetchFrom(net))).toEqual(NOT_PUBLIC);
			expect(net.dialled).toEqual([]);
		});
	}

	test("a rebinding name is looked up once and the judged address is dialled", async () => {
		const net = internet(
			{ [`${PUBLIC}:80`]: await host(reply("200 OK", [], "pixels")) },
			{
				"img.example.com": [[PUBLIC], [PRIVATE]],
			},
		);
		expect(await fetchFrom(net)).toBe("pixels");
		expect(net).toMatchObject({ resolved: ["img.example.com"], dialled: [`${PUBLIC}:80`] });
	});

	test("a name that rebinds before a redirect to itself is judged again", async () => {
		const inner = await host(reply("200 OK"));
		const net = internet(
			{ [`${PUBLIC}:80`]: await host(redirectTo("/again")), [`${PRIVATE}:80`]: inner },
			{
				"img.example.com": [[PUBLIC], [PRIVATE]],
			},
		);
		expect(await failureOf(fetchFrom(net))).toEqual(NOT_PUBLIC);
		expect(net.dialled).toEqual([`${PUBLIC}:80`]);
	});

	test("a redirect to a name with a private address is refused", async () => {
		const net = internet({ [`${PUBLIC}:80`]: await host(redirectTo("http://inner.example.com/")) });
		expect(await failureOf(fetchFrom(net))).toEqual(NOT_PUBLIC);
		expect(net.dialled).toEqual([`${PUBLIC}:80`]);
	});

	for (const location of [
		`http://${PRIVATE}/`,
		"http://2130706433/",
		"http://[::ffff:7f00:1]/",
		"//127.0.0.1/",
		"http://localhost/",
		"http://metadata.google.internal/",
		"http://img.example.com:22/",
		"http://user@other.example.com/",
		"file:///etc/passwd",
		"ftp://other.example.com/",
		"data:image/png;base64,AAAA",
		"http://other.example.com\\@127.0.0.1/",
		"http://[",
		`/${"a".repeat(2_048)}`,
	]) {
		test(`a redirect to ${location.slice(0, 50)} is refused`, async () => {
			const net = internet({ [`${PUBLIC}:80`]: await host(redirectTo(location)) });
			expect(await failureOf(fetchFrom(net))).toEqual(MISLED);
			expect(net.dialled).toEqual([`${PUBLIC}:80`]);
		});
	}

	test("a redirect loop ends after the fifth redirect", async () => {
		const server = await host(redirectTo(IMAGE_URL));
		const net = internet({ [`${PUBLIC}:80`]: server });
		expect(await failureOf(fetchFrom(net))).toEqual(refusal("redirects too often"));
		expect(server.heads).toHaveLength(6);
	});

	test("an allowed server cannot redirect to its private neighbour", async () => {
		const neighbour = await host(reply("200 OK"));
		const allowed = await host(redirectTo(`http://127.0.0.1:${neighbour.port}/`));
		const importer = safeImporter({ allow: [`127.0.0.1:${allowed.port}`] });
		expect(await failureOf(importer.fetch(`http://127.0.0.1:${allowed.port}/`, text))).toEqual(MISLED);
		expect(neighbour.heads).toEqual([]);
	});

	test("a connection that ends somewhere else than it was sent is dropped before a word is said", async () => {
		const server = await host(reply("200 OK"));
		const net = internet({});
		const diverted = () => dialDirectly("127.0.0.1", server.port);
		const importer = safeImporter({ allow: [], resolve: net.resolve, dial: diverted });
		expect(await failureOf(importer.fetch(IMAGE_URL, text))).toEqual(NOT_PUBLIC);
		expect(server.heads).toEqual([]);
	});
});
