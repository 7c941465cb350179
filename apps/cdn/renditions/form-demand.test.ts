import { afterAll, expect, test } from "bun:test";
import { removeFolders, transformHost } from "@svc/test/support/transform-host";
import { FormDemand } from "./form-demand.ts";

afterAll(removeFolders);

const DAY_MS = 86_400_000;
const text = async (response: Response | Promise<Response>) => (await response).text();

test("a rendition is asked for often once it was so many times within a day, answers that are given again counted", () => {
	const world = { nowMs: 0 };
	const demand = new FormDemand(3, { now: () => world.nowMs });
	expect([demand.isOften("one"), demand.isOften("other"), demand.isOften("one"), demand.isOften("one")]).toEqual([
		...[false, false, false, true],
	]);
	demand.askedAgain("other");
	demand.askedAgain("nobody's");
	expect([demand.isOften("other"), demand.isOften("nobody's")]).toEqual([true, false]);
	world.nowMs = DAY_MS;
	expect(demand.isOften("one")).toBe(false);
});

test("with 0 nothing is", () => {
	const demand = new FormDemand(0, { now: () => 0 });
	expect(Array.from({ length: 100 }, () => demand.isOften("one"))).not.toContain(true);
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Asks until this is what is answered. */
async function until(ask: () => Promise<string>, wanted: string): Promise<void> {
	while ((await ask()) !== wanted) await turn();
}

test("what is asked for often is made once more by a dearer encoder, which nobody waits for, and the caches in front are told", async () => {
	const { ask, world, renderer, forgotten, image } = await transformHost({ compactAfter: 3 });
	const get = () => text(ask(".jpg?w=100"));
	const first = await ask(".jpg?w=100");
	const etag = first.headers.get("etag");
	for (let turn = 0; turn < 2; turn++) expect(await get()).toBe("pixels of w=100");
	await until(get, "compact pixels of w=100");
	expect(world.compact).toHaveLength(1);
	while (forgotten.length === 0) await turn();
	expect([forgotten, renderer.asked]).toEqual([[image.id], ["w=100", "w=100"]]);
	const compact = await ask(".jpg?w=100");
	expect([compact.headers.get("cache-control"), compact.headers.get("etag") === etag]).toEqual([
		first.headers.get("cache-control"),
		false,
	]);
	expect((await ask(".jpg?w=100", { headers: { "If-None-Match": etag ?? "" } })).status).toBe(200);
	expect(await text(ask(".jpg?w=101"))).toBe("pixels of w=101");
});

test("another machine, or this one after its cache was emptied, answers at once as at first, for a moment, and makes the smaller one meanwhile", async () => {
	const first = await transformHost({ compactAfter: 2 });
	const get = (ask: typeof first.ask) => text(ask(".jpg?w=100"));
	await get(first.ask);
	await until(() => get(first.ask), "compact pixels of w=100");
	const other = await transformHost({ compactAfter: 2 });
	other.world.compact = first.world.compact;
	const answer = await other.ask(".jpg?w=100");
	expect([await answer.text(), answer.headers.get("cache-control")]).toEqual([
		"pixels of w=100",
		expect.stringContaining("max-age=60"),
	]);
	await until(() => get(other.ask), "compact pixels of w=100");
	const [one, two] = await Promise.all([first.ask(".jpg?w=100"), other.ask(".jpg?w=100")]);
	expect(one.headers.get("etag")).toBe(two.headers.get("etag"));
});

test.each(["q=auto&w=100", "format=webp&lossless=true&w=100", "format=png&w=100", "", "w=100&info=json"])(
	"%s stays as it is, however often it is asked for",
	async (query) => {
		const { ask, world } = await transformHost({ compactAfter: 1 });
		for (let turn = 0; turn < 4; turn++) await text(ask(`.jpg?${query}`));
		expect(world.compact).toBeUndefined();
	},
);

test("of one picture sixteen forms at most", async () => {
	const { ask, world } = await transformHost({ compactAfter: 1 });
	for (let width = 10; width < 40; width++) await text(ask(`.jpg?w=${width}`));
	await until(async () => String(world.compact?.length), "16");
	for (let width = 10; width < 40; width++) await text(ask(`.jpg?w=${width}`));
	expect(world.compact).toHaveLength(16);
});
