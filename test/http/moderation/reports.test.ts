import { afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import type { Image, Report } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, countOf, type TestApp } from "../../support/apps.ts";
import { acted, itemOf, queueOf } from "../../support/moderation.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

let service: OpenService;
let app: TestApp;
let operator: TestPerson;
let image: Image;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	file = await plain(8, 6);
});
beforeEach(async () => {
	service = await openService();
	app = await addApp(service.database);
	operator = await addPerson(service.database, { operator: true });
	image = await uploaded(service, file, "a.png", {}, { key: app.key });
});
afterEach(() => service.close());

const from = (address: string) => ({ "X-Forwarded-For": address });

/** What anybody sends, without a key. */
function report(body: unknown, address = "198.51.100.7"): Promise<Response> {
	return service.api("/v1/reports", {
		method: "POST",
		body: JSON.stringify(body),
		headers: { "Content-Type": "application/json", ...from(address) },
	});
}

const kept = () => countOf(service.database, sql`SELECT count(*) FROM reports`);
const byOperator = (method: string, path: string, body?: unknown) => send(service, method, path, body, as(operator));

async function listed(state = "open"): Promise<Report[]> {
	const answer = await byOperator("GET", `/v1/moderation/reports?state=${state}`);
	return ((await answer.json()) as { data: Report[] }).data;
}

describe("a report", () => {
	test("202 for anybody; operators find it with the image, and in the queue", async () => {
		const note = "mine — ünïcode 🐈\nsecond line";
		const answer = await report({ url: `${image.url}?w=300`, reason: "dmca", note, email: " a@example.com " });
		expect(answer.status).toBe(202);
		const [found] = await listed();
		expect(found).toMatchObject({
			object: "report",
			image_id: image.id,
			reason: "dmca",
			note,
			email: "a@example.com",
			outcome: null,
		});
		const item = await itemOf(service, operator, image.id);
		expect([item.reports_count, item.reports]).toEqual([1, [found as Report]]);
		expect(await queueOf(service, operator, "")).toEqual([image.id]);
	});

	test("of all addresses that an image has here", async () => {
		const { cdn, web } = service.rooms.addresses;
		const urls = [
			image.url,
			image.sizes.small?.url ?? "",
			`${image.url}?w=10&fit=cover#top`,
			image.url.replace(/\.png$/, ".jpeg"),
			image.url.replace(cdn, cdn.toUpperCase()),
			`${web}/report/${image.id}`,
			`${web}/report/${image.id}?x=1`,
			`${web}/i/${image.id}`,
		];
		for (const [place, url] of urls.entries()) {
			expect((await report({ url, reason: "spam" }, `198.51.100.${place}`)).status).toBe(202);
		}
		expect((await itemOf(service, operator, image.id)).reports_count).toBe(urls.length);
	});

	test("is answered alike whether the image is there, was, never was, or lies elsewhere, and only the first is kept", async () => {
		const other = await addApp(service.database);
		const foreign = await uploaded(service, file, "b.png", {}, { key: other.key });
		const [, team = ""] = /\/(\w+)\/img_/.exec(foreign.url) ?? [];
		const gone = await uploaded(service, file, "c.png", {}, { key: app.key });
		await send(service, "DELETE", `/v1/images/${gone.id}`, undefined, { key: app.key });
		const expired = await uploaded(service, file, "d.png", { ttl: "5m" }, { key: app.key });
		const blocked = await uploaded(service, file, "e.png", {}, { key: app.key });
		await acted(service, operator, blocked.id, "block", { reason: "spam" });
		service.clock.advance(300_000);
		const answers: unknown[] = [];
		for (const url of [
			image.url,
			gone.url,
			expired.url,
			blocked.url,
			image.url.replace(image.id, newId("img")),
			image.url.replace(/\/\w+\/img_/, `/${team}/img_`),
		]) {
			const answer = await report({ url, reason: "spam" });
			const { created_at, ...body } = (await answer.json()) as { created_at: string };
			expect(Date.parse(created_at)).toBeGreaterThan(0);
			answers.push([answer.status, body, [...answer.headers.keys()]]);
		}
		expect(answers).toEqual(Array(6).fill(answers[0]));
		expect((await listed()).map(({ image_id }) => image_id)).toEqual([image.id]);
	});

	test("422 names url for an address that is none of an image here", async () => {
		const { cdn, web } = service.rooms.addresses;
		const path = new URL(image.url).pathname;
		for (const url of [
			"",
			"x",
			image.id,
			path,
			`//${new URL(cdn).host}${path}`,
			`https://evil.example${path}`,
			`${cdn}.evil.example${path}`,
			`${cdn}@evil.example${path}`,
			image.url.replace("://", "://user:pass@"),
			image.url.replace("http", "ftp"),
			`javascript:fetch("${image.url}")`,
			`${cdn}/../report/${image.id}`,
			`${cdn}${path}/more`,
			image.url.replace(/\.png$/, ""),
			image.url.replace(image.id, `${image.id}%00`),
			image.url.replace(image.id, "img_'; DROP TABLE reports; --"),
			`${web}/report/${image.id}/x`,
			`${web}/i/`,
			`${web}/i/${image.id}/x`,
			`${web}/report/`,
			`${image.url}?${"x".repeat(2_048)}`,
			1,
			null,
			[image.url],
			undefined,
		]) {
			const answer = await report({ url, reason: "spam" });
			expect([url, await errorOf(answer)]).toMatchObject([url, { status: 422, fields: ["url"] }]);
		}
		expect(await kept()).toBe(0);
	});

	test("422 names everything else that is wrong", async () => {
		const sent = { url: image.url, reason: "spam" };
		for (const [body, fields] of [
			[{ ...sent, reason: "ugly" }, ["reason"]],
			[{ url: image.url }, ["reason"]],
			[{ ...sent, note: "n".repeat(2_001) }, ["note"]],
			[{ ...sent, note: "a\0b" }, ["note"]],
			[{ ...sent, email: "nobody" }, ["email"]],
			[{ ...sent, email: "a@b.example\r\nBcc: c@d.example" }, ["email"]],
			[{ ...sent, image_id: image.id }, ["image_id"]],
			[JSON.parse('{"url":"x","reason":"spam","__proto__":{}}'), ["__proto__"]],
		] as const) {
			expect(await errorOf(await report(body))).toMatchObject({ status: 422, fields });
		}
		expect((await report([])).status).toBe(400);
		expect(await kept()).toBe(0);
	});
});

