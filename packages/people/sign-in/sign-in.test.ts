import { describe, expect, test } from "bun:test";
import { hmac, type Mac } from "@svc/base/crypto/macs";
import { foldEmail, parseEmail } from "@svc/base/email";
import { callbackUrl } from "@svc/connect/connections";
import fc from "fast-check";
import { newCode, readCode } from "./login-codes.ts";
import { deviceToken, knownNonce, sendLimits, triesBucket } from "./login-limits.ts";

describe("an e-mail address", () => {
	test("is one however its letters are written", () => {
		const spellings = [
			"Ada@Example.com",
			" ada@example.com\n",
			"ＡＤＡ@example.com",
			"ada@ex\u{1d41a}mple.com",
			"ADA@EXAMPLE.COM",
		];
		expect(new Set(spellings.map(foldEmail))).toEqual(new Set(["ada@example.com"]));
		expect(foldEmail("\u212Aim@example.com")).toBe("kim@example.com");
		// An international domain has two spellings, and is one mailbox.
		expect(foldEmail("ada@Bücher.example")).toBe("ada@xn--bcher-kva.example");
	});

	test("folds to itself once it is folded", () => {
		fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => foldEmail(foldEmail(text)) === foldEmail(text)));
	});

	test("is kept as typed, but for spaces around it and its Unicode form", () => {
		expect(parseEmail("  Ada.L+x@Example.com ")).toBe("Ada.L+x@Example.com");
		// The operator of a first start, who has no mailbox.
		expect(parseEmail("operator@localhost")).toBe("operator@localhost");
		expect(parseEmail("a.b.c@d-e.1and1.example")).toBe("a.b.c@d-e.1and1.example");
		expect(parseEmail("a@xn--bcher-kva.example")).toBe("a@xn--bcher-kva.example");
		expect(parseEmail("jürgen@bücher.example")).toBe("jürgen@bücher.example");
	});

	test("is refused where it could reach into a header, a list or another mailbox", () => {
		const wrong = [
			"",
			"@",
			"a@",
			"@b",
			"a@b@c",
			"a b@c.d",
			"a@c.d\r\nBcc: x@y.z",
			"a@c.d,b@c.d",
			"<a@c.d>",
			'"a"@c.d',
			"a@c\0d",
			"a\u202e@c.d",
			"\ud800@c.d",
			"a\ufe0f@c.d",
			"a@c\u3164.d",
			"a@c.d.",
			"a@c..d",
			"a@-c.d",
			"a@c\u3002d",
			"(x)a@c.d",
			"a@c.d(.e.f",
			"a@c.d/.e.f",
			"a@c.d?bcc=x",
			"a@[127.0.0.1]",
			`${"x".repeat(65)}@c.d`,
			...[".a@c.d", "a.@c.d", "a..b@c.d", ".@c.d"],
			...["a@localhost", "operator@local", "a@127.0.0.1", "a@1.2.3.4.5", "a@c.0x7f", "a@c.\u0661\u0662"],
			`a@${"x".repeat(253)}`,
		];
		for (const typed of wrong) expect(() => parseEmail(typed)).toThrow("details names each one");
	});
});

describe("a code", () => {
	test("is drawn again where a remainder would favour some", () => {
		const draws = [0xffff_ffff, 4_294_000_000, 4_293_999_999];
		expect(newCode(() => draws.shift() ?? 0)).toBe("999999");
		expect(draws).toEqual([]);
		expect(newCode(() => 42)).toBe("000042");
	});

	test("has six digits, and every digit at every place", () => {
		const seen = new Set<string>();
		for (let count = 0; count < 2_000; count++) {
			const code = newCode();
			expect(code).toMatch(/^[0-9]{6}$/);
			for (const [place, digit] of [...code].entries()) seen.add(`${place}${digit}`);
		}
		expect(seen.size).toBe(60);
	});

	test("is read as people type it", () => {
		expect(["123456", " 123 456 ", "123-456", "１２３４５６"].map(readCode)).toEqual(Array(4).fill("123456"));
		for (const typed of ["", "12345", "1234567", "12345a", "123.456", "١٢٣٤٥٦"])
			expect(readCode(typed)).toBeUndefined();
	});
});

