import { afterAll, describe, expect, test } from "bun:test";
import { IMAGE, NOW_MS, removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

const FACE = { left: 0.4, top: 0.1, width: 0.2, height: 0.3 };
const SQUARE = ".jpg?w=50&h=50&fit=cover";
const CUT_OUT = ".png?segment=foreground";

type Host = Awaited<ReturnType<typeof transformHost>>;

/** Until the promise chain has come to rest; file I/O included. */
async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await new Promise(setImmediate);
}

function failing(host: Host): void {
	host.finder.pace = async () => {
		throw new Error("out of memory");
	};
}

describe("facts", () => {
	test("are looked for only where the form needs them", async () => {
		const host = await transformHost();
		for (const query of ["", "?w=50", "?w=50&h=50", "?w=50&h=50&fit=cover&gravity=left", "?blur=5"])
			await host.ask(`.jpg${query}`);
		expect(host.finder.asked).toEqual([]);
		await host.ask(".jpg?trim=border");
		expect([host.finder.asked, host.renderer.aids]).toEqual([["content"], { content: null }]);
	});

	test("are found once for all renditions, in this process and the next", async () => {
		const host = await transformHost();
		host.finder.there = { ...host.finder.there, content: FACE };
		await Promise.all(
			[".jpg?trim=border", ".jpg?trim=border&w=10", ".webp?trim=border"].map((target) => host.ask(target)),
		);
		await host.ask(".jpg?trim=border&w=20");
		expect(host.finder.asked).toEqual(["content"]);
		expect(host.renderer.aids).toEqual({ content: FACE });
		expect([...host.analysis.saved]).toEqual([[`content ${IMAGE.blobKey}`, FACE]]);
	});

	test("a subject is looked for only where there is no face, and the eye where there is neither", async () => {
		const host = await transformHost();
		await host.ask(SQUARE);
		expect([host.finder.asked, host.renderer.aids]).toEqual([
			["faces", "subject", "focus"],
			{ faces: [], subject: null, focus: { x: 0.5, y: 0.5 } },
		]);
		const thing = await transformHost();
		const subject = { width: 1, height: 1, alpha: Uint8Array.of(255) };
		thing.finder.there = { ...thing.finder.there, subject };
		await thing.ask(SQUARE);
		expect([thing.finder.asked, thing.renderer.aids]).toEqual([["faces", "subject"], { faces: [], subject }]);
		const portrait = await transformHost();
		portrait.finder.there = { ...portrait.finder.there, faces: [FACE] };
		await portrait.ask(SQUARE);
		expect([portrait.finder.asked, portrait.renderer.aids]).toEqual([["faces"], { faces: [FACE] }]);
	});

	test("what a subject is depends on the model, and so does every version that shows one or may follow one", async () => {
		const hosts = [await transformHost(), await transformHost({ subjectModel: "another" })];
		const tags = async (query: string) =>
			(await Promise.all(hosts.map((host) => host.ask(query)))).map(({ headers }) => headers.get("ETag"));
		for (const query of [CUT_OUT, ".jpg?fx=color-pop", SQUARE]) expect(new Set(await tags(query)).size).toBe(2);
		for (const query of [`${SQUARE}&gravity=left`, ".jpg"]) expect(new Set(await tags(query)).size).toBe(1);
	});

	test("a fact that cannot be kept is used all the same", async () => {
		const host = await transformHost();
		host.analysis.fails = true;
		const response = await host.ask(CUT_OUT);
		expect([response.status, response.headers.has("ETag")]).toEqual([200, true]);
		await until(() => host.cache.entries === 1);
		expect(host.log.lines).toEqual(["warn: Facts about a picture could not be kept"]);
	});
});