describe("too many", () => {
	test("one network has one open report of an image, however many come at once; another network has its own", async () => {
		const sent = { url: image.url, reason: "spam" };
		const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await report(sent)).status));
		expect(statuses).toEqual(Array(8).fill(202));
		expect(await kept()).toBe(1);
		await report({ ...sent, reason: "dmca" }, "203.0.113.9");
		expect((await itemOf(service, operator, image.id)).reports_count).toBe(2);
	});

	test("429 for the eleventh in an hour from one network, and then it goes on", async () => {
		const sent = { url: image.url, reason: "spam" };
		const answers = await Promise.all(Array.from({ length: 30 }, async () => (await report(sent)).status));
		expect(answers.toSorted()).toEqual([...Array<number>(10).fill(202), ...Array<number>(20).fill(429)]);
		const refused = await report(sent);
		expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited", action: { type: "wait" } });
		expect((await report(sent, "203.0.113.9")).status).toBe(202);
		service.clock.advance(3_600_000);
		expect((await report(sent)).status).toBe(202);
	});

	test("429 for one IPv6 network, whatever addresses of it are used", async () => {
		const sent = { url: image.url, reason: "spam" };
		for (let host = 1; host <= 10; host++) await report(sent, `2001:db8:1:2::${host}`);
		expect((await report(sent, "2001:0db8:0001:0002:ffff::1")).status).toBe(429);
		expect((await report(sent, "2001:db8:1:3::1")).status).toBe(202);
		expect(await kept()).toBe(2);
	});

	test("no address is kept as it was", async () => {
		await report({ url: image.url, reason: "spam" }, "198.51.100.77");
		const rows = await service.database.read(() =>
			service.database.queries.values(sql`SELECT bucket, (SELECT hex(ip_hash) FROM reports) FROM throttles`),
		);
		expect(rows).toHaveLength(1);
		expect(JSON.stringify(rows)).not.toContain("198.51.100.77");
	});
});

