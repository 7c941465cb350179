import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OutputFormat } from "@svc/base/enumerations";
import type { Staged } from "@svc/base/ports";
import type { FileRules, Master } from "@svc/images/ports";
import type { Overview } from "@svc/images/transform/analysis";
import { smallestOf } from "@svc/images/transform/smallest";
import { corners, noise } from "@svc/test/support/pictures";
import { masterOf } from "@svc/test/support/rendering";
import { until } from "@svc/test/support/workers";
import { thumbHashToRGBA } from "thumbhash";
import { overviewOf } from "../kept/looks.ts";
import { sharpRenderer } from "../render/render.ts";
import { sharp } from "../sharp-settings.ts";
import { FairLine } from "./fair-line.ts";
import { FreshCopies } from "./fresh-copies.ts";
import { workerInspector } from "./inspector.ts";
import type { OrderKind } from "./orders.ts";
import { openPool, type Pool, TIME_LIMITS, type Workers } from "./pool/pool.ts";
import { workerShrinker } from "./shrinker.ts";

const HINTS = { filename: undefined, contentType: undefined };
const RULES: FileRules = { maxBytes: 20_000_000, formats: new Set(["jpg", "png"]) };
const { signal: NEVER } = new AbortController();
const MEMORY = 640 * 1_024 ** 2;
const SIDES = { width: 1_600, height: 1_001 };

let dir = "";
let scratch = "";
let files = 0;
let pool: Pool;
/** What was asked of workers. */
const asked: OrderKind[] = [];
const watched: Workers = {
	do: (order, wish) => {
		asked.push(order.kind);
		return pool.do(order, wish);
	},
};

beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-fresh-"));
	scratch = await mkdtemp(join(tmpdir(), "svc-fresh-scratch-"));
	const clock = { now: () => performance.now() };
	const line = new FairLine({ places: 2, bytes: MEMORY, waiting: 16, clock, after: () => () => undefined });
	pool = openPool({ workers: 2, line, limits: { ...TIME_LIMITS, memoryBytes: MEMORY } });
	pool.attach({ meters: { count: () => undefined, gauge: () => undefined }, log: { warn: () => undefined } });
});
afterAll(async () => {
	await pool.close();
	await rm(dir, { recursive: true });
	await rm(scratch, { recursive: true });
});

async function staged(bytes: Uint8Array): Promise<Staged> {
	const path = join(dir, `upload${files++}`);
	await writeFile(path, bytes);
	const sha256 = new Uint8Array(Bun.SHA256.hash(bytes).buffer as ArrayBuffer);
	return { path, bytes: bytes.length, sha256, discard: () => rm(path, { force: true }) };
}

function storedAs({ path, sha256, bytes }: Staged): Master {
	const hex = Buffer.from(sha256).toString("hex");
	return {
		...masterOf(new Uint8Array(), "jpg"),
		...SIDES,
		blob: { ...masterOf(new Uint8Array(), "jpg").blob, path, bytes, sha256: hex },
	};
}

function opened(smallest = false) {
	const fresh = new FreshCopies();
	const parts = {
		workers: watched,
		stage: () => Promise.reject(new Error("nothing is staged")),
		scratch: () => join(scratch, `${files++}`),
	};
	return {
		fresh,
		inspector: workerInspector(watched, MEMORY, { scratch: parts.scratch, fresh, smallest }),
		shrinker: workerShrinker(parts, fresh),
	};
}