describe("a search that fails", () => {
	test("leaves a rendition that is neither kept nor validated, and is logged once", async () => {
		const host = await transformHost();
		failing(host);
		const responses = await Promise.all([host.ask(CUT_OUT), host.ask(CUT_OUT)]);
		for (const { status, headers } of responses) {
			expect([status, headers.get("Cache-Control"), headers.get("ETag")]).toEqual([200, "public, max-age=60", null]);
		}
		expect([host.cache.entries, host.cache.hotBytes, host.analysis.saved.size]).toEqual([0, 0, 0]);
		expect(host.log.lines).toEqual(["warn: A fact about a picture could not be found"]);
	});

	test("goes out whole, so that no client joins parts of two versions", async () => {
		const host = await transformHost();
		failing(host);
		const response = await host.ask(CUT_OUT, { headers: { Range: "bytes=0-1" } });
		expect([response.status, response.headers.get("Accept-Ranges")]).toEqual([200, "none"]);
	});

	test("is repeated after a minute and not before, and the rendition is then kept", async () => {
		const host = await transformHost();
		failing(host);
		await host.ask(CUT_OUT);
		host.world.nowMs = NOW_MS + 59_999;
		host.finder.pace = async () => undefined;
		expect((await host.ask(CUT_OUT)).headers.has("ETag")).toBe(false);
		expect(host.finder.asked).toEqual(["subject"]);
		host.world.nowMs = NOW_MS + 60_000;
		expect((await host.ask(CUT_OUT)).headers.has("ETag")).toBe(true);
		expect(host.finder.asked).toEqual(["subject", "subject"]);
		await until(() => host.cache.entries === 1);
	});

	test("concerns its own kind and image only", async () => {
		const host = await transformHost();
		failing(host);
		await host.ask(CUT_OUT);
		host.finder.pace = async () => undefined;
		expect((await host.ask(".jpg?trim=border")).headers.has("ETag")).toBe(true);
	});

	test("of faces leaves the eye", async () => {
		const host = await transformHost();
		host.finder.pace = async () => {
			if (host.finder.asked.length === 1) throw new Error("out of memory");
		};
		expect((await host.ask(SQUARE)).headers.has("ETag")).toBe(false);
		expect(host.renderer.aids).toEqual({ subject: null, focus: { x: 0.5, y: 0.5 } });
	});
});

describe("clients that leave", () => {
	test("stop a search when all have gone, and what was found all the same is kept", async () => {
		const host = await transformHost();
		const { promise, resolve } = Promise.withResolvers<void>();
		const signals: AbortSignal[] = [];
		host.finder.pace = (signal) => {
			signals.push(signal);
			return promise;
		};
		const clients = [new AbortController(), new AbortController()];
		const asking = clients.map(({ signal }, place) => host.ask(`${CUT_OUT}&w=${place + 1}`, { signal }));
		await until(() => signals.length === 1);
		await new Promise((done) => setTimeout(done, 20));
		clients[0]?.abort();
		expect([(await asking[0])?.status, signals[0]?.aborted]).toEqual([499, false]);
		clients[1]?.abort();
		expect([(await asking[1])?.status, signals[0]?.aborted]).toEqual([499, true]);

		// It had begun: whoever comes now waits for it and does not begin it again.
		const newcomer = host.ask(CUT_OUT);
		await new Promise((done) => setTimeout(done, 20));
		resolve();
		expect((await newcomer).headers.has("ETag")).toBe(true);
		expect([host.finder.asked, host.analysis.saved.size, host.log.lines]).toEqual([["subject"], 1, []]);
	});

	test("a search that was stopped before it began is begun again for whoever came meanwhile", async () => {
		const host = await transformHost();
		const { promise, resolve } = Promise.withResolvers<void>();
		const signals: AbortSignal[] = [];
		host.finder.pace = async (signal) => {
			signals.push(signal);
			await promise;
			signal.throwIfAborted();
		};
		const client = new AbortController();
		const leaving = host.ask(CUT_OUT, { signal: client.signal });
		await until(() => signals.length === 1);
		client.abort();
		expect((await leaving).status).toBe(499);
		const newcomer = host.ask(CUT_OUT);
		await new Promise((done) => setTimeout(done, 20));
		resolve();
		expect((await newcomer).headers.has("ETag")).toBe(true);
		expect([host.finder.asked, host.log.lines]).toEqual([["subject", "subject"], []]);
	});
});

