import { beforeAll, describe, expect, test } from "bun:test";
import { dayOf } from "@svc/images/usage/daily-usage";
import type { App, Event, Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { mailedFacts } from "../../support/mail.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam } from "../../support/teams.ts";

/* What the links of strangers may do with an App's images, and cost it on a day: current interface. */

const service = serviceFor({ SVC_VARIANT: "current" });
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(900, 600, "jpeg");
});

async function openShop(changes: object = {}) {
	const team = await makeTeam(service);
	const { secret: key } = await makeKey(service, team.owner, team.path);
	const image = await uploaded(service, file, "a.jpg", {}, { key });
	const change = (body: object, by = team.admin) => send(service, "PATCH", team.path, body, as(by));
	expect((await change(changes)).status).toBe(200);
	const get = async (query: string) =>
		(await (await send(service, "GET", `/v1/images/${image.id}${query}`, undefined, { key })).json()) as Image;
	const events = async () => {
		const answer = await send(service, "GET", "/v1/events?types=app.*", undefined, { key });
		return ((await answer.json()) as { data: readonly Event[] }).data.filter(({ type }) => type === UNUSUAL);
	};
	return { ...team, key, image, change, get, events };
}

const UNUSUAL = "app.delivery_unusual";
const NONE = { bytes: null, renditions: null };
const from = (url: string, page: string) => service.open(url, { headers: { Referer: page } });
const statusOf = async (url: string) => (await service.open(url)).status;

describe("delivery_referrers and delivery_limits of an App", () => {
	test("200 they are changed by Admins, each by itself, kept as browsers write hosts, and audited once", async () => {
		const shop = await openShop();
		const shown = async (body: object) => {
			const { delivery_referrers, delivery_limits } = (await (await shop.change(body)).json()) as App;
			return [delivery_referrers, delivery_limits];
		};
		expect(await shown({})).toEqual([[], NONE]);
		const hosts = ["Example.com", " *.example.org ", "https://münchen.de/", "localhost:5173", "example.com"];
		const kept = ["example.com", "*.example.org", "xn--mnchen-3ya.de", "localhost"];
		expect(await shown({ delivery_referrers: hosts })).toEqual([kept, NONE]);
		expect(await shown({ delivery_limits: { bytes: 5 } })).toEqual([kept, { bytes: 5, renditions: null }]);
		expect(await shown({ delivery_limits: { renditions: 0 }, delivery_referrers: [] })).toEqual([
			[],
			{ bytes: 5, renditions: 0 },
		]);
		expect(await shown({ delivery_limits: { bytes: null, renditions: 0 } })).toEqual([
			[],
			{ bytes: null, renditions: 0 },
		]);
		expect(await shown({ delivery_limits: { renditions: 0 } })).toEqual([[], { bytes: null, renditions: 0 }]);
		const { body } = await ask(service, shop.admin, "GET", `${shop.path}/audit?event=app.delivery_changed`);
		const data = body.data as readonly { readonly changes: object }[];
		expect(data.map(({ changes }) => changes)).toEqual([
			{ bytes: null, renditions: 0 },
			{ referrers: [], renditions: 0 },
			{ bytes: 5 },
			{ referrers: kept },
		]);
		expect((await shop.change({ delivery_limits: { bytes: 1 } }, shop.viewer)).status).toBe(403);
	});

	test("422 names the field, and what is wrong with it", async () => {
		const shop = await openShop();
		for (const body of [
			{ delivery_referrers: ["no host"] },
			{ delivery_referrers: ["example.com/path"] },
			{ delivery_referrers: ["*"] },
			{ delivery_referrers: [""] },
			{ delivery_referrers: "example.com" },
			{ delivery_referrers: Array(51).fill("example.com") },
			{ delivery_limits: { bytes: -1 } },
			{ delivery_limits: { bytes: 1.5 } },
			{ delivery_limits: [] },
			{ delivery_limits: { requests: 1 } },
		]) {
			const refused = await shop.change(body);
			expect(refused.status).toBe(422);
			const [name] = (await errorOf(refused)).fields;
			expect(name?.split(".")[0]).toBe(Object.keys(body)[0] as string);
		}
	});
});

describe("what a page may show that is not among an App's referrers", () => {
	test("403, and previews and pages that are named are answered", async () => {
		const shop = await openShop({ delivery_referrers: ["example.com"] });
		const { preview } = await shop.get("?include=preview");
		for (const target of [shop.image.url, `${shop.image.url}?size=m`]) {
			expect((await from(target, "https://example.com/")).status).toBe(200);
			expect(await statusOf(target)).toBe(200);
			const refused = await from(target, "https://strangers.example/");
			expect([refused.status, (await errorOf(refused)).code]).toEqual([403, "forbidden"]);
		}
		expect((await from(preview?.url ?? "", "https://strangers.example/")).status).toBe(200);
		await shop.change({ delivery_referrers: [] });
		expect((await from(shop.image.url, "https://strangers.example/")).status).toBe(200);
	});
});

