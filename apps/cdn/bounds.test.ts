import { afterAll, describe, expect, test } from "bun:test";
import { APP, NOW_MS, removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

/** As `AddressApp.terms` has them. */
const terms = (referrers: readonly string[] | null, bytes: number | null, renditions: number | null) =>
	JSON.stringify([referrers, bytes, renditions]);

/** Nothing changes in this database: answers are kept. */
const CHANGES = { now: () => 1, isAsRead: () => true, readsOf: () => ({}) as never };

async function host(text: string, options: Parameters<typeof transformHost>[0] = {}) {
	const fixture = await transformHost(options);
	fixture.world.app = { ...APP, terms: text };
	const from = (page: string | undefined, target = ".jpg?w=9") =>
		fixture.ask(target, page === undefined ? {} : { headers: { Referer: page } });
	return { ...fixture, from };
}

describe("an App that names referrers", () => {
	test("answers their pages and requests that name none, and no other page, also of what is kept", async () => {
		const { from } = await host(terms(["example.com", "*.example.org"], null, null), { changes: CHANGES });
		const statuses = async (...pages: (string | undefined)[]) => {
			const answers = [];
			for (const page of pages) answers.push((await from(page)).status);
			return answers;
		};
		// Made, found, and then kept with its headers.
		for (let time = 0; time < 3; time++) {
			expect(await statuses(undefined, "", "https://example.com/a", "http://EXAMPLE.com:8080/")).toEqual([
				200, 200, 200, 200,
			]);
			expect(await statuses("https://a.example.org/", "https://a.b.example.org")).toEqual([200, 200]);
			expect(
				await statuses("https://evil.com/example.com", "https://example.com.evil.com/", "https://notexample.org/"),
			).toEqual([403, 403, 403]);
			expect(await statuses("https://example.org/", "nonsense")).toEqual([403, 403]);
		}
		const refused = await from("https://evil.com/");
		expect(refused.headers.get("cache-control")).toBe("no-store");
		expect(await refused.json()).toMatchObject({
			error: { code: "forbidden", message: "This App lets only pages of its own show its images." },
		});
	});

	test("says no more of an image that is not there to a page that may not show it", async () => {
		const { from, world } = await host(terms(["example.com"], null, null));
		world.image = undefined;
		expect((await from("https://evil.com/")).status).toBe(403);
		expect((await from("https://example.com/")).status).toBe(404);
	});
});

describe("an App with a ceiling of bytes", () => {
	test("answers until it is reached, then 429 until midnight in UTC; what a browser has is confirmed still", async () => {
		const { ask, world } = await host(terms(null, 30, null), { changes: CHANGES });
		world.nowMs = NOW_MS + 3_600_000;
		const first = await ask(".jpg?w=9");
		const bytes = (await first.arrayBuffer()).byteLength;
		expect(bytes).toBeGreaterThan(10);
		for (let sent = bytes; sent < 30; sent += bytes) expect((await ask(".jpg?w=9")).status).toBe(200);
		for (const target of [".jpg?w=9", ".jpg?w=8", ".jpg"]) {
			const refused = await ask(target);
			expect([refused.status, refused.headers.get("retry-after"), refused.headers.get("cache-control")]).toEqual([
				429,
				String(23 * 3_600),
				"no-store",
			]);
		}
		expect(await (await ask(".jpg")).json()).toMatchObject({ error: { code: "rate_limited" } });
		const known = { headers: { "If-None-Match": first.headers.get("etag") ?? "" } };
		expect((await ask(".jpg?w=9", known)).status).toBe(304);
		world.nowMs = NOW_MS + 24 * 3_600_000;
		expect((await ask(".jpg?w=9")).status).toBe(200);
	});

	test("counts what other processes have written, as soon as this one writes", async () => {
		const { ask, world, known } = await host(terms(null, 1_000, null), { changes: CHANGES });
		expect((await ask(".jpg?w=9")).status).toBe(200);
		expect((await ask(".jpg?w=9")).status).toBe(200);
		await known.whileWritten(async () => {
			world.servedToday.set(1, { bytes: 1_000, renditions: 0 });
		});
		expect((await ask(".jpg?w=9")).status).toBe(429);
		// A higher ceiling holds at once, with what was counted.
		world.app = { ...APP, terms: terms(null, 100_000, null) };
		expect((await ask(".jpg?w=7")).status).toBe(200);
	});

	test("begins with what was served before this process came, and with nothing where nobody knows", async () => {
		const { ask, world } = await host(terms(null, 1_000, null));
		world.servedToday.set(1, { bytes: 1_000, renditions: 0 });
		expect((await ask(".jpg?w=9")).status).toBe(429);
	});
});

describe("an App with a ceiling of renditions", () => {
	test("serves what is made already and the images as they are, and makes no more", async () => {
		const { ask, renderer } = await host(terms(null, null, 2));
		expect((await ask(".jpg?w=9")).status).toBe(200);
		expect((await ask(".jpg?w=8")).status).toBe(200);
		expect((await ask(".jpg?w=7")).status).toBe(429);
		expect((await ask(".jpg?w=9")).status).toBe(200);
		expect((await ask(".jpg")).status).toBe(200);
		expect(renderer.asked.filter((form) => form !== "strip")).toEqual(["w=9", "w=8"]);
	});

	test("makes no more also for those who ask at once", async () => {
		const { ask, renderer } = await host(terms(null, null, 2));
		const statuses = await Promise.all([1, 2, 3, 4, 5].map(async (w) => (await ask(`.jpg?w=${w}`)).status));
		expect(statuses.toSorted()).toEqual([200, 200, 429, 429, 429]);
		expect(renderer.asked).toHaveLength(2);
	});
});

test("an App that bounds nothing asks nobody how much was served", async () => {
	const { ask, world } = await transformHost();
	Object.defineProperty(world, "servedToday", {
		get() {
			throw new Error("asked");
		},
	});
	expect((await ask(".jpg?w=9")).status).toBe(200);
});