describe.each(["tile", "overlay"] as const)("another image as its %s", (name) => {
	const TILE = { ...IMAGE, id: "img_tile56789012345678901x", blobKey: "tile/nonce" };
	const tiled = `.jpg?w=50&${name}=${TILE.id}`;

	test("is given to the renderer, and its bytes are part of the version", async () => {
		const host = await transformHost();
		const without = await host.ask(".jpg?w=50");
		host.world.tile = TILE;
		const first = await host.ask(tiled);
		expect(host.renderer.aids[name]).toMatchObject({ format: "jpg", width: 400, height: 200 });
		host.world.tile = { ...TILE, blobKey: "tile/another" };
		const second = await host.ask(tiled);
		expect(new Set([without, first, second].map(({ headers }) => headers.get("ETag"))).size).toBe(3);
		expect(host.renderer.asked).toEqual(["w=50", `${name}=${TILE.id}&w=50`, `${name}=${TILE.id}&w=50`]);
	});

	test("that is not in the storage is as if it were not asked for [cdn.tile.unknown-ignored, cdn.tile.cross-ignored]", async () => {
		const host = await transformHost();
		const without = await host.ask(".jpg?w=50");
		for (const tile of [
			undefined,
			{ ...TILE, teamHash: "another" },
			{ ...TILE, status: "blocked" as const },
			{ ...TILE, format: "svg" as const },
		]) {
			host.world.tile = tile;
			const { headers } = await host.ask(tiled);
			expect(headers.get("ETag")).toBe(without.headers.get("ETag") as string);
		}
		expect(host.renderer.asked).toEqual(["w=50"]);
	});

	test("that is not there leaves what the rest of the address means, down to the master itself", async () => {
		const host = await transformHost();
		for (const query of ["", "q=85", "format=webp"]) {
			const without = await host.ask(`.jpg?${query}`);
			const { headers } = await host.ask(`.jpg?${query}&${name}=${TILE.id}`);
			expect(headers.get("ETag")).toBe(without.headers.get("ETag") as string);
		}
	});

	test("that expires bounds the age of what shows it, and is then not shown", async () => {
		const host = await transformHost();
		host.world.tile = { ...TILE, expiresMs: NOW_MS + 10_000 };
		const before = await host.ask(tiled);
		expect(before.headers.get("Cache-Control")).toBe("public, max-age=10");
		host.world.nowMs = NOW_MS + 10_000;
		const after = await host.ask(tiled);
		expect(after.headers.get("Cache-Control")).toStartWith("public, max-age=300, stale");
		expect(await after.text()).toBe("pixels of w=50");
	});

	test("that is deleted while it is being painted leaves nothing in the cache", async () => {
		const host = await transformHost();
		host.world.tile = TILE;
		host.renderer.pace = async () => {
			host.world.tile = undefined;
		};
		expect((await host.ask(tiled)).status).toBe(200);
		expect([host.cache.entries, host.cache.hotBytes]).toEqual([0, 0]);
	});
});

describe("a tile and an overlay", () => {
	const TILE = { ...IMAGE, id: "img_tile56789012345678901x", blobKey: "tile/nonce" };

	test("are two parts of the version, and what is said of one that is not there means nothing", async () => {
		const host = await transformHost();
		host.world.tile = TILE;
		const both = `.jpg?w=50&tile=${TILE.id}&overlay=${TILE.id}`;
		const tags = [];
		for (const query of [both, `.jpg?w=50&tile=${TILE.id}`, `.jpg?w=50&overlay=${TILE.id}`]) {
			tags.push((await host.ask(query)).headers.get("ETag"));
		}
		expect(new Set(tags).size).toBe(3);
		await host.ask(both.replace("w=50", "w=60"));
		expect(Object.keys(host.renderer.aids)).toEqual(["tile", "overlay"]);
		host.world.tile = undefined;
		const without = await host.ask(".jpg?w=50");
		const gone = await host.ask(`${both}&overlay_at=top&overlay_w=0.5&tile_opacity=0.5`);
		expect(gone.headers.get("ETag")).toBe(without.headers.get("ETag") as string);
	});
});

describe("a piece", () => {
	test("is a part of the picture that there is, so that equal pieces have one version", async () => {
		const host = await transformHost();
		const tagOf = async (query: string) => (await host.ask(`.jpg?${query}`)).headers.get("ETag");
		expect(await tagOf("crop=300,100,900,900")).toBe((await tagOf("c%72op=300,100,100,100")) as string);
		expect(await tagOf("crop=0,0,400,200")).toBe((await tagOf("")) as string);
		expect(await tagOf("w=9&crop=400,0,5,5")).toBe((await tagOf("w=9")) as string);
		expect(host.renderer.asked).toEqual(["crop=300%2C100%2C100%2C100", "strip", "w=9"]);
	});

	test("of a picture of another size is another one, though the address says the same", async () => {
		const [small, large] = [await transformHost(), await transformHost({ image: { width: 4_000, height: 2_000 } })];
		for (const host of [small, large]) await host.ask(".jpg?crop=300,100,900,900");
		expect([small.renderer.asked, large.renderer.asked]).toEqual([
			["crop=300%2C100%2C100%2C100"],
			["crop=300%2C100%2C900%2C900"],
		]);
	});
});
