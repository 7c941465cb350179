import { afterAll, expect, test } from "bun:test";
import type { Image } from "@svc/images/images";
import type { FoundMends } from "@svc/images/transform/mends";
import { MENDS } from "@svc/images/transform/mends";
import { NOW_MS, removeFolders, transformHost } from "../../../test/support/transform-host.ts";
import { until } from "../../../test/support/workers.ts";
import { Renditions } from "./rendition.ts";

afterAll(removeFolders);

const NONE: FoundMends = { upTo: MENDS.length, has: [] };
const CONCERNED: FoundMends = { upTo: MENDS.length, has: ["colours by numbers"] };
/** What a release before the first mend would have said of any picture. */
const BEFORE: FoundMends = NONE;

const PNG = { format: "png", filename: "a.png" } as const;
const etagOf = (response: Response) => response.headers.get("ETag") ?? "none";

/** A host that keeps what a release before the mends made, and knows nothing about the picture itself. */
async function upgraded(mends: FoundMends, target = ".png?w=100", image: Partial<Image> = PNG) {
	const before = await transformHost({ image });
	before.finder.there = { ...before.finder.there, mends: BEFORE };
	const old = await before.ask(target);
	await until(async () => before.cache.entries === 1);
	const host = await transformHost({ image, dir: before.dir });
	host.finder.there = { ...host.finder.there, mends };
	const remade = () => host.meters.counts.get("svc_cdn_remakes_total made") ?? 0;
	const looked = () => host.finder.asked.filter((kind) => kind === "mends").length;
	return { ...host, old, target, remade, looked };
}

test("what a release before made is served at once with its own validator, and after that what is made in the background", async () => {
	const { ask, old, target, remade, renderer, forgotten, image, cache } = await upgraded(CONCERNED);
	const held = Promise.withResolvers<void>();
	renderer.pace = () => held.promise;
	const shown = await ask(target);
	expect([shown.status, etagOf(shown)]).toEqual([200, etagOf(old)]);
	expect(await shown.text()).toBe(await old.text());
	expect(shown.headers.get("Cache-Control")).toBe("public, max-age=60");
	const known = await ask(target, { headers: { "If-None-Match": etagOf(old) } });
	expect(known.status).toBe(304);
	expect(forgotten).toEqual([]);
	held.resolve();
	await until(async () => remade() > 0);
	const made = await ask(target);
	expect(made.status).toBe(200);
	expect(etagOf(made)).not.toBe(etagOf(old));
	expect(made.headers.get("Cache-Control")).toStartWith("public, max-age=300");
	expect((await ask(target, { headers: { "If-None-Match": etagOf(old) } })).status).toBe(200);
	expect((await ask(target, { headers: { "If-None-Match": etagOf(made) } })).status).toBe(304);
	expect((await ask(target, { headers: { "If-Match": etagOf(old) } })).status).toBe(412);
	expect([renderer.asked, forgotten, cache.entries]).toEqual([["w=100"], [image.id], 1]);
});

test("a rendition of a picture that no mend concerns keeps its name and its bytes, and is not made again", async () => {
	const { ask, old, target, looked, renderer, meters } = await upgraded(NONE);
	expect(etagOf(await ask(target))).toBe(etagOf(old));
	await until(async () => (meters.counts.get("svc_cdn_remakes_total unaltered") ?? 0) > 0);
	const again = await ask(target);
	expect([etagOf(again), again.headers.get("Cache-Control")?.slice(0, 19)]).toEqual([
		etagOf(old),
		"public, max-age=300",
	]);
	expect([looked(), renderer.asked]).toEqual([1, []]);
});

