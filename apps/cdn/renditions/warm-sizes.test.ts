import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Image } from "@svc/images/images";
import { FakeLog, folder, IMAGE, removeFolders } from "@svc/test/support/transform-host";
import { WarmSizes } from "./warm-sizes.ts";

afterAll(removeFolders);

/** Images by number, and a host that remembers what it made. */
async function open(there: Image[], path?: string, processed: Image[] = []) {
	const file = path ?? join(await folder(), "warm-sizes");
	const made: number[] = [];
	const broken = new Set<number>();
	const log = new FakeLog();
	const sizes = new WarmSizes({
		images: {
			listReadyAfter: async (pk, _, limit) => there.filter((image) => image.pk > pk).slice(0, limit),
			listProcessedSince: async () => processed,
			newestPk: async () => there.at(-1)?.pk ?? 0,
			findServable: async (_, id) => there.find((image) => image.id === id),
		},
		make: async ({ pk }) => {
			made.push(pk);
			if (broken.has(pk)) throw new Error("no room");
		},
		path: file,
		clock: { now: () => Date.now() },
		log,
	});
	return { sizes, made, broken, log, file };
}

const image = (pk: number, version = 1): Image => {
	const id = `img_${String(pk).padStart(22, "0")}`;
	return { ...IMAGE, pk, id, blobKey: `${id}/${version}` };
};
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, index) => image(from + index));

test("of a deployment that had pictures before nothing is due, of what comes then all is, each once", async () => {
	const there = upTo(500);
	const { sizes, made } = await open(there);
	await sizes.start();
	// A few of the last may have come while an earlier process ended.
	expect(made).toEqual(upTo(100, 401).map(({ pk }) => pk));
	made.length = 0;
	there.push(...upTo(250, 501));
	for (const one of there.slice(-3)) sizes.want(one);
	await sizes.look();
	expect(made).toEqual(upTo(250, 501).map(({ pk }) => pk));
	await sizes.look();
	expect(made).toHaveLength(250);
});

test("one that was replaced is another picture", async () => {
	const there = upTo(2);
	const { sizes, made } = await open(there);
	await sizes.start();
	made.length = 0;
	there[0] = image(1, 2);
	sizes.want(image(1, 2));
	await sizes.look();
	expect(made).toEqual([1]);
});

test("another process goes on where the first one ended, however it ended", async () => {
	const there = upTo(10);
	const first = await open(there);
	await first.sizes.start();
	there.push(...upTo(1_000, 11));
	const second = await open(there, first.file);
	await second.sizes.start();
	expect(second.made.filter((pk) => pk > 10)).toEqual(upTo(1_000, 11).map(({ pk }) => pk));
});

test("one that became ready long after it came is not forgotten", async () => {
	const there = upTo(500).filter(({ pk }) => pk !== 7);
	const { sizes, made } = await open(there);
	await sizes.start();
	there.push(image(7));
	there.sort((a, b) => a.pk - b.pk);
	sizes.want(image(7));
	await sizes.look();
	expect(made.filter((pk) => pk === 7)).toEqual([7]);
});

test("one that became ready long after it came, just before a kill, is made by the next process", async () => {
	const there = upTo(500).filter(({ pk }) => pk !== 7);
	const first = await open(there);
	await first.sizes.start();
	await first.sizes.stop();
	there.push(image(7));
	there.sort((a, b) => a.pk - b.pk);
	const second = await open(there, first.file, [image(7)]);
	await second.sizes.start();
	expect(second.made.filter((pk) => pk === 7)).toEqual([7]);
});

test("one that cannot be made keeps nobody up, and is not tried with every upload", async () => {
	const there = upTo(3);
	const { sizes, made, broken, log } = await open(there);
	broken.add(2);
	await sizes.start();
	there.push(image(4));
	await sizes.look();
	expect(made).toEqual([1, 2, 3, 4]);
	expect(log.lines).toEqual(["warn: The sizes of an image could not be made ahead"]);
});