/** A deployment that never had another secret. */
const only = (mac: Mac) => ({ current: () => mac, all: () => [mac] });

describe("a known device", () => {
	test("is known by its token for the one address that it signed in with", async () => {
		const mac = only(await hmac(new Uint8Array(32)));
		const token = await deviceToken(mac, "a@example.com", "email:x");
		const nonce = await knownNonce(mac, "a@example.com", token);
		expect(nonce).toBe(token.slice(0, 22));
		// The same device stays the same: signing in again gives it no further allowance.
		expect(await deviceToken(mac, "a@example.com", `device:${nonce}`)).toBe(token);
		const others = [
			null,
			"",
			".",
			token.slice(1),
			`${token}x`,
			token.slice(0, -1),
			`${token.slice(0, 23)}${"A".repeat(43)}`,
		];
		for (const other of others) expect(await knownNonce(mac, "a@example.com", other)).toBeUndefined();
		expect(await knownNonce(mac, "b@example.com", token)).toBeUndefined();
		const foreign = only(await hmac(new Uint8Array(32).fill(1)));
		expect(await knownNonce(foreign, "a@example.com", token)).toBeUndefined();
	});
});

describe("allowances", () => {
	const rates = { email: 5, address: 30 };
	const networks = { host: "net", site: "around" };
	const buckets = (throttleOwner: string) =>
		sendLimits(throttleOwner, networks, rates).sends.map(({ bucket }) => bucket);

	test("strangers share one for an address whatever they want of it; known devices and live sessions have their own", () => {
		expect(buckets("email:m")).toEqual(["sends email:m", "sends network:net", "sends site:around"]);
		expect(buckets("change:m")).toEqual(["sends email:m", "sends network:net", "sends site:around"]);
		expect(buckets("device:n")).toEqual(["sends device:n"]);
		expect(buckets("live:acc")).toEqual(["sends live:acc"]);
		const tries = ["email:m", "change:m", "device:n", "live:acc"].map((throttleOwner) => triesBucket(throttleOwner));
		expect(new Set(tries).size).toBe(4);
		expect(triesBucket("test:m")).toBeUndefined();
	});

	test("a rate of 0 is no limit", () => {
		expect(sendLimits("email:m", networks, { email: 0, address: 0 }).sends).toEqual([]);
	});
});

describe("a callback", () => {
	test("gets its parameters behind its own query, which stays as it is", () => {
		const params = { code: "c", state: "a b+c&d=é%" };
		const query = "code=c&state=a%20b%2Bc%26d%3D%C3%A9%25";
		expect(callbackUrl("https://a.example/cb", params)).toBe(`https://a.example/cb?${query}`);
		expect(callbackUrl("https://a.example/cb?", params)).toBe(`https://a.example/cb?${query}`);
		expect(callbackUrl("https://a.example/cb?x=%7e+y", params)).toBe(`https://a.example/cb?x=%7e+y&${query}`);
		expect(callbackUrl("https://a.example/cb?x&", { error: "e", state: null })).toBe("https://a.example/cb?x&error=e");
		expect(callbackUrl("https://a.example/cb", { code: "c", state: "" })).toBe("https://a.example/cb?code=c&state=");
	});

	test("gives every state back unmodified", () => {
		fc.assert(
			fc.property(fc.string({ unit: "grapheme" }), (state) => {
				const url = new URL(callbackUrl("https://a.example/cb?own=1", { state }));
				return url.searchParams.get("state") === state && url.searchParams.get("own") === "1";
			}),
		);
		expect(() => callbackUrl("https://a.example/cb", { state: "\ud800" })).not.toThrow();
	});
});
