import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { type FakeS3, fakeS3 } from "../../support/s3.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Stored bytes that no row names: a put that was given up and happened later, a delete that a power failure took back. */

const DAY_MS = 86_400_000;
const BYTES = Buffer.from("left over");

interface World {
	readonly service: OpenService;
	/** Takes the store's mark away, as a disk does that is no longer mounted. */
	unmark(): Promise<void>;
	/** Puts bytes behind the service's back. */
	add(key: string): Promise<void>;
	keys(): Promise<string[]>;
	/** Keys in the trash. */
	trashed(): Promise<string[]>;
	close(): Promise<void>;
}

async function keysBelow(folder: string): Promise<string[]> {
	const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
	return found.flatMap((entry) => (entry.isFile() ? entry.name.replaceAll("+", "/") : [])).sort();
}

async function onFiles(): Promise<World> {
	const service = await openService();
	const blobs = join(service.dataDir, "images", "blobs");
	return {
		service,
		unmark: () => rm(join(service.dataDir, "images", "installation")),
		async add(key) {
			const folder = join(blobs, createHash("sha256").update(key).digest("hex").slice(0, 2));
			await mkdir(folder, { recursive: true });
			await writeFile(join(folder, key.replaceAll("/", "+")), BYTES);
		},
		async keys() {
			return await keysBelow(blobs);
		},
		trashed: () => keysBelow(join(service.dataDir, "images", "trash")),
		close: () => service.close(),
	};
}

let s3: FakeS3;
async function onBucket(): Promise<World> {
	s3 = await fakeS3({ pageObjects: 3 });
	const service = await openService(s3.env);
	return {
		service,
		async unmark() {
			s3.objects.delete("installation");
		},
		async add(key) {
			s3.objects.set(key, { body: BYTES, writtenMs: Date.now(), headers: {} });
		},
		keys: async () => [...s3.objects.keys()].filter((key) => !/^(installation|(lease|trash)\/.*)$/.test(key)),
		trashed: async () => [...s3.objects.keys()].flatMap((key) => (/^trash\/(.*)$/.exec(key) ?? []).slice(1)),
		async close() {
			await service.close();
			await s3.close();
		},
	};
}

/** One look through the whole store; how many were removed. */
async function lookThrough({ service }: World, sweeps = 20): Promise<number> {
	let removed = 0;
	for (let sweep = 0; sweep < sweeps; sweep++) removed += (await service.sweep()).orphans;
	return removed;
}

