import { expect, test } from "bun:test";
import type { MendName } from "@svc/images/transform/mends";
import { bytesOf, drawn, masterOf, rendered } from "@svc/test/support/rendering";
import {
	avifWith,
	cicp,
	nclx,
	plainAvif,
	plainPng,
	pngChunk,
	pngWith,
	premultiplied,
} from "@svc/test/support/said-colours";
import { ascii } from "../bytes.ts";
import { boxOf, findDescription, propertiesOf } from "../heif/primary.ts";
import { foundMends } from "../kept/mends.ts";
import { strip } from "../metadata/strip.ts";
import { sharp } from "../sharp-settings.ts";
import { withBytesOf } from "./bytes-at.ts";
import { BT709, DISPLAY_P3, SRGB_CURVE } from "./numbers.ts";
import { profileOf } from "./profile.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const COLOUR = [200, 100, 50];
const RGB = profileOf({ primaries: DISPLAY_P3, transfer: SRGB_CURVE }) ?? new Uint8Array();
const GREY = profileOf({ primaries: BT709, transfer: SRGB_CURVE }, { isGrey: true }) ?? new Uint8Array();
const CMYK = RGB.with(16, 0x43).with(17, 0x4d).with(18, 0x59).with(19, 0x4b);
const avif = await plainAvif(COLOUR);

function profiled(file: Bytes, icc: Uint8Array, kind = "prof"): Promise<Bytes> {
	return avifWith(file, boxOf("colr", ascii(kind), icc));
}

/** What is served without parameters says about its colours. */
async function saidBy(file: Bytes): Promise<readonly Uint8Array[]> {
	const served = (await strip(masterOf(file, "avif"))) ?? file;
	const description = await withBytesOf(served, findDescription);
	return description ? propertiesOf(description, "colr") : [];
}

test("a profile that an AVIF's pixels cannot be of, or that is none, is left out of what is served, and the picture stays", async () => {
	for (const icc of [GREY, CMYK, RGB.subarray(0, 300), RGB.subarray(0, 60), new Uint8Array(200).fill(7)]) {
		for (const kind of ["prof", "rICC"]) {
			const file = await profiled(avif, icc, kind);
			expect(await saidBy(file)).toEqual([]);
			const served = (await strip(masterOf(file, "avif"))) ?? file;
			const pixels = (one: Bytes) => sharp(one, { ignoreIcc: true }).raw().toBuffer();
			expect(await pixels(served)).toEqual(await pixels(avif));
			expect(rendered(file, "w=16", "avif")).resolves.toBeDefined();
		}
	}
});

test("a profile that fits stays", async () => {
	expect(await saidBy(await profiled(avif, RGB))).toHaveLength(1);
});

test("numbers of a curve that no browser knows say none, and others stay", async () => {
	for (const [curve, served] of [
		[9, 2],
		[10, 2],
		[11, 2],
		[12, 2],
		[13, 13],
		[16, 16],
	] as const) {
		expect(await saidBy(await avifWith(avif, nclx(12, curve)))).toEqual([nclx(12, served).subarray(8)]);
	}
});

test("numbers of a PNG that are said to have a matrix are left out of what is served, and others stay", async () => {
	const png = await plainPng(COLOUR);
	const served = async (chunk: Bytes) =>
		Buffer.from((await strip(masterOf(pngWith(png, chunk), "png"))) ?? pngWith(png, chunk));
	expect((await served(pngChunk("cICP", Uint8Array.of(12, 13, 1, 1)))).includes("cICP")).toBe(false);
	expect((await served(cicp(12, 13))).includes("cICP")).toBe(true);
});

test("what was made before of a picture of such colours is known as old, and of no other", async () => {
	const alpha = await bytesOf(drawn(32, 16, () => [128, 50, 25, 128]).avif({ effort: 0 }));
	const cases: readonly (readonly [Bytes, readonly MendName[]])[] = [
		[avif, []],
		[await avifWith(avif, nclx(1, 13)), []],
		[await avifWith(avif, nclx(12, 13)), ["colours by numbers"]],
		[await avifWith(await profiled(avif, RGB), nclx(12, 13)), []],
		[await premultiplied(alpha), ["premultiplied"]],
		[await premultiplied(await profiled(alpha, RGB)), ["premultiplied"]],
		[alpha, []],
		[await profiled(avif, GREY), ["foreign profile"]],
	];
	for (const [index, [file, has]] of cases.entries()) {
		expect([index, (await foundMends(file, "avif")).has]).toEqual([index, [...has]]);
	}
	const png = await plainPng(COLOUR);
	const ofPng = async (file: Bytes) =>
		(await foundMends(file, "png")).has.filter((name) => name === "colours by numbers");
	expect(await ofPng(png)).toEqual([]);
	expect(await ofPng(pngWith(png, cicp(12, 13)))).toEqual(["colours by numbers"]);
	expect(await ofPng(pngWith(png, cicp(1, 13)))).toEqual([]);
});
