import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { strippedKey } from "@svc/cdn/renditions/rendition";
import sharp from "sharp";
import { corners, noise, pixelAt } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

const service = serviceFor();

/** All but what is served without parameters, which every upload leaves there. `of`: what is said of one picture. */
async function cached(of = "", { dataDir } = service): Promise<number> {
	const entries = await readdir(join(dataDir, "cache"), { recursive: true, withFileTypes: true });
	return entries.filter((entry) => entry.isFile() && !isStripped(entry.name) && entry.name.includes(of)).length;
}

function isStripped(name: string): boolean {
	const [, key, blobKey = ""] = /^([0-9a-f]{64})-\d+-[0-9a-f]{8}-(.+)$/.exec(name) ?? [];
	return key === strippedKey(decodeURIComponent(blobKey), { format: "jpg", mends: undefined });
}

async function settled(count: number): Promise<void> {
	for (let tries = 0; tries < 2_000 && (await cached()) !== count; tries++) await Bun.sleep(25);
	expect(await cached()).toBe(count);
}

test("a large upload gets its smaller copies; sizes are exact from them, nobody pays for them, and they go with it", async () => {
	const image = await uploaded(service, await corners(2_601, 1_999, "jpeg"), "large.jpg");
	// Halves, quarters.
	await settled(2);
	const usage = (await (await service.api("/v1/usage")).json()) as { totals: { storage_used_bytes: number } };
	expect(usage.totals.storage_used_bytes).toBe(image.bytes);
	for (const size of Object.values(image.sizes)) {
		const { width, height } = await sharp(await (await service.open(size.url)).arrayBuffer()).metadata();
		expect({ width, height }).toEqual({ width: size.width, height: size.height });
	}
	const small = await (await service.open(`${image.url}?w=200&rotate=90&format=png`)).arrayBuffer();
	const { width = 0, height = 0 } = await sharp(small).metadata();
	const near = async (x: number, y: number) =>
		(await pixelAt(small, x, y)).slice(0, 3).map((value) => Math.round(value / 64));
	expect([await near(5, 5), await near(width - 5, 5)]).toEqual([
		[4, 4, 4],
		[4, 0, 0],
	]);
	expect([width, height]).toEqual([200, 260]);
	await send(service, "DELETE", `/v1/images/${image.id}`);
	await settled(0);
});

test("a small upload gets none", async () => {
	await uploaded(service, await corners(1_000, 1_000, "jpeg"), "small.jpg");
	await Bun.sleep(100);
	expect(await cached()).toBe(0);
});

test("of a large JPEG the smaller copies that it was proven by are there with the answer", async () => {
	const before = await cached();
	await uploaded(service, await corners(2_400, 1_800, "jpeg"), "large.jpg");
	expect(await cached()).toBe(before + 2);
});

test("of a large AVIF, which only decodes as a whole, the smaller copies are there with the answer", async () => {
	const file = await sharp({ create: { width: 2_600, height: 2_000, channels: 3, background: "#336699" } })
		.avif({ effort: 0 })
		.toBuffer();
	const before = await cached();
	await uploaded(service, new Uint8Array(file), "large.avif");
	expect(await cached()).toBe(before + 3);
});

test("a lone rendition of an old picture makes none of its copies again; the second one does", async () => {
	const crowded = await openService({ SVC_CACHE_MAX_BYTES: "375000" });
	const asked = async (url: string) => await (await crowded.open(url)).arrayBuffer();
	const has = async (count: number, { id }: { readonly id: string }) => {
		for (let tries = 0; tries < 2_000 && (await cached(id, crowded)) !== count; tries++) await Bun.sleep(25);
		expect(await cached(id, crowded)).toBe(count);
	};
	try {
		const [one, other] = [await corners(1_600, 1_200, "jpeg"), await corners(1_600, 1_100, "jpeg")];
		const old = await uploaded(crowded, one, "old.jpg");
		const visited = await uploaded(crowded, other, "visited.jpg");
		const large = await uploaded(crowded, await noise(370, 370, "png"), "large.png");
		for (const image of [old, visited]) await has(1, image);
		// Each nearly as large as the cache: all others have to go.
		for (const width of [369, 368]) await asked(`${large.url}?w=${width}`);
		for (const image of [old, visited]) await has(0, image);
		await asked(`${old.url}?w=200`);
		for (const width of [200, 201]) await asked(`${visited.url}?w=${width}`);
		// Copies are made in the order in which they were wanted.
		await has(3, visited);
		await has(1, old);
		await asked(`${old.url}?w=201`);
		await has(3, old);
	} finally {
		await crowded.close();
	}
});
