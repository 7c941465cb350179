import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile, rename, unlink, writeFile } from "node:fs/promises";
import sharp from "sharp";
import { DAMAGES, damageLines, flip, storeImage } from "../../support/damage.ts";
import { errorOf } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Bytes that a disk has changed, cut short or lost are found when they are read, named, and never shown. */

let service: OpenService;
beforeEach(async () => {
	service = await openService();
});
afterEach(() => service.close());

const upload = (picture?: number | Buffer<ArrayBuffer>) => storeImage(service, picture);

const ASKED: readonly (readonly [string, string, RequestInit])[] = [
	["the original", "", {}],
	["a range", "", { headers: { Range: "bytes=0-9" } }],
	["a HEAD", "", { method: "HEAD" }],
	["a rendition", "?w=20", {}],
	["a HEAD of a rendition", "?w=21", { method: "HEAD" }],
];

describe.each(DAMAGES)("a master with %s", (_, kind, damage) => {
	test.each(ASKED)("503 for %s, read before or not [damage.never-served]", async (_, query, init) => {
		for (const before of [true, false]) {
			const stored = await upload();
			if (before) expect((await service.open(stored.image.url)).status).toBe(200);
			await damage(stored);
			const answer = await service.open(`${stored.image.url}${query}`, init);
			expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "60"]);
			expect(answer.headers.get("cache-control")).toBe("no-store");
			if (init.method !== "HEAD") expect((await errorOf(answer)).code).toBe("server_error");
		}
	});

	test("is named in the log once, with what was expected and found, and other images are served [damage.named]", async () => {
		const [stored, other] = [await upload(), await upload(41)];
		await damage(stored);
		for (let time = 0; time < 3; time++) await service.open(stored.image.url);
		await service.open(`${stored.image.url}?w=20`);
		expect(damageLines(service)).toHaveLength(1);
		const [line] = damageLines(service);
		expect(line?.level).toBe("error");
		expect(line?.facts).toMatchObject({ image: stored.image.id, kind, expected: { bytes: stored.body.length } });
		expect((await service.open(other.image.url)).status).toBe(200);
	});

	test("its cached renditions are served on; once it is whole again, all of it is [damage.healed]", async () => {
		const stored = await upload();
		const cached = `${stored.image.url}?w=20`;
		const made = Buffer.from(await (await service.open(cached)).arrayBuffer());
		await damage(stored);
		expect((await service.open(stored.image.url)).status).toBe(503);
		const again = await service.open(cached);
		expect(again.status).toBe(200);
		expect(Buffer.compare(Buffer.from(await again.arrayBuffer()), made)).toBe(0);
		await writeFile(stored.path, stored.body);
		const healed = await service.open(stored.image.url);
		expect(healed.status).toBe(200);
		expect(Buffer.compare(Buffer.from(await healed.arrayBuffer()), stored.body)).toBe(0);
		expect((await service.open(`${stored.image.url}?w=22`)).status).toBe(200);
		expect(await service.database.rows("SELECT * FROM damaged_blobs", [])).toEqual([]);
	});
});

test("a master that is sent without its device data is refused as well, though a copy without them is kept [damage.stripped]", async () => {
	const body = await sharp({ create: { width: 40, height: 30, channels: 3, background: "teal" } })
		.withExif({ IFD0: { Make: "A camera" } })
		.jpeg()
		.toBuffer();
	const stored = await upload(Buffer.from(body));
	const first = await service.open(stored.image.url);
	expect((await first.arrayBuffer()).byteLength).toBeLessThan(stored.body.length);
	await flip(stored.path, stored.body.length >> 1);
	expect((await service.open(stored.image.url)).status).toBe(503);
	expect(damageLines(service)).toHaveLength(1);
});

test("bytes that rot while their file looks as ever are found by the worker that renders them [damage.worker]", async () => {
	const stored = await upload();
	const { masters, blobs } = service.rooms.images;
	// As one that has met this file before and sees no change.
	masters.find = (key) => blobs.find(key);
	await flip(stored.path, stored.body.length >> 1);
	expect((await service.open(`${stored.image.url}?w=20`)).status).toBe(503);
	expect(damageLines(service)).toHaveLength(1);
});

test("two masters that changed places are both refused [damage.swapped]", async () => {
	const [one, other] = [await upload(40), await upload(40)];
	const third = await upload(44);
	await rename(one.path, `${one.path}.away`);
	await rename(third.path, one.path);
	await rename(`${one.path}.away`, third.path);
	for (const { image } of [one, third]) {
		for (const query of ["", "?w=20"]) expect((await service.open(`${image.url}${query}`)).status).toBe(503);
	}
	expect((await service.open(other.image.url)).status).toBe(200);
});

test("an image that is deleted is not found, whatever became of its bytes [damage.deleted]", async () => {
	const stored = await upload();
	await unlink(stored.path);
	expect((await service.open(stored.image.url)).status).toBe(503);
	expect((await service.api(`/v1/images/${stored.image.id}`, { method: "DELETE" })).status).toBe(200);
	expect((await service.open(stored.image.url)).status).toBe(404);
	expect(await service.rooms.images.masters.count()).toEqual({ size: 0, digest: 0, missing: 0 });
});

test("a hundred requests at once read a master once, and all have its bytes [damage.joined]", async () => {
	const stored = await upload();
	const answers = await Promise.all(Array.from({ length: 100 }, () => service.open(stored.image.url)));
	for (const answer of answers) {
		expect(answer.status).toBe(200);
		expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), await readFile(stored.path))).toBe(0);
	}
});
