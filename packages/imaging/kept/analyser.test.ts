import { expect, test } from "bun:test";
import { masterOf, painted } from "@svc/test/support/rendering";
import { analyser, type Models } from "./analyser.ts";
import { sharpLooks } from "./looks.ts";

const { signal } = new AbortController();
const master = masterOf(await painted(1_280, 640, (x) => (x < 640 ? [200, 0, 0] : [0, 0, 200])), "png");

function models(differences: Partial<Models> = {}): Models {
	return { faces: async () => [], everyFace: async () => [], subject: async () => undefined, ...differences };
}

test("models get the analysis picture, and give shares and a mask", async () => {
	const seen: number[][] = [];
	const finder = analyser(
		models({
			faces: async ({ data, width, height }) => {
				seen.push([width, height, data.length, ...data.subarray(0, 3)]);
				return [{ left: 1 / 3, top: 0, width: 0.5, height: 1, ...{ score: 0.9 } }];
			},
			subject: async ({ width, height }) => ({
				width,
				height,
				alpha: new Uint8Array(width * height).fill(9),
				...{ share: 0.5 },
			}),
		}),
		sharpLooks,
	);
	expect(await finder.find(master, "faces", { signal })).toEqual([{ left: 0.3333, top: 0, width: 0.5, height: 1 }]);
	const alpha = new Uint8Array(640 * 320).fill(9);
	expect(await finder.find(master, "subject", { signal })).toEqual({ width: 640, height: 320, alpha });
	expect(seen).toEqual([[640, 320, 640 * 320 * 3, 200, 0, 0]]);
});

test("nothing found is an answer", async () => {
	const finder = analyser(models(), sharpLooks);
	expect(await finder.find(master, "faces", { signal })).toEqual([]);
	expect(await finder.find(master, "subject", { signal })).toBeNull();
	const plain = masterOf(await painted(50, 50, () => [1, 2, 3]), "png");
	expect(await finder.find(plain, "content", { signal })).toBeNull();
});

test("a model without an answer, a file that cannot be decoded and a client that has gone are none", async () => {
	const broken = new Error("out of memory");
	const finder = analyser(
		models({
			subject: async () => {
				throw broken;
			},
		}),
		sharpLooks,
	);
	await expect(finder.find(master, "subject", { signal })).rejects.toBe(broken);
	const damaged = masterOf(new TextEncoder().encode("no picture"), "png");
	for (const kind of ["faces", "focus", "content", "subject"] as const)
		await expect(finder.find(damaged, kind, { signal })).rejects.toThrow("unsupported image format");
	const reason = new Error("gone");
	await expect(finder.find(master, "focus", { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

test("whoever asks about one master several times has it decoded once", async () => {
	let reads = 0;
	const read = async () => {
		reads++;
		return await master.blob.read();
	};
	const counted = { ...master, blob: { ...master.blob, read } };
	const finder = analyser(models(), sharpLooks);
	for (const kind of ["faces", "focus", "subject"] as const) await finder.find(counted, kind, { signal });
	expect(reads).toBe(1);
	await finder.find({ ...counted }, "faces", { signal });
	expect(reads).toBe(2);
});
