import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Failure } from "@svc/base/failure";
import type { BlobStore, Staged } from "@svc/base/ports";
import { collect, counted, empty, from, hash, hex, inChunks, numbers, someBytes, throwing } from "./bytes.ts";

const MAX_BYTES = 20_000_000;
const HOSTILE_KEYS = [
	"",
	".",
	"..",
	"../escape",
	"a/../../escape",
	"a/..",
	"/etc/passwd",
	"a//b",
	"a/",
	".hidden",
	"a\\..\\b",
	"a\0b",
	"a\nb",
	"a b",
	"%2e%2e%2f",
	"ключ",
	"a".repeat(201),
];

interface OpenStore {
	readonly store: BlobStore;
	close(): Promise<void>;
}

/** What every blob store promises, whatever it keeps the bytes in. */
export function blobStoreContract(name: string, open: () => Promise<OpenStore>): void {
	describe(`${name} as a blob store`, () => {
		let opened: OpenStore;
		let store: BlobStore;
		let serial = 0;

		beforeAll(async () => {
			opened = await open();
			store = opened.store;
		});
		afterAll(() => opened.close());

		const newKey = () => `img_${++serial}.n${serial}`;

		async function stored(bytes: Uint8Array): Promise<string> {
			const key = newKey();
			await store.put(key, await store.stage(inChunks(bytes, 10_000), MAX_BYTES));
			return key;
		}

		/** Sweeping everything counts what was left behind. */
		const leftovers = () => store.sweepStaged(Number.MAX_SAFE_INTEGER);

		describe("stage and put", () => {
			for (const size of [0, 1, 65_535, 65_536, 65_537, 300_000]) {
				test(`${size} bytes come back as they went in, with their size and SHA-256`, async () => {
					const bytes = someBytes(size);
					const staged = await store.stage(inChunks(bytes, 7_001), MAX_BYTES);
					expect({ bytes: staged.bytes, sha256: hex(staged.sha256) }).toEqual({ bytes: size, sha256: hash(bytes) });
					const key = newKey();
					await store.put(key, staged);
					const blob = await getBlob(store, key);
					expect(blob.bytes).toBe(size);
					expect(hash(await blob.read())).toBe(hash(bytes));
					expect(hash(await collect(blob.stream()))).toBe(hash(bytes));
				});
			}

			test("empty chunks in between change nothing", async () => {
				const staged = await store.stage(from([empty(), someBytes(3), empty(), someBytes(4), empty()]), MAX_BYTES);
				expect(staged.bytes).toBe(7);
				await staged.discard();
			});

			test("a blob appears only with put", async () => {
				const key = newKey();
				const staged = await store.stage(from([someBytes(10)]), MAX_BYTES);
				expect(await store.find(key)).toBeUndefined();
				await store.put(key, staged);
				expect(await store.find(key)).toBeDefined();
			});

			test("keys with slashes name blobs of their own", async () => {
				const keys = ["a/b/c", "a/b", "a-b", "a_b/c", "a"].map((key) => `${key}.slashes`);
				for (const [index, key] of keys.entries()) {
					await store.put(key, await store.stage(from([someBytes(index + 1)]), MAX_BYTES));
				}
				const sizes = await Promise.all(keys.map(async (key) => (await getBlob(store, key)).bytes));
				expect(sizes).toEqual([1, 2, 3, 4, 5]);
			});

			test("the longest key, with as many slashes as fit, is stored", async () => {
				const key = "ab/".repeat(66).concat("cd");
				expect(key).toHaveLength(200);
				await store.put(key, await store.stage(from([someBytes(3)]), MAX_BYTES));
				expect((await getBlob(store, key)).bytes).toBe(3);
			});

			test("a key is written once: a second put is refused and the first bytes stay", async () => {
				const key = await stored(someBytes(100));
				const second = await store.stage(from([someBytes(200)]), MAX_BYTES);
				await expect(store.put(key, second)).rejects.toThrow("taken");
				await second.discard();
				expect((await getBlob(store, key)).bytes).toBe(100);
			});

			test("of ten puts of one key at once exactly one succeeds", async () => {
				const key = newKey();
				const staged = await Promise.all(numbers(10).map((n) => store.stage(from([someBytes(n + 1)]), MAX_BYTES)));
				const outcomes = await Promise.allSettled(staged.map((one) => store.put(key, one)));
				expect(outcomes.filter((outcome) => outcome.status === "fulfilled")).toHaveLength(1);
				const winner = outcomes.findIndex((outcome) => outcome.status === "fulfilled");
				expect((await getBlob(store, key)).bytes).toBe(winner + 1);
				await Promise.all(staged.map((one) => one.discard()));
				expect((await getBlob(store, key)).bytes).toBe(winner + 1);
			});

			test("a hundred puts of different keys at once all arrive whole", async () => {
				const sizes = numbers(100).map((n) => n * 997);
				const keys = await Promise.all(sizes.map((size) => stored(someBytes(size))));
				const hashes = await Promise.all(keys.map(async (key) => hash(await (await getBlob(store, key)).read())));
				expect(hashes).toEqual(sizes.map((size) => hash(someBytes(size))));
			});

			test("discard after put is harmless, and so is a second discard", async () => {
				const key = newKey();
				const put = await store.stage(from([someBytes(5)]), MAX_BYTES);
				await store.put(key, put);
				await put.discard();
				expect((await getBlob(store, key)).bytes).toBe(5);
				const dropped = await store.stage(from([someBytes(5)]), MAX_BYTES);
				await dropped.discard();
				await dropped.discard();
				expect(await leftovers()).toBe(0);
			});
		});

		describe("what stage refuses", () => {
			test("exactly maxBytes pass", async () => {
				const staged = await store.stage(inChunks(someBytes(1_000), 300), 1_000);
				expect(staged.bytes).toBe(1_000);
				await staged.discard();
			});

			test("one byte more is a validation_error under file, reading stops at once and nothing stays", async () => {
				const source = counted(1_000, 100);
				const refusal = await failureOf(store.stage(source.chunks, 12_345));
				expect(refusal.code).toBe("validation_error");
				expect(refusal.details).toEqual({ file: ["is larger than 12,345 bytes"] });
				expect(source).toMatchObject({ given: 13, ended: true });
				expect(await leftovers()).toBe(0);
			});

			test("the specification's bound is named with its separators", async () => {
				const refusal = await failureOf(store.stage(counted(1_000_000, 21).chunks, MAX_BYTES));
				expect(refusal.details).toEqual({ file: ["is larger than 20,000,000 bytes"] });
			});

			test("a source that throws midway passes its own error on and leaves nothing", async () => {
				const broken = new Error("the client went away");
				await expect(store.stage(throwing(broken), MAX_BYTES)).rejects.toBe(broken);
				expect(await leftovers()).toBe(0);
			});

			test("a source's own Failure is passed on unchanged", async () => {
				const broken = new Failure("fetch_failed", undefined, { timedOut: true });
				await expect(store.stage(throwing(broken), MAX_BYTES)).rejects.toBe(broken);
			});
		});

		describe("reading", () => {
			const bytes = someBytes(200_000);
			let key: string;
			beforeAll(async () => {
				key = await stored(bytes);
			});

			for (const [what, first, last] of [
				["the first byte", 0, 0],
				["the last byte", 199_999, 199_999],
				["a byte in the middle", 100_000, 100_000],
				["the first hundred", 0, 99],
				["the last hundred", 199_900, 199_999],
				["a stretch over several chunks", 65_000, 197_000],
				["everything", 0, 199_999],
			] as const) {
				test(`a range of ${what}, inclusive at both ends`, async () => {
					const blob = await getBlob(store, key);
					const read = await collect(blob.stream({ first, last }));
					expect(read.length).toBe(last - first + 1);
					expect(hash(read)).toBe(hash(bytes.subarray(first, last + 1)));
				});
			}

			test("two streams of one blob do not disturb each other", async () => {
				const blob = await getBlob(store, key);
				const [one, two] = await Promise.all([collect(blob.stream()), collect(blob.stream({ first: 5, last: 9 }))]);
				expect([hash(one), hash(two)]).toEqual([hash(bytes), hash(bytes.subarray(5, 10))]);
			});

			test("a stream can be cancelled before, during and after its first read", async () => {
				const blob = await getBlob(store, key);
				await blob.stream().cancel();
				const reader = blob.stream().getReader();
				const pending = reader.read();
				await reader.cancel();
				await pending;
				const later = blob.stream().getReader();
				await later.read();
				await later.cancel();
				expect((await blob.read()).length).toBe(200_000);
			});

			test("a missing blob is not found, and removing it is harmless", async () => {
				expect(await store.find("img_missing.n1")).toBeUndefined();
				await store.remove("img_missing.n1");
			});

			test("a removed blob is not found, and a second remove is harmless", async () => {
				const gone = await stored(someBytes(10));
				await store.remove(gone);
				await store.remove(gone);
				expect(await store.find(gone)).toBeUndefined();
			});
		});

		describe("hostile keys", () => {
			for (const key of HOSTILE_KEYS) {
				test(`${JSON.stringify(key.slice(0, 20))} is refused everywhere`, async () => {
					const staged = await store.stage(from([someBytes(1)]), MAX_BYTES);
					await expect(store.put(key, staged)).rejects.toThrow("not a blob key");
					await expect(store.find(key)).rejects.toThrow("not a blob key");
					await expect(store.remove(key)).rejects.toThrow("not a blob key");
					await staged.discard();
				});
			}
		});

		describe("upkeep", () => {
			test("sweepStaged removes what was last touched before the moment, and nothing else", async () => {
				const kept: Staged = await store.stage(from([someBytes(10)]), MAX_BYTES);
				expect(await store.sweepStaged(Date.now() - 60_000)).toBe(0);
				await store.stage(from([someBytes(10)]), MAX_BYTES);
				const key = await stored(someBytes(10));
				await store.put(newKey(), kept);
				expect(await store.sweepStaged(Date.now() + 60_000)).toBe(1);
				expect(await store.sweepStaged(Date.now() + 60_000)).toBe(0);
				expect((await getBlob(store, key)).bytes).toBe(10);
			});

			test("list names each blob under a prefix once, with the time of its put, and no other", async () => {
				const startedMs = Date.now();
				const keys = numbers(30).map((n) => `lst_${n}/n${n}`);
				for (const key of [...keys, "other_lst_/n"]) {
					await store.put(key, await store.stage(from([someBytes(10)]), MAX_BYTES));
				}
				await store.remove("lst_0/n0");
				const listed = await listAll(store, "lst_");
				expect(listed.map(({ key }) => key).sort()).toEqual(keys.filter((key) => key !== "lst_0/n0").sort());
				// File systems and object stores round their times.
				for (const { writtenMs } of listed) expect(Math.abs(writtenMs - startedMs)).toBeLessThan(60_000);
				expect(await listAll(store, "nobody_")).toEqual([]);
			});

			test("probe succeeds and leaves nothing", async () => {
				await store.probe();
				expect(await leftovers()).toBe(0);
			});
		});
	});
}

async function listAll(store: BlobStore, prefix: string) {
	const first = await store.list(prefix);
	const listed = [...first.blobs];
	for (let { next } = first; next !== undefined; ) {
		const page = await store.list(prefix, next);
		listed.push(...page.blobs);
		next = page.next;
	}
	return listed;
}

async function getBlob(store: BlobStore, key: string) {
	const blob = await store.find(key);
	if (blob === undefined) throw new Error(`there is no blob ${key}`);
	return blob;
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
	const error = await work.then(
		() => undefined,
		(thrown: unknown) => thrown,
	);
	if (!(error instanceof Failure)) throw new Error("expected a Failure", { cause: error });
	return error;
}
