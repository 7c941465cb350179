import { describe, expect, test } from "bun:test";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bytesOf, drawn, masterOf, painted } from "@svc/test/support/rendering";
import { thumbHashToAverageRGBA, thumbHashToRGBA } from "thumbhash";
import { analyser } from "./analyser.ts";
import { sharpLooks } from "./looks.ts";
import { colourOf, fromAfar, thumbhashOf } from "./placeholder.ts";

const RED = [220, 30, 40];
const BLUE = [20, 60, 200];

const findThumbhash = async (picture: Uint8Array) => thumbhashOf(await fromAfar(picture));
const findColour = async (picture: Uint8Array) => colourOf(await fromAfar(picture));

describe("a thumbhash", () => {
	test("shows from afar what is where, in a few bytes", async () => {
		const hash = await findThumbhash(await painted(900, 600, (x) => (x < 450 ? RED : BLUE)));
		expect(hash.length).toBeLessThan(40);
		const { w, h, rgba } = thumbHashToRGBA(Buffer.from(hash, "base64"));
		expect(w / h).toBeCloseTo(1.5, 0);
		const at = (x: number) => [...rgba.subarray((Math.floor(h / 2) * w + x) * 4).slice(0, 3)];
		const [left, right] = [at(2), at(w - 3)];
		expect([(left[0] ?? 0) > (left[2] ?? 0), (right[2] ?? 0) > (right[0] ?? 0)]).toEqual([true, true]);
	});

	test("knows what is transparent", async () => {
		const cut = await bytesOf(drawn(60, 40, (x) => [...RED, x < 30 ? 0 : 255]).png());
		const { a } = thumbHashToAverageRGBA(Buffer.from(await findThumbhash(cut), "base64"));
		expect(a).toBeCloseTo(0.5, 1);
	});

	test("takes the smallest pictures", async () => {
		expect(await findThumbhash(await painted(1, 1, () => RED))).not.toBe("");
	});
});

describe("the colour", () => {
	test("is that of most places, not the mean of all", async () => {
		expect(await findColour(await painted(100, 50, (x) => (x < 60 ? BLUE : RED)))).toBe("#143cc8");
	});

	test("is the mean of what looks alike", async () => {
		expect(await findColour(await painted(100, 50, (x) => (x < 50 ? [16, 100, 208] : [22, 104, 210])))).toBe("#1366d1");
	});

	test("does not count what is transparent; where all is, it is white", async () => {
		const cut = (seen: number) => bytesOf(drawn(90, 60, (x) => (x < seen ? [...RED, 255] : [...BLUE, 0])).png());
		expect(await findColour(await cut(10))).toBe("#dc1e28");
		expect(await findColour(await cut(0))).toBe("#ffffff");
	});
});

test("both are found on the smallest copy at one look, and on the master when that has gone", async () => {
	const master = masterOf(await painted(200, 100, () => RED), "png");
	const copy = await painted(100, 50, () => BLUE);
	const finder = analyser(
		{ faces: async () => [], everyFace: async () => [], subject: async () => undefined },
		sharpLooks,
	);
	const { signal } = new AbortController();
	let reads = 0;
	await using dir = await mkdtempDisposable(join(tmpdir(), "svc-placeholder-"));
	const file = join(dir.path, "copy");
	await writeFile(file, copy);
	const path = async () => {
		reads++;
		return file;
	};
	const shrunkMasters = [
		{ factor: 2, path: async () => undefined },
		{ factor: 4, path },
	];
	const copied = { ...master, shrunkMasters };
	expect(await finder.find(copied, "colour", { signal })).toBe("#143cc8");
	expect(await finder.find(copied, "thumbhash", { signal })).toBe(await findThumbhash(copy));
	expect(reads).toBe(1);
	expect(await finder.find({ ...master, shrunkMasters: shrunkMasters.slice(0, 1) }, "colour", { signal })).toBe(
		"#dc1e28",
	);
	expect(await finder.find(master, "colour", { signal })).toBe("#dc1e28");
});
