import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plain } from "@svc/test/support/pictures";
import { Damaged } from "../failures.ts";
import { onDisk } from "../local-files.ts";
import type { Order } from "../orders.ts";
import { work } from "./tasks.ts";

const ADMITTED = { bytes: 1e9, cpuMs: 1_000 };

let dir: string;
let path: string;
let bytes: number;
let sha256: string;
beforeAll(async () => {
	dir = await mkdtemp(join(tmpdir(), "svc-compare-"));
	path = join(dir, "a.png");
	const picture = await plain(30, 20);
	await writeFile(path, picture);
	[bytes, sha256] = [picture.length, createHash("sha256").update(picture).digest("hex")];
});
afterAll(() => rm(dir, { recursive: true }));

const order = (changes: Partial<Order<"overview">["master"]> = {}): Order<"overview"> => ({
	kind: "overview",
	master: { path, bytes, sha256, format: "png", width: 30, height: 20, ...changes },
	copies: [],
});

describe("a worker", () => {
	test("makes something of a master whose bytes are right, and of one that was compared already", async () => {
		expect(await work(order(), ADMITTED)).toHaveProperty("thumbhash");
		expect(await work(order({ sha256: undefined }), ADMITTED)).toHaveProperty("thumbhash");
	});

	test("makes nothing of one with other bytes, fewer bytes or none", async () => {
		await expect(work(order({ sha256: "0".repeat(64) }), ADMITTED)).rejects.toBeInstanceOf(Damaged);
		await expect(work(order({ path: `${path}.gone` }), ADMITTED)).rejects.toBeInstanceOf(Damaged);
		const cut = join(dir, "cut.png");
		await writeFile(cut, await readFile(path));
		await truncate(cut, bytes >> 1);
		await expect(work(order({ path: cut }), ADMITTED)).rejects.toBeInstanceOf(Damaged);
	});
});

describe("a worker with a smaller copy", () => {
	const rendition = async (w: number, metadata?: "keep"): Promise<Order<"render">> => {
		const copy = join(dir, "copy.png");
		await writeFile(copy, await plain(15, 10));
		const { master } = order({ sha256: "0".repeat(64) });
		const transform = { w, ...(metadata && { metadata }) };
		return {
			kind: "render",
			master,
			copies: [{ factor: 2, path: copy }],
			transform,
			aids: {},
			layers: {},
			out: join(dir, "out"),
		};
	};

	test("needs nothing of the master for what the copy is large enough for", async () => {
		expect(await work(await rendition(4), ADMITTED)).toHaveProperty("format", "png");
	});

	test("compares the master as soon as it reads more than its header", async () => {
		await expect(work(await rendition(25), ADMITTED)).rejects.toBeInstanceOf(Damaged);
		await expect(work(await rendition(4, "keep"), ADMITTED)).rejects.toBeInstanceOf(Damaged);
	});
});

describe("what a worker found to be damaged", () => {
	const unused = () => Promise.reject(new Error("not part of this world"));
	const master = (judge: () => Promise<void>) => ({
		blob: { path, bytes, read: unused, stream: () => new Blob().stream(), sha256, judge },
		...({ format: "png", width: 30, height: 20 } as const),
	});

	test("is judged, and refused", async () => {
		const judge = () => Promise.reject(new Error("it is damaged"));
		const working = onDisk(master(judge), unused, async () => Promise.reject(new Damaged(path)));
		await expect(working).rejects.toThrow("it is damaged");
	});

	test("is tried once more where its bytes are right after all", async () => {
		let tries = 0;
		const done = await onDisk(
			master(async () => undefined),
			unused,
			async () => {
				tries += 1;
				if (tries === 1) throw new Damaged(path);
				return "made";
			},
		);
		expect([done, tries]).toEqual(["made", 2]);
	});
});
