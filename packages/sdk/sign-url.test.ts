import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
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

describe("with expiresIn", () => {
	afterEach(() => {
		setSystemTime();
	});
	const at = async (ms: number, expiresIn: number | string = "1h") => {
		setSystemTime(new Date(ms));
		const url = await signUrl(URL_, { secret: SECRET, expiresIn, parameters: { w: 300 } });
		return { url, leftSeconds: Number(new URL(url).searchParams.get("exp")) - Math.floor(ms / 1_000) };
	};

	test("the address stays the same for so long, and works for at least as long, and at most twice", async () => {
		const start = EXPIRY * 1_000;
		const seen = [await at(start), await at(start + 1), await at(start + 3_599_999), await at(start + 3_600_000)];
		expect(new Set(seen.slice(0, 3).map(({ url }) => url)).size).toBe(1);
		expect(seen[3]?.url).not.toBe(seen[2]?.url ?? "");
		expect(seen.map(({ leftSeconds }) => leftSeconds)).toEqual([7_200, 7_200, 3_601, 7_200]);
	});

	test("seconds and durations are the same; no end, two ends and what is no duration are refused", async () => {
		expect((await at(EXPIRY * 1_000, 3_600)).url).toBe((await at(EXPIRY * 1_000, "60m")).url);
		for (const expiresIn of ["soon", "0", 0, 1.5, -1, "184d", "1w"])
			await expect(at(EXPIRY * 1_000, expiresIn)).rejects.toThrow("expiresIn must be");
		await expect(signUrl(URL_, { secret: SECRET })).rejects.toThrow("one of the two");
		await expect(signUrl(URL_, { secret: SECRET, expiresAt: EXPIRY, expiresIn: 60 })).rejects.toThrow("one of the two");
	});
});