describe("the smaller copies of an upload", () => {
	test("are those that it was proven by, the same as if they were made of it later, and are handed over once", async () => {
		const { inspector, shrinker } = opened();
		const upload = await staged(await noise(SIDES.width, SIDES.height));
		await inspector.inspect(upload, HINTS, RULES);
		asked.length = 0;
		const overview = shrinker.takeStripped(upload.sha256)?.overview;
		const handed = await shrinker.reduce(storedAs(upload), [2]);
		const made = await shrinker.reduce(storedAs(upload), [2]);
		expect(asked).toEqual(["shrink"]);
		const bytesOf = async (copy: (typeof handed extends ReadonlyMap<number, infer M> ? M : never) | undefined) =>
			copy && !(copy instanceof Uint8Array) ? new Uint8Array(await readFile(copy.path)) : copy;
		expect([...handed.keys()]).toEqual([2]);
		expect(await bytesOf(handed.get(2))).toEqual(await bytesOf(made.get(2)));
		const { width, height } = await sharp(await bytesOf(handed.get(2))).metadata();
		expect([width, height]).toEqual([800, 501]);
		const { data } = await sharp(upload.path).raw().toBuffer({ resolveWithObject: true });
		expect(overview).toEqual(await overviewOf({ ...SIDES, data }, SIDES));
	});

	test("are not those of another file, nor of other sizes than were made", async () => {
		const { inspector, shrinker } = opened();
		const upload = await staged(await noise(SIDES.width, SIDES.height));
		await inspector.inspect(upload, HINTS, RULES);
		asked.length = 0;
		await shrinker.reduce(storedAs(await staged(await noise(SIDES.width, SIDES.height))), [2]);
		await shrinker.reduce(storedAs(upload), [2, 4]);
		expect(asked).toEqual(["shrink", "shrink"]);
	});

	test("leave nothing behind where it is damaged, and prove that as well", async () => {
		const before = await readdir(scratch);
		const { inspector } = opened();
		const whole = await noise(SIDES.width, SIDES.height);
		const cut = inspector.inspect(await staged(whole.subarray(0, -2_000)), HINTS, RULES);
		expect(await cut.catch(({ code }: { code: string }) => code)).toBe("validation_error");
		expect(await readdir(scratch)).toEqual(before);
	});

	test("are removed where its image never comes, the oldest first", async () => {
		const before = (await readdir(scratch)).length;
		const { fresh } = opened();
		for (let count = 0; count < 40; count++) {
			const path = join(scratch, `left-${count}`);
			await writeFile(path, "copy");
			fresh.add(Uint8Array.of(count), new Map([[2, { path, length: 4, crc32: 0 }]]));
		}
		await until(async () => (await readdir(scratch)).length === before + 32);
		expect(await readdir(scratch)).not.toContain("left-7");
		expect(fresh.take("00", [2])).toBeUndefined();
		expect(fresh.take("27", [2])?.size).toBe(1);
	});
});

test("an upload that is small, or whose pixels are held anyway, is looked at along with its inspection; another one is looked at later", async () => {
	const { inspector, shrinker } = opened();
	const seen = async (picture: Buffer<ArrayBuffer>) => {
		const upload = await staged(picture);
		const { seen: known } = await inspector.inspect(upload, HINTS, RULES);
		const { mends: _, ...overview } = known ?? {};
		expect(shrinker.takeStripped(upload.sha256)?.overview ?? {}).toEqual(overview);
		return { overview, later: await overviewOf(upload.path, SIDES) };
	};
	asked.length = 0;
	const small = await seen(await noise(500, 500, "png"));
	expect(small.overview).toEqual(small.later);
	expect((await seen(await noise(501, 500, "png"))).overview).toEqual({});
	const held = await seen(await corners(900, 600, "jpeg"));
	const shown = ({ thumbhash = "" }: Partial<Overview> = {}) => [
		...thumbHashToRGBA(Buffer.from(thumbhash, "base64")).rgba,
	];
	const later = shown(held.later);
	const apart = shown(held.overview).map((value, at) => Math.abs(value - (later[at] ?? 0)));
	expect(apart.reduce((sum, one) => sum + one) / apart.length).toBeLessThan(10);
	expect(asked).toEqual(["inspect", "inspect", "inspect"]);
});

test("the smallest size is made along with the inspection, the same as whoever asks for it later is given; of a large picture it is not", async () => {
	const { inspector, shrinker } = opened(true);
	const smallestOfOne = async (picture: Buffer<ArrayBuffer>) => {
		const upload = await staged(picture);
		const { format, width, height } = await inspector.inspect(upload, HINTS, RULES);
		const made = shrinker.takeStripped(upload.sha256)?.smallest;
		const bytes = made && !(made instanceof Uint8Array) ? new Uint8Array(await readFile(made.path)) : made;
		const transform = smallestOf({ format, width, height });
		const later = (await sharpRenderer().render(masterOf(picture, format as OutputFormat), transform, {}, NEVER)).bytes;
		return { bytes, later };
	};
	asked.length = 0;
	const turned = await sharp(await noise(700, 500))
		.withMetadata({ orientation: 6 })
		.jpeg()
		.toBuffer();
	const pictures = [
		await noise(600, 400),
		turned as Buffer<ArrayBuffer>,
		await noise(500, 400, "png"),
		await noise(90, 60),
	];
	for (const picture of pictures) {
		const { bytes, later } = await smallestOfOne(picture);
		expect(bytes?.length).toBeGreaterThan(1_000);
		expect(bytes).toEqual(later);
	}
	expect((await smallestOfOne(await noise(1_001, 1_001))).bytes).toBeUndefined();
	expect(new Set(asked)).toEqual(new Set(["inspect"]));
});
