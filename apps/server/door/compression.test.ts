import { describe, expect, test } from "bun:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { compressing, preferredCoding } from "./compression.ts";

const LONG = JSON.stringify({ data: Array.from({ length: 200 }, (_, index) => ({ id: index, object: "image" })) });
const JSON_TYPE = { "Content-Type": "application/json" };

function ask(answer: Response, accepted?: string, method = "GET"): Promise<Response> {
	const headers = accepted === undefined ? {} : { "Accept-Encoding": accepted };
	return compressing(() => answer)(new Request("http://x/", { method, headers }));
}

async function textOf(answer: Response): Promise<string> {
	const bytes = await answer.bytes();
	const coding = answer.headers.get("content-encoding");
	if (coding === "gzip") return gunzipSync(bytes).toString();
	return (coding === "zstd" ? zstdDecompressSync(bytes) : Buffer.from(bytes)).toString();
}

test.each([
	["gzip", "gzip"],
	["gzip, deflate, br, zstd", "zstd"],
	["GZIP;q=1.0, zstd;q=0.5", "gzip"],
	["*", "zstd"],
	["zstd;q=0, *;q=0.1", "gzip"],
	["br", undefined],
	["gzip;q=0", undefined],
	["identity", undefined],
	["gzip;q=x", undefined],
	["", undefined],
])("of %p the client gets %p", (accepted, coding) => {
	expect(preferredCoding(accepted)).toBe(coding as "gzip");
});

describe("a text", () => {
	test("is compressed for who can read that, and the same otherwise", async () => {
		for (const accepted of ["gzip", "zstd"]) {
			const answer = await ask(
				new Response(LONG, { status: 404, headers: { ...JSON_TYPE, "X-Request-Id": "req_1" } }),
				accepted,
			);
			expect(answer.status).toBe(404);
			expect(answer.headers.get("content-encoding")).toBe(accepted);
			expect(answer.headers.get("vary")).toBe("Accept-Encoding");
			expect(answer.headers.get("x-request-id")).toBe("req_1");
			expect(await textOf(answer)).toBe(LONG);
		}
		const plain = await ask(new Response(LONG, { headers: { ...JSON_TYPE, Vary: "Cookie" } }));
		expect([plain.headers.get("content-encoding"), plain.headers.get("vary")]).toEqual([
			null,
			"Cookie, Accept-Encoding",
		]);
		expect(await plain.text()).toBe(LONG);
	});

	test("that is short, or must not be changed, or answers something else than a GET, stays as it is", async () => {
		for (const answer of [
			new Response("x".repeat(1_000), { headers: JSON_TYPE }),
			new Response(LONG, { headers: { ...JSON_TYPE, "Cache-Control": "no-store, no-transform" } }),
			new Response(LONG, { headers: { ...JSON_TYPE, "Content-Encoding": "br" } }),
			new Response(LONG, { status: 206, headers: JSON_TYPE }),
			new Response(LONG, { headers: { "Content-Type": "image/png" } }),
			new Response(LONG, { headers: { "Content-Type": "" } }),
		]) {
			const before = answer.headers.get("content-encoding");
			const sent = await ask(answer, "gzip");
			expect(sent.headers.get("content-encoding")).toBe(before);
			expect((await sent.text()).length).toBeGreaterThanOrEqual(1_000);
		}
		expect(
			(await ask(new Response(LONG, { headers: JSON_TYPE }), "gzip", "POST")).headers.get("content-encoding"),
		).toBeNull();
	});

	test("that has a version keeps it, as a weak one, and two versions are never mixed up", async () => {
		const headers = (etag: string) => ({ ...JSON_TYPE, ETag: etag, "Cache-Control": "public, max-age=300" });
		let file = new Response(LONG, { headers: headers('"one"') });
		const handle = compressing(() => file);
		const request = () => new Request("http://x/", { headers: { "Accept-Encoding": "gzip" } });
		const first = await handle(request());
		expect(first.headers.get("etag")).toBe('W/"one"');
		file = new Response(LONG.toUpperCase(), { headers: headers('"two"') });
		expect(await textOf(await handle(request()))).toBe(LONG.toUpperCase());
		file = new Response(LONG, { headers: headers('"one"') });
		expect(await textOf(await handle(request()))).toBe(LONG);
	});

	test("that is written while it is read comes as it is written", async () => {
		let pulls = 0;
		const body = new ReadableStream({
			pull(controller) {
				if (pulls++ < 500) controller.enqueue(new TextEncoder().encode(`<url>${pulls}</url>`));
				else controller.close();
			},
		});
		const answer = await ask(
			new Response(body, { headers: { "Content-Type": "application/xml; charset=utf-8" } }),
			"gzip, zstd",
		);
		expect(answer.headers.get("content-encoding")).toBe("gzip");
		expect(await textOf(answer)).toEndWith("<url>500</url>");
	});
});