describe("what becomes of it", () => {
	const resolve = (id: string, outcome: unknown, caller = as(operator)) =>
		send(service, "POST", `/v1/moderation/reports/${id}/resolve`, { outcome }, caller);

	test("an operator resolves it once; it leaves the queue, and the same network may report again", async () => {
		await report({ url: image.url, reason: "spam" });
		const [open] = await listed();
		const id = String(open?.id);
		const answers = await Promise.all(Array.from({ length: 20 }, () => resolve(id, "dismissed")));
		expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array<number>(19).fill(409)]);
		expect(await queueOf(service, operator, "")).toEqual([]);
		expect(await listed()).toEqual([]);
		expect(await listed("resolved")).toMatchObject([{ id, outcome: "dismissed", resolved_by: operator.id }]);
		await report({ url: image.url, reason: "spam" });
		expect(await listed()).toHaveLength(1);
	});

	test("who sent it is forgotten 90 days after it was settled, and no earlier; what is open keeps them", async () => {
		const emails = async () =>
			(
				await service.database.read(() =>
					service.database.queries.values<[string | null, string]>(sql`SELECT email, reason FROM reports ORDER BY pk`),
				)
			).map(([email, reason]) => [email, reason] as const);
		await report({ url: image.url, reason: "spam", email: "settled@example.com" }, "198.51.100.1");
		await report({ url: image.url, reason: "terms", email: "open@example.com" }, "198.51.100.2");
		const settled = (await listed()).find(({ reason }) => reason === "spam");
		service.clock.advance(86_400_000);
		await byOperator("POST", `/v1/moderation/reports/${settled?.id}/resolve`, { outcome: "dismissed" });
		service.clock.advance(90 * 86_400_000 - 60_000);
		expect((await service.sweep()).reporters).toBe(0);
		expect(await emails()).toEqual([
			["settled@example.com", "spam"],
			["open@example.com", "terms"],
		]);
		service.clock.advance(120_000);
		expect((await service.sweep()).reporters).toBe(1);
		expect(await emails()).toEqual([
			[null, "spam"],
			["open@example.com", "terms"],
		]);
		expect((await service.sweep()).reporters).toBe(0);
	});

	test("a block and a deletion by an operator settle what is open; a lock does not", async () => {
		const second = await uploaded(service, file, "b.png", {}, { key: app.key });
		for (const url of [image.url, second.url]) await report({ url, reason: "spam" });
		await acted(service, operator, image.id, "lock");
		expect(await queueOf(service, operator, "")).toEqual([second.id, image.id]);
		expect((await acted(service, operator, image.id, "block", { reason: "spam" })).reports_count).toBe(0);
		await byOperator("DELETE", `/v1/moderation/images/${second.id}`);
		expect(await queueOf(service, operator, "")).toEqual([]);
		expect((await listed("resolved")).map(({ outcome }) => outcome)).toEqual(["actioned", "actioned"]);
	});

	test("422 for another outcome or state, 404 for no report, 403 and 401 for others than operators", async () => {
		await report({ url: image.url, reason: "spam" });
		const [open] = await listed();
		const id = String(open?.id);
		for (const outcome of ["maybe", undefined, null]) {
			expect((await errorOf(await resolve(id, outcome))).fields).toEqual(["outcome"]);
		}
		expect((await errorOf(await byOperator("GET", "/v1/moderation/reports?state=all"))).fields).toEqual(["state"]);
		for (const missing of [newId("rep"), image.id, "x"]) {
			expect((await resolve(missing, "actioned")).status).toBe(404);
		}
		const owner = { secret: await addSession(service.database, app.ownerId) };
		expect((await resolve(id, "actioned", as(owner))).status).toBe(403);
		expect((await resolve(id, "actioned", { key: app.key })).status).toBe(403);
		expect((await service.api(`/v1/moderation/reports/${id}/resolve`, { method: "POST", headers: {} })).status).toBe(
			401,
		);
		expect(await listed()).toHaveLength(1);
	});

	test("the list goes page by page", async () => {
		for (let host = 1; host <= 5; host++) await report({ url: image.url, reason: "spam" }, `198.51.100.${host}`);
		const first = await byOperator("GET", "/v1/moderation/reports?limit=3");
		const page = (await first.json()) as { data: Report[]; pagination: { next_url: string } };
		const rest = await byOperator("GET", page.pagination.next_url.replace(service.rooms.addresses.base, ""));
		const more = (await rest.json()) as { data: Report[]; pagination: { has_more: boolean } };
		const ids = [...page.data, ...more.data].map(({ id }) => id);
		expect([new Set(ids).size, page.data.length, more.pagination.has_more]).toEqual([5, 3, false]);
	});
});
