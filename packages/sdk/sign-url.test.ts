import { describe, expect, test } from "bun:test";
import { signUrl } from "./sign-url.ts";
import { imageUrl } from "./transform.ts";

const SECRET = "svc_sig_0123456789abcdefghijklmnopqrstuv000000";
const URL_ = "https://img.example.com/VQfCHCwCE4OEiSWT/img_TQT69ZbHuwN4iFAAb71zxt.jpg";
const EXPIRY = 1_798_761_600;
const PARAMETERS = { w: 300, h: 300, fit: "cover", background: "#ff8800" } as const;
const SIGNED = `${URL_}?background=%23ff8800&fit=cover&h=300&w=300&exp=1798761600&sig=3Toech3umGf5tJpcp-aFWIP2h1rDjASD2zhkMuhLlb4`;

test("the example of the documentation", async () => {
	expect(await signUrl(URL_, { secret: SECRET, expiresAt: EXPIRY, parameters: PARAMETERS })).toBe(SIGNED);
});

describe("the same address", () => {
	const options = { secret: SECRET, expiresAt: EXPIRY };

	test("comes of an image, of an address that asks already, and of one that was signed before", async () => {
		expect(await signUrl({ url: URL_ }, { ...options, parameters: PARAMETERS })).toBe(SIGNED);
		expect(await signUrl(imageUrl(URL_, PARAMETERS), options)).toBe(SIGNED);
		expect(await signUrl(SIGNED, options)).toBe(SIGNED);
		expect(await signUrl(imageUrl(URL_, { ...PARAMETERS, w: 9 }), { ...options, parameters: { w: 300 } })).toBe(SIGNED);
	});

	test("comes of every way to write its end", async () => {
		const ends = [new Date(EXPIRY * 1_000), new Date(EXPIRY * 1_000 + 999), new Date(EXPIRY * 1_000).toISOString()];
		for (const expiresAt of ends) {
			expect(await signUrl(URL_, { secret: SECRET, expiresAt, parameters: PARAMETERS })).toBe(SIGNED);
		}
	});

	test("has its signature wherever the transform host stands", async () => {
		const behind = await signUrl(`https://example.com/pictures${new URL(URL_).pathname}`, {
			...options,
			parameters: PARAMETERS,
		});
		expect(behind.split("sig=")[1]).toBe(SIGNED.split("sig=")[1]);
	});
});

test("what the service would refuse is refused here", async () => {
	const sign =
		(url: string, expiresAt: Date | string | number = EXPIRY) =>
		() =>
			signUrl(url, { secret: SECRET, expiresAt });
	expect(sign("https://img.example.com/")).toThrow(RangeError);
	expect(sign(`${URL_}?w=1&w=2`)).toThrow("w stands in the address twice.");
	expect(sign(URL_, "soon")).toThrow(RangeError);
	expect(sign(URL_, 1.5)).toThrow(RangeError);
	expect(sign(URL_, Math.floor(Date.now() / 1_000) + 367 * 86_400)).toThrow("at most 366 days");
});
