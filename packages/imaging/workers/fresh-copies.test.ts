import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Staged } from "@svc/base/ports";
import type { FileRules, Master } from "@svc/images/ports";
import { noise } from "@svc/test/support/pictures";
import { masterOf } from "@svc/test/support/rendering";
import { until } from "@svc/test/support/workers";
import { overviewOf } from "../kept/looks.ts";
import { sharp } from "../sharp-settings.ts";
import { FairLine } from "./fair-line.ts";
import { FreshCopies } from "./fresh-copies.ts";
import { workerInspector } from "./inspector.ts";
import type { OrderKind } from "./orders.ts";
import { openPool, type Pool, TIME_LIMITS, type Workers } from "./pool/pool.ts";
import { workerShrinker } from "./shrinker.ts";

const HINTS = { filename: undefined, contentType: undefined };
const RULES: FileRules = { maxBytes: 20_000_000, formats: new Set(["jpg", "png"]) };
const MEMORY = 640 * 1_024 ** 2;
const SIDES = { width: 1_300, height: 1_001 };

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

function opened() {
	const fresh = new FreshCopies();
	const parts = {
		workers: watched,
		stage: () => Promise.reject(new Error("nothing is staged")),
		scratch: () => join(scratch, `${files++}`),
	};
	return {
		fresh,
		inspector: workerInspector(watched, MEMORY, { scratch: parts.scratch, fresh }),
		shrinker: workerShrinker(parts, fresh),
	};
}

describe("the smaller copies of an upload", () => {
	test("are those that it was proven by, the same as if they were made of it later, and are handed over once", async () => {
		const { inspector, shrinker } = opened();
		const upload = await staged(await noise(SIDES.width, SIDES.height));
		await inspector.inspect(upload, HINTS, RULES);
		asked.length = 0;
		const { copies: handed, overview } = await shrinker.reduce(storedAs(upload), [2]);
		const { copies: made } = await shrinker.reduce(storedAs(upload), [2]);
		expect(asked).toEqual(["shrink"]);
		const bytesOf = async (copy: (typeof handed extends ReadonlyMap<number, infer M> ? M : never) | undefined) =>
			copy && !(copy instanceof Uint8Array) ? new Uint8Array(await readFile(copy.path)) : copy;
		expect([...handed.keys()]).toEqual([2]);
		expect(await bytesOf(handed.get(2))).toEqual(await bytesOf(made.get(2)));
		const { width, height } = await sharp(await bytesOf(handed.get(2))).metadata();
		expect([width, height]).toEqual([650, 501]);
		expect(overview).toEqual(await overviewOf((await bytesOf(handed.get(2))) ?? "", upload.path));
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
			fresh.add(Uint8Array.of(count), { copies: new Map([[2, { path, length: 4, crc32: 0 }]]) });
		}
		await until(async () => (await readdir(scratch)).length === before + 32);
		expect(await readdir(scratch)).not.toContain("left-7");
		expect(fresh.take("00", [2])).toBeUndefined();
		expect(fresh.take("27", [2])?.copies.size).toBe(1);
	});
});
