import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { FakeLog, FakeMeters, folder, removeFolders } from "@svc/test/support/transform-host";
import { digest, openRenditionCache, renditionKey } from "./cache.ts";

afterAll(removeFolders);

let dir = "";
let log = new FakeLog();
let meters = new FakeMeters();
beforeEach(async () => {
	dir = await folder();
	log = new FakeLog();
	meters = new FakeMeters();
});

const BLOCK = 4096;
const open = (maxBytes = 100 * BLOCK, hotBytes = 0) => openRenditionCache({ dir, maxBytes, hotBytes, log, meters });
const key = (spec: string, blobKey = "blob") => renditionKey(blobKey, digest(spec));
const bytes = (text: string) => new TextEncoder().encode(text);

async function files(): Promise<string[]> {
	const names = await readdir(dir, { recursive: true, withFileTypes: true });
	return names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function onlyFile(): Promise<string> {
	const [path, ...others] = await files();
	expect(others).toEqual([]);
	return path ?? "";
}

async function text(cache: Awaited<ReturnType<typeof open>>, spec: string): Promise<string | undefined> {
	const hit = await cache.find(key(spec));
	return hit?.blob.text();
}

describe("keys", () => {
	test("differ by blob and by form", () => {
		const keys = [key("w=1"), key("w=2"), key("w=1", "other"), key("w=2", "other")];
		expect(new Set(keys).size).toBe(4);
	});
});

test("a disk that can spare no room is not written to: small renditions are found in memory, and counted nowhere", async () => {
	let room = false;
	const hasRoom = async () => room;
	const cache = await openRenditionCache({ dir, maxBytes: 100 * BLOCK, hotBytes: 1_000_000, hasRoom, log, meters });
	await cache.put(key("a"), bytes("a"), "blob");
	expect([await files(), cache.bytes, cache.entries, await text(cache, "a")]).toEqual([[], 0, 0, "a"]);
	room = true;
	await cache.put(key("a"), bytes("a"), "blob");
	expect([(await files()).length, cache.bytes, cache.entries]).toEqual([1, BLOCK, 1]);
	expect(log.lines).toEqual([]);
});

describe("the byte bound", () => {
	test("evicts the least recently used, whether written or read, and counts whole blocks", async () => {
		const cache = await open(3 * BLOCK);
		for (const spec of ["a", "b", "c"]) await cache.put(key(spec), bytes(spec), "blob");
		expect(cache.bytes).toBe(3 * BLOCK);
		await cache.find(key("a"));
		await cache.put(key("d"), bytes("d"), "blob");
		expect(await Promise.all(["a", "b", "c", "d"].map((spec) => text(cache, spec)))).toEqual([
			"a",
			undefined,
			"c",
			"d",
		]);
		expect(cache.bytes).toBe(3 * BLOCK);
		expect(await files()).toHaveLength(3);
	});

	test("holds for renditions written at the same time", async () => {
		const cache = await open(4 * BLOCK);
		const forms = Array.from({ length: 30 }, (_, index) => `w=${index}`);
		await Promise.all(forms.map((spec) => cache.put(key(spec), bytes(spec), "blob")));
		expect(cache.bytes).toBeLessThanOrEqual(4 * BLOCK);
		expect(await files()).toHaveLength(cache.entries);
	});

	test("keeps nothing that is larger than all of it", async () => {
		const cache = await open(2 * BLOCK);
		await cache.put(key("a"), bytes("a"), "blob");
		await cache.put(key("big"), new Uint8Array(3 * BLOCK), "blob");
		expect(await cache.find(key("big"))).toBeUndefined();
		expect(await text(cache, "a")).toBe("a");
	});

	test("a rendition in use in memory is not the first to leave the disk", async () => {
		const cache = await open(2 * BLOCK, 1e6);
		await cache.put(key("a"), bytes("a"), "blob");
		await cache.put(key("b"), bytes("b"), "blob");
		expect((await cache.find(key("a")))?.tier).toBe("memory");
		await cache.put(key("c"), bytes("c"), "blob");
		expect((await files()).filter((path) => path.includes(key("b")))).toEqual([]);
	});
});

describe("memory", () => {
	test("serves small renditions from the moment they are put, and after one read from the disk", async () => {
		const first = await open(100 * BLOCK, 1e6);
		const writing = first.put(key("a"), bytes("a"), "blob");
		expect((await first.find(key("a")))?.tier).toBe("memory");
		await writing;
		const second = await open(100 * BLOCK, 1e6);
		expect((await second.find(key("a")))?.tier).toBe("disk");
		expect((await second.find(key("a")))?.tier).toBe("memory");
	});

	test("stays under its own bound, empty renditions included", async () => {
		const cache = await open(1e9, 10_000);
		for (let spec = 0; spec < 50; spec++) await cache.put(key(`${spec}`), new Uint8Array(spec % 2 ? 3000 : 0), "blob");
		expect(cache.hotBytes).toBeLessThanOrEqual(10_000);
		expect((await cache.find(key("49")))?.tier).toBe("memory");
		expect((await cache.find(key("0")))?.tier).toBe("disk");
	});

	test("leaves large renditions on the disk", async () => {
		const cache = await open(1e9, 1e8);
		await cache.put(key("big"), new Uint8Array(2_000_000).fill(7), "blob");
		const hit = await cache.find(key("big"));
		expect(hit?.tier).toBe("disk");
		expect((await hit?.blob.bytes())?.every((byte) => byte === 7)).toBe(true);
	});
});

describe("a start", () => {
	test("finds what an earlier process wrote, oldest first", async () => {
		const first = await open();
		for (const spec of ["a", "b", "c"]) await first.put(key(spec), bytes(spec), "blob");
		for (const path of await files()) {
			// "b" is the oldest by its time, whatever the order of writing was.
			await utimes(path, 1000, path.includes(key("b")) ? 1000 : 2000);
		}
		const second = await open(3 * BLOCK);
		await second.put(key("d"), bytes("d"), "blob");
		expect(await text(second, "b")).toBeUndefined();
		expect(await text(second, "a")).toBe("a");
	});

	test("holds a bound that was lowered meanwhile", async () => {
		const first = await open();
		for (const spec of ["a", "b", "c"]) await first.put(key(spec), bytes(spec), "blob");
		const second = await open(BLOCK);
		expect([second.bytes, second.entries, (await files()).length]).toEqual([BLOCK, 1, 1]);
	});

	test("removes what a crash left half-written, and cut-off renditions; other people's files stay", async () => {
		const first = await open();
		await first.put(key("a"), bytes("a whole rendition"), "blob");
		await truncate(await onlyFile(), 3);
		await writeFile(join(dir, "partial", "leftover"), "half");
		await mkdir(join(dir, "ab"), { recursive: true });
		await writeFile(join(dir, "ab", "notes.txt"), "not ours");
		const second = await open();
		expect(await text(second, "a")).toBeUndefined();
		expect(await files()).toEqual([join(dir, "ab", "notes.txt")]);
		expect(second.bytes).toBe(0);
	});
});

describe("a broken entry is a miss, is dropped, and can be written again", () => {
	const spoil: [string, (path: string) => Promise<void>][] = [
		["gone", (path) => rm(path)],
		["cut off", (path) => truncate(path, 3)],
		["longer", (path) => writeFile(path, "x".repeat(100))],
		["other bytes of the same length", async (path) => writeFile(path, new Uint8Array((await stat(path)).size))],
		[
			"a folder",
			async (path) => {
				await rm(path);
				await mkdir(path);
			},
		],
	];

	test.each(spoil)("%s", async (_, spoilFile) => {
		const cache = await open();
		await cache.put(key("a"), bytes("a rendition"), "blob");
		await spoilFile(await onlyFile());
		expect(await text(cache, "a")).toBeUndefined();
		expect([cache.bytes, cache.entries]).toEqual([0, 0]);
		expect(meters.counts.get("svc_cdn_cache_errors_total read")).toBe(1);
	});

	test("also a large one: by its length, and by its sum when an earlier process wrote it", async () => {
		const first = await open(1e9);
		await first.put(key("big"), new Uint8Array(2_000_000).fill(7), "blob");
		const path = await onlyFile();
		const content = await readFile(path);
		await writeFile(path, content.fill(0, 1_000_000));
		const second = await open(1e9);
		expect(await second.find(key("big"))).toBeUndefined();
		await second.put(key("big"), new Uint8Array(2_000_000).fill(7), "blob");
		await truncate(await onlyFile(), 5);
		expect(await second.find(key("big"))).toBeUndefined();
	});
});

describe("a large entry that has been read before", () => {
	test("is a miss once a byte of it has changed, for a reader and for who takes its path", async () => {
		for (const take of ["find", "pathOf"] as const) {
			const cache = await open(1e9);
			await cache.put(key("big"), new Uint8Array(2_000_000).fill(7), "blob");
			expect(await cache[take](key("big"))).toBeDefined();
			const path = await onlyFile();
			await writeFile(path, (await readFile(path)).fill(0, 1_000_000, 1_000_001));
			expect(await cache[take](key("big"))).toBeUndefined();
			expect([await files(), cache.entries]).toEqual([[], 0]);
		}
	});

	test("nothing of a small one is taken for a smaller copy once a byte of it has changed", async () => {
		const cache = await open();
		await cache.put(key("a"), bytes("a rendition"), "blob");
		expect(await cache.pathOf(key("a"))).toBe(await onlyFile());
		await writeFile(await onlyFile(), "a renditioM");
		expect(await cache.pathOf(key("a"))).toBeUndefined();
	});
});

describe("a disk that refuses", () => {
	test("fails nothing, is logged and counted, and leaves nothing behind", async () => {
		const cache = await open(100 * BLOCK, 1e6);
		await rm(join(dir, "partial"), { recursive: true });
		await cache.put(key("a"), bytes("a"), "blob");
		expect(meters.counts.get("svc_cdn_cache_errors_total write")).toBe(1);
		expect(log.lines).toHaveLength(1);
		expect([cache.bytes, cache.entries]).toEqual([0, 0]);
		expect((await cache.find(key("a")))?.tier).toBe("memory");
	});
});

describe("a purge", () => {
	test("forgets every rendition of one blob in memory and on disk, and no other", async () => {
		const cache = await open(1e9, 1e6);
		for (const spec of ["w=1", "w=2"]) {
			await cache.put(key(spec), bytes(spec), "blob");
			await cache.put(key(spec, "other"), bytes(spec), "other");
		}
		await cache.purge("blob");
		expect(await cache.find(key("w=1"))).toBeUndefined();
		expect(await cache.find(key("w=2"))).toBeUndefined();
		expect((await cache.find(key("w=1", "other")))?.tier).toBe("memory");
		expect(await files()).toHaveLength(2);
		expect(cache.bytes).toBe(2 * BLOCK);
	});

	test("counts for a rendition whose image was found to be there before, and not for one found there since", async () => {
		const cache = await open(1e9, 1e6);
		const before = cache.moment();
		await cache.purge("blob");
		await cache.put(key("a"), bytes("a"), "blob", before);
		expect([await cache.find(key("a")), await files(), cache.bytes]).toEqual([undefined, [], 0]);
		await cache.put(key("other", "other"), bytes("a"), "other", before);
		await cache.put(key("a"), bytes("a"), "blob", cache.moment());
		expect(await files()).toHaveLength(2);
	});

	test("that is forgotten among thousands counts for all that was found before it", async () => {
		const cache = await open(1e9, 1e6);
		const before = cache.moment();
		for (let blob = 0; blob <= 10_000; blob++) await cache.purge(`${blob}`);
		await cache.put(key("a"), bytes("a"), "blob", before);
		expect(await files()).toEqual([]);
	});

	test("is possible after a restart: each file says of which blob it is, and one that does not is removed", async () => {
		const cache = await open();
		await cache.put(key("a", "img_1/x"), bytes("a"), "img_1/x");
		const [path = ""] = await files();
		await writeFile(path.replace(/-[^-]*$/, ""), bytes("a"));
		const again = await open();
		expect(again.blobKeys()).toEqual(["img_1/x"]);
		expect(await files()).toEqual([path]);
	});

	test("reaches a rendition that is being written, and one that is being read", async () => {
		const cache = await open(1e9, 1e6);
		const writing = cache.put(key("a"), bytes("a"), "blob");
		await cache.purge("blob");
		await writing;
		expect(await cache.find(key("a"))).toBeUndefined();
		expect(await files()).toEqual([]);

		await cache.put(key("b"), bytes("b"), "blob");
		const again = await open(1e9, 1e6);
		const reading = again.find(key("b"));
		await again.purge("blob");
		await reading;
		expect(await again.find(key("b"))).toBeUndefined();
		expect(again.hotBytes).toBe(0);
	});

	test("lists no folder: what it forgets is known, also of what was there at the start", async () => {
		await (await open()).put(key("w=1"), bytes("a"), "blob");
		const cache = await open(1e9, 1e6);
		await cache.put(key("w=2"), bytes("b"), "blob");
		await cache.put(key("w=1", "other"), bytes("c"), "other");
		await rm(join(dir, key("").slice(0, 2)), { recursive: true });
		await cache.purge("blob");
		expect([cache.entries, cache.bytes, cache.blobKeys()]).toEqual([1, BLOCK, ["other"]]);
	});

	test("of an unknown blob does nothing", async () => {
		const cache = await open();
		await cache.purge("unknown");
		expect(log.lines).toEqual([]);
	});
});

test("reads, writes, evictions and purges at once never give wrong bytes", async () => {
	const cache = await open(5 * BLOCK, 4000);
	const wrong: string[] = [];
	const worker = async (seed: number) => {
		for (let step = 0; step < 60; step++) {
			const spec = `w=${(seed * 7 + step * 3) % 11}`;
			const found = await text(cache, spec);
			if (found !== undefined && found !== spec) wrong.push(found);
			if (found === undefined) await cache.put(key(spec), bytes(spec), "blob");
			if (step % 20 === 19) await cache.purge("blob");
		}
	};
	await Promise.all([1, 2, 3, 4, 5, 6].map(worker));
	expect(wrong).toEqual([]);
	expect(cache.bytes).toBeLessThanOrEqual(5 * BLOCK);
	expect(cache.bytes).toBe(cache.entries * BLOCK);
	expect(await files()).toHaveLength(cache.entries);
});

describe("the smallest size of a picture", () => {
	const sized = (smallMaxBytes: number) =>
		openRenditionCache({ dir, maxBytes: 2 * BLOCK, smallMaxBytes, hotBytes: 0, log, meters });
	const putSmall = (cache: Awaited<ReturnType<typeof open>>, blobKey: string, content = blobKey) =>
		cache.put(key("s", blobKey), bytes(content), blobKey, undefined, true);
	const there = async (cache: Awaited<ReturnType<typeof open>>, ...blobKeys: string[]) =>
		await Promise.all(blobKeys.map(async (blobKey) => (await cache.find(key("s", blobKey))) !== undefined));

	test("is driven out by no other rendition, neither now nor after a start, and goes with its picture", async () => {
		const cache = await sized(3 * BLOCK);
		for (const blobKey of ["a", "b", "c"]) await putSmall(cache, blobKey);
		for (const spec of ["1", "2", "3", "4"]) await cache.put(key(spec), bytes(spec), "blob");
		expect([cache.bytes, cache.smallBytes, cache.entries]).toEqual([2 * BLOCK, 3 * BLOCK, 5]);
		const again = await sized(3 * BLOCK);
		expect([again.bytes, again.smallBytes, again.entries]).toEqual([2 * BLOCK, 3 * BLOCK, 5]);
		expect(await there(again, "a", "b", "c")).toEqual([true, true, true]);
		await again.purge("b");
		expect([await there(again, "a", "b", "c"), again.smallBytes]).toEqual([[true, false, true], 2 * BLOCK]);
	});

	test("has a bound of its own, under which the least recently looked at goes", async () => {
		const cache = await sized(2 * BLOCK);
		for (const blobKey of ["a", "b"]) await putSmall(cache, blobKey);
		await there(cache, "a");
		await putSmall(cache, "c");
		expect([await there(cache, "a", "b", "c"), cache.smallBytes]).toEqual([[true, false, true], 2 * BLOCK]);
		expect((await sized(BLOCK)).smallBytes).toBe(BLOCK);
	});

	test("lies with the others where it is no small file, or nothing may be kept apart", async () => {
		const large = await openRenditionCache({ dir, maxBytes: 1e6, smallMaxBytes: 1e6, hotBytes: 0, log, meters });
		await putSmall(large, "a", "x".repeat(262_145));
		expect([large.bytes, large.smallBytes]).toEqual([65 * BLOCK, 0]);
		const none = await sized(0);
		await putSmall(none, "b");
		expect([none.smallBytes, await there(none, "b")]).toEqual([0, [true]]);
	});
});
