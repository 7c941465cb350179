import { afterAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/images/images";
import { APP, IMAGE, removeFolders, transformHost } from "@svc/test/support/transform-host";
import { ConfirmedImages } from "./confirmed.ts";

afterAll(removeFolders);

const AWAY = () => Promise.reject(new Error("no route to host"));
const SILENT = () => new Promise<never>(() => undefined);

/** What does not answer at all need not be waited for as long as what may. */
const HURRIED = { lookupMs: 50 };

describe.each([
	["is away", AWAY],
	["does not answer", SILENT],
])("while the database %s", (_, database) => {
	test("a rendition that is kept is served for a short while, with its conditions and ranges", async () => {
		const { ask, world, meters } = await transformHost(HURRIED);
		const etag = (await ask(".jpg?w=9")).headers.get("etag") ?? "";
		world.database = database;
		const answer = await ask(".jpg?w=9");
		expect([answer.status, await answer.text()]).toEqual([200, "pixels of w=9"]);
		expect([answer.headers.get("cache-control"), answer.headers.get("etag")]).toEqual(["public, max-age=5", etag]);
		const known = await ask(".jpg?w=9", { headers: { "If-None-Match": etag } });
		expect([known.status, known.headers.get("cache-control")]).toEqual([304, "public, max-age=5"]);
		expect((await ask(".jpg?w=9", { headers: { "If-Match": '"other"' } })).status).toBe(412);
		expect((await ask(".jpg?w=9", { headers: { Range: "bytes=0-1" } })).status).toBe(206);
		expect(meters.outcomes()).toMatchObject({ rendered: 1, stale: 2 });
	});

	test("with all that lies over it, within two seconds", async () => {
		const { ask, world } = await transformHost();
		const tile: Image = { ...IMAGE, id: "img_tile000000000000000000", blobKey: "tile.k", format: "png" };
		world.tile = tile;
		const target = `.jpg?tile=${tile.id}&overlay=${tile.id}`;
		expect((await ask(target)).status).toBe(200);
		world.database = database;
		const startMs = performance.now();
		const [kept, cold] = await Promise.all([ask(target), ask(`${target}&w=8`)]);
		expect([kept.status, kept.headers.get("cache-control"), cold.status]).toEqual([200, "public, max-age=5", 503]);
		expect(performance.now() - startMs).toBeLessThan(2_000);
	});

	test("so is an original that lies on this disk and was looked at before", async () => {
		const { ask, world, renderer } = await transformHost(HURRIED);
		renderer.stripped = undefined;
		expect((await ask(".jpg")).status).toBe(200);
		world.database = database;
		const answer = await ask(".jpg");
		expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "public, max-age=5"]);
	});

	test("everything else is 503 and a retry: what is not kept, not even where the caller has it", async () => {
		const { ask, world, renderer } = await transformHost(HURRIED);
		const other = (await (await transformHost(HURRIED)).ask(".jpg?w=8")).headers.get("etag") ?? "";
		await ask(".jpg?w=9");
		world.database = database;
		const [cold, known, unknown] = await Promise.all([
			ask(".jpg?w=8"),
			ask(".jpg?w=8", { headers: { "If-None-Match": other } }),
			ask(`/${IMAGE.teamHash}/img_never_seen.jpg`),
		]);
		for (const answer of [cold, known, unknown]) {
			expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
			expect(answer.headers.get("cache-control")).toBe("no-store");
		}
		expect(renderer.asked).toEqual(["w=9"]);
	});

	test("what was seen to be gone before stays gone, and what expires meanwhile goes", async () => {
		const gone = await transformHost(HURRIED);
		await gone.ask(".jpg?w=9");
		gone.world.image = undefined;
		expect((await gone.ask(".jpg?w=9")).status).toBe(404);
		gone.world.database = database;
		expect((await gone.ask(".jpg?w=9")).status).toBe(503);

		const { ask, world } = await transformHost({ ...HURRIED, image: { expiresMs: IMAGE.createdMs + 60_000 } });
		await ask(".jpg?w=9");
		world.database = database;
		expect((await ask(".jpg?w=9")).status).toBe(200);
		world.nowMs += 57_000;
		expect((await ask(".jpg?w=9")).headers.get("cache-control")).toBe("public, max-age=3");
		world.nowMs += 3_000;
		expect((await ask(".jpg?w=9")).status).toBe(503);
	});

	test("an image is served for 300 s after it was last there, and not longer", async () => {
		const { ask, world } = await transformHost(HURRIED);
		await ask(".jpg?w=9");
		world.database = database;
		world.nowMs += 300_000;
		expect((await ask(".jpg?w=9")).status).toBe(200);
		world.nowMs += 1;
		expect((await ask(".jpg?w=9")).status).toBe(503);
	});
});

describe("images that were there lately", () => {
	const clock = { now: () => 0 };

	function lookups() {
		const asked: PromiseWithResolvers<Image | undefined>[] = [];
		const findAddressed = async () => {
			const answer = Promise.withResolvers<Image | undefined>();
			asked.push(answer);
			return { image: await answer.promise, app: APP };
		};
		return { asked, images: new ConfirmedImages({ images: { findAddressed }, clock }) };
	}

	test("an older question that is answered late brings nothing back that a newer one found gone", async () => {
		const { asked, images } = lookups();
		const [older, newer] = [images.find("t", "i"), images.find("t", "i")];
		asked[1]?.resolve(undefined);
		expect((await newer)?.image).toBeUndefined();
		asked[0]?.resolve(IMAGE);
		await older;
		const now = images.find("t", "i");
		asked[2]?.reject(new Error("away"));
		expect(await now.catch(({ code }) => code)).toBe("server_error");
	});

	test("a bounded number is remembered, the least recent forgotten first", async () => {
		let away = false;
		const findAddressed = async () => {
			if (away) throw new Error("away");
			return { image: IMAGE, app: APP };
		};
		const images = new ConfirmedImages({ images: { findAddressed }, clock });
		for (let n = 0; n <= 10_000; n++) await images.find("t", `i${n}`);
		away = true;
		const there = (id: string) =>
			images.find("t", id).then(
				(found) => found?.stale,
				() => false,
			);
		expect([await there("i0"), await there("i1"), await there("i10000")]).toEqual([false, true, true]);
	});
});
