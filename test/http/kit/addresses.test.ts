import { afterAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { errorOf } from "../../support/requests.ts";
import { madeBefore, serviceFor, startService } from "../../support/service.ts";

/* What holds for all three addresses, before any route. */

const YEAR = "max-age=31536000";

describe("https addresses", () => {
	const secure = serviceFor({
		SVC_BASE_URL: "https://api.example.com",
		SVC_WEB_URL: "https://example.com",
		SVC_CDN_URL: "http://img.example.com",
	});

	test("tell browsers to come over TLS only, in every answer; an address without TLS does not", async () => {
		for (const url of [
			"https://api.example.com/v1/usage",
			"https://api.example.com/x",
			"https://example.com/",
			"https://example.com/x",
		]) {
			expect((await secure.open(url)).headers.get("strict-transport-security")).toBe(YEAR);
		}
		expect((await secure.open("http://img.example.com/x")).headers.get("strict-transport-security")).toBeNull();
		expect((await secure.open("https://evil.example/")).headers.get("strict-transport-security")).toBeNull();
	});
});

describe("search engines", () => {
	const service = serviceFor();
	const read = (path: string) => service.open(`http://localhost:3000${path}`, { headers: { Accept: "text/html" } });

	test("[C] are asked to leave out what is for one person only", async () => {
		const robots = await read("/robots.txt");
		expect([robots.status, robots.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
		expect(await robots.text()).toBe(
			"User-agent: *\nDisallow: /connect\nDisallow: /account\nDisallow: /billing\nDisallow: /checkout\nDisallow: /console\n",
		);
		for (const path of [
			"/connect",
			"/account",
			"/account/code",
			"/billing/return",
			"/checkout/x",
			"/account/x",
			"/console",
			"/console/x",
		]) {
			expect([path, (await read(path)).headers.get("x-robots-tag")]).toEqual([path, "noindex"]);
		}
		for (const path of ["/", "/accounting", "/x"]) expect((await read(path)).headers.get("x-robots-tag")).toBeNull();
	});
});

describe("on a connection", () => {
	const service = madeBefore(() => startService());
	afterAll(() => service.stop());

	test("an address or headers past 16 KB are refused in the envelope, with the headers of any refusal", async () => {
		const large = [
			[`/v1/images?label[a]=${"x".repeat(17_000)}`, {}],
			["/v1/usage", { "X-Large": "x".repeat(16_500) }],
			["/v1/usage", Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`X-${index}`, "x".repeat(400)]))],
			["/account", { Cookie: "x".repeat(20_000) }],
		] as const;
		for (const [path, headers] of large) {
			const answer = await fetch(service.baseUrl + path, { headers });
			expect(answer.headers.get("access-control-allow-origin")).toBe("*");
			expect(answer.headers.get("x-request-id")).toStartWith("req_");
			expect(await errorOf(answer)).toMatchObject({ status: 431, code: "bad_request" });
		}
		const nearly = await fetch(`${service.baseUrl}/v1/usage`, { headers: { "X-Large": "x".repeat(15_000) } });
		expect(nearly.status).toBe(401);
		// Past 64 KB the runtime refuses without a word.
		expect((await fetch(`${service.baseUrl}/v1/usage`, { headers: { "X-Large": "x".repeat(70_000) } })).status).toBe(
			431,
		);
	});

	test("a probe without a Host is answered, as balancers send it over HTTP/1.0; anything else without one is refused", async () => {
		expect(await statusOf("GET /healthz HTTP/1.0\r\n\r\n")).toBe(200);
		expect(await statusOf("GET /readyz HTTP/1.0\r\n\r\n")).toBe(200);
		expect(await statusOf("GET /v1/usage HTTP/1.0\r\n\r\n")).toBe(421);
		expect(await statusOf("GET /account HTTP/1.1\r\nHost: a b\r\n\r\n")).toBe(421);
	});

	function statusOf(text: string): Promise<number> {
		return new Promise((resolve, reject) => {
			const socket = connect(Number(new URL(service.baseUrl).port), "localhost", () => socket.write(text));
			socket.once("data", (chunk) => {
				resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString("latin1"))?.[1]));
				socket.destroy();
			});
			socket.once("error", reject);
		});
	}
});
