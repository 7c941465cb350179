import { afterAll, expect, test } from "bun:test";
import { type FixtureOptions, NOW_MS, removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

/** A host that knows of all changes, and counts how often it asks for the image. */
async function counting(options: FixtureOptions = {}) {
	let version = 1;
	let asked = 0;
	const changes = { now: () => version, readsOf: () => [], isAsRead: (_: unknown, at: number) => at === version };
	const host = await transformHost({ ...options, changes });
	host.world.database = async (answer) => {
		asked++;
		return answer();
	};
	return {
		...host,
		/** How often the work asks. */
		async askedBy(work: () => Promise<unknown>): Promise<number> {
			const before = asked;
			await work();
			return asked - before;
		},
		change() {
			version += 2;
		},
	};
}

function facts({ status, headers }: Response) {
	const { "x-request-id": id, ...others } = Object.fromEntries(headers);
	expect(id).toMatch(/^req_\w{22}$/);
	return { status, id, ...others };
}

/** The first is rendered, the second answered in full from memory; from the third on it is known. */
async function warmed(ask: (target: string) => Response | Promise<Response>, target = ".jpg?w=100") {
	await (await ask(target)).text();
	return await ask(target);
}

test("what is asked for again is answered without another look-up, with the same bytes and headers, and an id of its own", async () => {
	const { ask, askedBy, meters } = await counting();
	const second = await warmed(ask);
	const ids = new Set([facts(second).id]);
	const asked = await askedBy(async () => {
		for (let n = 0; n < 3; n++) {
			const again = await ask(".jpg?w=100");
			const { id, ...others } = facts(again);
			ids.add(id);
			expect({ ...others, id: "" }).toEqual({ ...facts(second), id: "" });
			expect(await again.text()).toBe("pixels of w=100");
		}
	});
	expect(asked).toBe(0);
	expect(ids.size).toBe(4);
	expect(meters.outcomes()).toEqual({ rendered: 1, "hit-memory": 4 });
});

test("304 for those who have it, without a look-up", async () => {
	const { ask, askedBy, meters } = await counting();
	const etag = (await warmed(ask)).headers.get("etag") ?? "";
	const asked = await askedBy(async () => {
		const known = await ask(".jpg?w=100", { headers: { "If-None-Match": etag } });
		expect(known.status).toBe(304);
		expect(known.headers.get("etag")).toBe(etag);
		expect(known.headers.has("content-length")).toBe(false);
		expect(await known.text()).toBe("");
	});
	expect(asked).toBe(0);
	expect(meters.outcomes()).toEqual({ rendered: 1, "hit-memory": 1, "not-modified": 1 });
});

test("those who have it are the only ones to ask after a change: one look-up, and the bytes for who has them not", async () => {
	const { ask, askedBy, change } = await counting();
	const etag = (await warmed(ask)).headers.get("etag") ?? "";
	const known = async () => (await ask(".jpg?w=100", { headers: { "If-None-Match": etag } })).status;
	change();
	expect(
		await askedBy(async () => expect([await known(), await known(), await known()]).toEqual([304, 304, 304])),
	).toBe(1);
	expect(await (await ask(".jpg?w=100")).text()).toBe("pixels of w=100");
	const other = await ask(".jpg?w=100", { headers: { "If-None-Match": '"other", "one"' } });
	expect([other.status, await other.text()]).toEqual([200, "pixels of w=100"]);
	expect(await askedBy(async () => void (await ask(".jpg?w=100")))).toBe(0);
	expect(await askedBy(async () => expect(await known()).toBe(304))).toBe(0);
});

test.each([
	["a HEAD", { method: "HEAD" }, 200],
	["a range", { headers: { Range: "bytes=0-3" } }, 206],
	["another version that is expected", { headers: { "If-Match": '"other"' } }, 412],
	["a list of versions", { headers: { "If-None-Match": '"one", "two"' } }, 200],
	["another method", { method: "DELETE" }, 405],
])("%s is answered in full", async (_, init, status) => {
	const { ask } = await counting();
	await warmed(ask);
	expect((await ask(".jpg?w=100", init)).status).toBe(status);
	expect((await ask(".jpg?w=100")).status).toBe(200);
});

test.each([
	["is blocked", { status: "blocked" }, 404],
	["is gone", undefined, 404],
	["has another file", { blobKey: "img_0123456789012345678901/other" }, 200],
] as const)("an image that %s is not shown again, from the very next request on", async (_, change, status) => {
	const { ask, world, image, change: changed, renderer } = await counting();
	await warmed(ask);
	world.image = change && { ...image, ...change };
	world.tile = world.image;
	changed();
	const next = await ask(".jpg?w=100");
	expect(next.status).toBe(status);
	expect(renderer.asked).toHaveLength(status === 200 ? 2 : 1);
});

test("an App that closes its door closes it for what was answered too", async () => {
	const { ask, world, change } = await counting();
	await warmed(ask);
	world.app = { ...world.app, policy: "signed" };
	change();
	expect((await ask(".jpg?w=100")).status).toBe(403);
});

test("what the cache has forgotten is made anew", async () => {
	const { ask, cache, image, renderer } = await counting();
	await warmed(ask);
	while (cache.entries === 0) await new Promise(setImmediate);
	await cache.purge(image.blobKey);
	expect(await (await ask(".jpg?w=100")).text()).toBe("pixels of w=100");
	expect(renderer.asked).toHaveLength(2);
});

test.each([
	["an image that ends", { image: { expiresMs: NOW_MS + 60_000 } }, ".jpg?w=100"],
	["a format that the client chooses", {}, ".jpg?format=auto&w=100"],
	["the stored file itself", {}, ".jpg"],
])("%s is looked up each time", async (_, options, target) => {
	const { ask, askedBy } = await counting(options);
	await warmed(ask, target);
	expect(await askedBy(async () => (await ask(target)).text())).toBe(1);
});

test("after half a minute an address is looked up again", async () => {
	const { ask, askedBy, world } = await counting();
	await warmed(ask);
	const again = () => askedBy(async () => (await ask(".jpg?w=100")).text());
	world.nowMs += 30_000;
	expect(await again()).toBe(0);
	world.nowMs += 1;
	expect(await again()).toBe(1);
	expect(await again()).toBe(0);
});
