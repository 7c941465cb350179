import { afterAll, expect, test } from "bun:test";
import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { flip } from "@svc/test/support/damage";
import { FakeLog, FakeMeters, folder, removeFolders } from "@svc/test/support/transform-host";
import { digest, openRenditionCache, renditionKey } from "./cache.ts";
import { cacheScrubber } from "./cache-scrub.ts";

const LARGE_BYTES = 3_000_000;
const key = (spec: string) => renditionKey("blob", digest(spec));

afterAll(removeFolders);

test("a large rendition that rots while it is served is dropped within a pass, and the others stay", async () => {
	const dir = await folder();
	const log = new FakeLog();
	const cache = await openRenditionCache({ dir, maxBytes: 1e9, hotBytes: 0, log, meters: new FakeMeters() });
	for (const spec of ["a", "b", "c", "d", "e", "f", "g", "h"])
		await cache.put(key(spec), new Uint8Array(LARGE_BYTES).fill(spec.charCodeAt(0)), "blob");
	const names = await readdir(dir, { recursive: true });
	const path = join(dir, names.find((name) => name.includes(key("c"))) ?? "");
	const { atime, mtime } = await stat(path);
	await flip(path, LARGE_BYTES >> 1);
	await utimes(path, atime, mtime);
	const scrub = cacheScrubber(cache, async () => undefined);
	let bytes = 0;
	for (let call = 0; call < 4; call++) bytes += await scrub();
	expect(bytes).toBeGreaterThanOrEqual(8 * LARGE_BYTES);
	expect(await cache.find(key("c"))).toBeUndefined();
	expect([cache.entries, log.lines]).toEqual([7, ["warn: The rendition cache failed"]]);
	expect((await cache.find(key("d")))?.blob.size).toBe(LARGE_BYTES);
});