describe("a day's ceiling", () => {
	test("429 above it, until the next day; a preview is shown, an address that the service signed for the App is not", async () => {
		const shop = await openShop({ delivery_limits: { bytes: 1 } });
		const path = `/v1/images/${shop.image.id}/sign`;
		const body = { parameters: { w: "9" }, expires_in: "5m" };
		const signed = (await (await send(service, "POST", path, body, { key: shop.key })).json()) as { url: string };
		expect(await statusOf(shop.image.url)).toBe(200);
		for (const url of [shop.image.url, `${shop.image.url}?w=8`, signed.url]) {
			const refused = await service.open(url);
			expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
		}
		const { preview } = await shop.get("?include=preview");
		expect(await statusOf(preview?.url ?? "")).toBe(200);
		// Made by hand: only what the service has signed is its own.
		expect(
			await statusOf(
				`${shop.image.url}?size=s&exp=${Math.floor(service.clock.now() / 1_000) + 300}&sig=${"A".repeat(43)}`,
			),
		).toBe(429);
		await shop.change({ delivery_limits: { bytes: null } });
		expect(await statusOf(shop.image.url)).toBe(200);
	});

	test("counts what was written before by processes that are gone", async () => {
		const shop = await openShop();
		expect(await statusOf(shop.image.url)).toBe(200);
		await service.writeUsage();
		await shop.change({ delivery_limits: { bytes: 1 } });
		expect(await statusOf(shop.image.url)).toBe(429);
	});
});

describe("far more than usual", () => {
	/** What was served of an App on earlier days. */
	async function servedBefore(path: string, days: readonly [bytes: number, renditions: number][]): Promise<number> {
		const id = path.split("/").at(-1);
		const today = dayOf(service.clock.now());
		const pk = sql`(SELECT pk FROM apps WHERE id = ${id})`;
		for (const [place, [bytes, renditions]] of days.entries()) {
			const run = sql`INSERT INTO delivery_days (day, app_pk, bytes, renditions)
				VALUES (${today - 1 - place}, ${pk}, ${bytes}, ${renditions})`;
			await service.database.write([{ run }]);
		}
		const storage = sql`SELECT pk FROM storages WHERE app_pk = ${pk}`;
		const [row] = await service.database.read(() => service.database.queries.values<[number]>(storage));
		return row?.[0] ?? 0;
	}

	async function serve(storagePk: number, bytes: number, renditions = 0): Promise<void> {
		const { dailyCounters } = service.rooms.images;
		dailyCounters.countServed(storagePk, bytes);
		for (let count = 0; count < renditions; count++) dailyCounters.countRendition(storagePk);
		await service.writeUsage();
	}

	test("one event and one letter to Owner and Admins a day, at five times the mean of the days on which something was served", async () => {
		const shop = await openShop();
		const storage = await servedBefore(shop.path, [
			[4e9, 10],
			[6e9, 30],
		]);
		const mails = () => mailedFacts(service.database, sql`template = 'delivery_unusual'`);
		const before = (await mails()).length;
		await serve(storage, 24.9e9);
		expect(await shop.events()).toEqual([]);
		await serve(storage, 0.2e9);
		await serve(storage, 90e9);
		const [event, ...others] = await shop.events();
		expect(others).toEqual([]);
		expect(event?.data).toMatchObject({ object: { object: "app" }, usage: { usual: { bytes: 5e9, renditions: 20 } } });
		expect(event?.data.usage?.today.bytes).toBeGreaterThanOrEqual(25e9);
		expect((await mails()).length - before).toBe(2);
		expect(JSON.stringify((await mails())[0])).toContain(`${shop.path.replace("/v1/apps", "/console")}/delivery`);
		service.clock.advance(86_400_000);
		await serve(storage, 300e9);
		expect(await shop.events()).toHaveLength(2);
	});

	test("of renditions as well; nobody hears of a small App, or of a large one that is as it always is", async () => {
		const [renders, small, large] = [await openShop(), await openShop(), await openShop()];
		await serve(await servedBefore(renders.path, [[1, 100]]), 1, 10_000);
		await serve(await servedBefore(small.path, [[1, 1]]), 9.9e9, 9_999);
		await serve(await servedBefore(large.path, [[1e12, 1e6]]), 2e12, 10_000);
		expect(await renders.events()).toHaveLength(1);
		expect([...(await small.events()), ...(await large.events())]).toEqual([]);
	});
});