/** The job that looks for what no row names, once it has ended. */
async function collected(service: OpenService, body: object = {}) {
	const headers = { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" };
	const asked = { method: "POST", headers, body: JSON.stringify(body) };
	const { id } = (await (await service.api("/v1/operator/trash/collect", asked)).json()) as { id: string };
	await service.runJobs();
	return (await (await service.api(`/v1/jobs/${id}`, { headers })).json()) as { result: unknown };
}

let world: World | undefined;
afterEach(async () => {
	await world?.close();
	world = undefined;
});

describe.each([
	["files", onFiles],
	["a bucket", onBucket],
] as const)("in %s", (_, open) => {
	test("what no row names goes to the trash after a day, and from there after 30; nothing else does", async () => {
		world = await open();
		for (let image = 0; image < 9; image++) await uploaded(world.service, await plain(8, 8));
		const known = (await world.keys()).sort();
		for (const key of ["img_0orphan/n1", "img_zOrphan/n1"]) await world.add(key);
		expect([await lookThrough(world), (await world.keys()).length]).toEqual([0, 11]);
		world.service.clock.advance(2 * DAY_MS);
		expect(await lookThrough(world)).toBe(2);
		expect((await world.keys()).sort()).toEqual(known);
		expect(await world.trashed()).toEqual(["img_0orphan/n1", "img_zOrphan/n1"]);
		world.service.clock.advance(26 * DAY_MS);
		await lookThrough(world);
		expect((await world.trashed()).length).toBe(2);
		world.service.clock.advance(5 * DAY_MS);
		await lookThrough(world);
		expect([await world.trashed(), (await world.keys()).sort()]).toEqual([[], known]);
	});

	test("many unknown ones stay until a person looks and says so; then all of them go, and nothing that is known [trash.collect]", async () => {
		world = await open();
		const { service } = world;
		for (let image = 0; image < 4; image++) await uploaded(service, await plain(8, 8));
		const known = (await world.keys()).sort();
		for (let blob = 0; blob < 40; blob++) await world.add(`img_unknown${blob}/n1`);
		expect((await collected(service, { move: true })).result).toEqual({ unknown: 0, bytes: 0, moved: 0 });
		service.clock.advance(2 * DAY_MS);
		await lookThrough(world, 40);
		const before = (await world.keys()).length;
		expect(before).toBeGreaterThan(known.length);
		const unknown = before - known.length;
		const bytes = unknown * BYTES.length;
		expect((await collected(service)).result).toEqual({ unknown, bytes, moved: 0 });
		expect((await world.keys()).length).toBe(before);
		expect(await collected(service, { move: true })).toMatchObject({
			kind: "trash.collect",
			state: "done",
			done: before,
			result: { unknown, bytes, moved: unknown },
		});
		expect((await world.keys()).sort()).toEqual(known);
		expect((await world.trashed()).length).toBe(40);
	});

	test("nothing is collected while it is not certain that the store is this database's [trash.collect-own]", async () => {
		world = await open();
		await world.add("img_unknown/n1");
		world.service.clock.advance(2 * DAY_MS);
		await world.unmark();
		expect(await collected(world.service, { move: true })).toMatchObject({
			state: "failed",
			failure: expect.stringContaining("not certain"),
		});
		expect(await world.trashed()).toEqual([]);
	});

	test("what a person deletes goes after a day, and never to the trash", async () => {
		world = await open();
		const { service } = world;
		const [kept, doomed] = [await uploaded(service, await plain(8, 8)), await uploaded(service, await plain(9, 9))];
		expect((await service.api(`/v1/images/${doomed.id}`, { method: "DELETE" })).status).toBe(200);
		service.clock.advance(2 * DAY_MS);
		await lookThrough(world);
		expect((await world.keys()).map((key) => key.split("/")[0])).toEqual([kept.id]);
		expect(await world.trashed()).toEqual([]);
	});

	test("what the database knows comes back from the trash by itself, whole", async () => {
		world = await open();
		const { service } = world;
		const file = await plain(8, 8);
		const image = await uploaded(service, file);
		const [key = ""] = await world.keys();
		await service.rooms.images.trash.put(key);
		expect([await world.keys(), await world.trashed()]).toEqual([[], [key]]);
		await lookThrough(world, 2);
		expect([await world.keys(), await world.trashed()]).toEqual([[key], []]);
		const served = await service.open(image.url);
		expect(Buffer.from(await served.arrayBuffer()).equals(file)).toBe(true);
	});

	test("a blob that is in the store and in the trash, after a crash in between, ends in one of them", async () => {
		world = await open();
		const { trash } = world.service.rooms.images;
		await world.add("img_a/n1");
		await trash.put("img_a/n1");
		await world.add("img_a/n1");
		expect(await trash.restore("img_a/n1")).toBe(true);
		expect([await world.keys(), await world.trashed()]).toEqual([["img_a/n1"], []]);
		expect(await trash.restore("img_a/n1")).toBe(false);
		await trash.put("img_a/n1");
		await world.add("img_a/n1");
		await trash.put("img_a/n1");
		expect([await world.keys(), await world.trashed()]).toEqual([[], ["img_a/n1"]]);
		await trash.put("img_a/n1");
		await trash.remove("img_a/n1");
		await trash.remove("img_a/n1");
		expect(await world.trashed()).toEqual([]);
	});

	test("nothing goes where more is unknown than leftovers explain, though most is known: a database of an earlier moment", async () => {
		world = await open();
		for (let image = 0; image < 30; image++) await uploaded(world.service, await plain(8, 8));
		// In a bucket the pages are small, and come by the alphabet: the first of them hold nothing but these.
		for (let n = 0; n < 11; n++) await world.add(`img_0000000${String.fromCharCode(97 + n)}/later`);
		world.service.clock.advance(2 * DAY_MS);
		expect([await lookThrough(world, 30), (await world.keys()).length]).toEqual([0, 41]);
	});

	test("nothing goes where most is unknown: that is another database's store", async () => {
		world = await open();
		await uploaded(world.service, await plain(8, 8));
		for (let n = 0; n < 9; n++) await world.add(`img_${n}/theirs`);
		world.service.clock.advance(2 * DAY_MS);
		expect([await lookThrough(world, 1), (await world.keys()).length]).toEqual([0, 10]);
		expect(world.service.log.lines).toContainEqual(
			expect.objectContaining({ level: "warn", message: expect.stringContaining("unknown to this database") }),
		);
	});

	test("nothing goes where the store has another mark than the database, or none", async () => {
		world = await open();
		for (let image = 0; image < 9; image++) await uploaded(world.service, await plain(8, 8));
		await world.add("img_0orphan/n1");
		await world.unmark();
		world.service.clock.advance(2 * DAY_MS);
		expect([await lookThrough(world, 4), (await world.keys()).length]).toEqual([0, 10]);
		expect(world.service.log.lines).toContainEqual(
			expect.objectContaining({ level: "warn", message: expect.stringContaining("not certain") }),
		);
	});
});

test("a bucket may hold other things, and a list that fails is begun again", async () => {
	world = await onBucket();
	for (let image = 0; image < 9; image++) await uploaded(world.service, await plain(8, 8));
	// They come last in the list, so that what is left over lies among what is known.
	const others = ["backup.tar", "img_zz.txt", "img_zz/b/c", "img_zz&b/n", `img_${"z".repeat(300)}/n`];
	for (const key of [...others, "img_0orphan/n1"]) await world.add(key);
	world.service.clock.advance(2 * DAY_MS);
	s3.fail("GET", { kind: "refuse", status: 403, code: "AccessDenied" }, 1, /list-type/);
	await expect(world.service.sweep()).rejects.toThrow("AccessDenied");
	expect(await lookThrough(world)).toBe(1);
	expect((await world.keys()).filter((key) => others.includes(key))).toEqual(others);
	// Another look only a day later: lists cost money.
	const lists = () => s3.seen.filter(({ path }) => path.includes("list-type")).length;
	const before = lists();
	await lookThrough(world);
	expect(lists()).toBe(before);
});