test("what releases before wrote otherwise of any picture is served under its own validator until its successor lies there", async () => {
	const host = await transformHost();
	const picture = { image: host.image, mends: NONE };
	const asked = { extension: host.image.format, query: "w=100" };
	const rendition = await new Renditions("").find(picture, asked, async () => undefined);
	const former = rendition?.before.at(-1);
	await host.cache.put(former?.key ?? "", new TextEncoder().encode("of before"), host.image.blobKey);
	const shown = await host.ask(".jpg?w=100");
	expect([etagOf(shown), shown.headers.get("Cache-Control")]).toEqual([former?.etag ?? "", "public, max-age=60"]);
	expect(await shown.text()).toBe("of before");
	await until(async () => host.meters.counts.get("svc_cdn_remakes_total made") === 1);
	const made = await host.ask(".jpg?w=100");
	expect([etagOf(made), host.forgotten, host.cache.entries]).toEqual([rendition?.etag ?? "", [host.image.id], 1]);
	expect(await made.text()).not.toBe("of before");
});

test("a form that a mend does not alter is not looked at", async () => {
	const { ask, old, target, looked } = await upgraded(CONCERNED, ".webp?w=100&format=jpg", {
		format: "webp",
	});
	const shown = await ask(target);
	expect([etagOf(shown), shown.headers.get("Cache-Control")?.slice(0, 19)]).toEqual([
		etagOf(old),
		"public, max-age=300",
	]);
	expect(looked()).toBe(0);
});

test("where making it anew fails, what there is goes on being served, and it is not tried again for ten minutes", async () => {
	const { ask, old, target, renderer, meters, world } = await upgraded(CONCERNED);
	renderer.pace = () => Promise.reject(new Error("no"));
	const failed = () => meters.counts.get("svc_cdn_remakes_total failed") ?? 0;
	for (let asked = 0; asked < 3; asked++) {
		expect(etagOf(await ask(target))).toBe(etagOf(old));
		await until(async () => failed() > 0);
	}
	expect([failed(), renderer.asked.length]).toEqual([1, 1]);
	world.nowMs = NOW_MS + 600_001;
	renderer.pace = async () => undefined;
	await ask(target);
	await until(async () => (meters.counts.get("svc_cdn_remakes_total made") ?? 0) > 0);
	expect(etagOf(await ask(target))).not.toBe(etagOf(old));
});

test("where nothing is kept, the picture is looked at first, and what is made has its lasting name at once", async () => {
	const concerned = await transformHost({ image: PNG });
	concerned.finder.there = { ...concerned.finder.there, mends: CONCERNED };
	const plain = await transformHost({ image: PNG });
	const [first, second, other] = [
		await concerned.ask(".png?w=100"),
		await concerned.ask(".png?w=100"),
		await plain.ask(".png?w=100"),
	];
	expect(etagOf(first)).toBe(etagOf(second));
	expect(etagOf(first)).not.toBe(etagOf(other));
	expect(concerned.finder.asked.filter((kind) => kind === "mends")).toEqual(["mends"]);
	expect(concerned.renderer.asked).toEqual(["w=100"]);
});

test("a picture that cannot be looked at never gets the name of other bytes", async () => {
	const { ask, finder } = await transformHost({ image: PNG });
	const plain = await transformHost({ image: PNG });
	finder.pace = () => Promise.reject(new Error("no"));
	const shown = await ask(".png?w=100");
	expect(shown.status).toBe(200);
	expect(etagOf(shown)).not.toBe(etagOf(await plain.ask(".png?w=100")));
});

test("a picture that lies over another one and was shown in wrong colours makes that one old, too", async () => {
	const layer = {
		id: "img_1123456789012345678901",
		blobKey: "img_layer/nonce",
		format: "png",
		width: 20,
		height: 10,
	} as const;
	const target = ".jpg?w=100&tile=img_1123456789012345678901";
	const before = await transformHost();
	before.world.tile = { ...before.image, ...layer };
	const old = await before.ask(target);
	await until(async () => before.cache.entries === 1);
	const host = await transformHost({ dir: before.dir });
	host.world.tile = { ...host.image, ...layer };
	host.finder.there = { ...host.finder.there, mends: CONCERNED };
	expect(etagOf(await host.ask(target))).toBe(etagOf(old));
	await until(async () => (host.meters.counts.get("svc_cdn_remakes_total made") ?? 0) > 0);
	expect(etagOf(await host.ask(target))).not.toBe(etagOf(old));
});
