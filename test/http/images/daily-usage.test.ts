import { describe, expect, test } from "bun:test";
import type { Image, UsageRow } from "@svc/sdk/shapes";
import { addApp, addKey, addUserKey, connectUser } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* What was uploaded and served, day by day. */

const service = serviceFor();
const file = await plain(6, 6);
const DAY_MS = 86_400_000;

interface Page {
	readonly data: readonly UsageRow[];
	readonly pagination: { readonly has_more: boolean; readonly next_url: string | null };
}

async function daily(query: Record<string, string>, caller: Caller): Promise<Page> {
	const answer = await send(service, "GET", `/v1/usage/daily?${new URLSearchParams(query)}`, undefined, caller);
	expect(answer.status).toBe(200);
	return (await answer.json()) as Page;
}

async function view({ url }: Image, query: string, init?: RequestInit): Promise<Response> {
	const answer = await service.open(`${url}${query}`, init);
	await answer.clone().arrayBuffer();
	return answer;
}

const dateOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
const none = { uploads: 0, requests: 0, image_requests: 0, bytes_served: 0, renditions: 0 };

describe("[C] daily usage", () => {
	test("counts what the API and the transform host were asked, and what was made and sent", async () => {
		const { key } = await addApp(service.database);
		const image = await uploaded(service, file, "a.png", {}, { key });
		const first = await view(image, "?w=3&format=webp");
		const bytes = (await first.arrayBuffer()).byteLength;
		expect(first.status).toBe(200);
		await view(image, "?w=3&format=webp");
		await view(image, "?w=3&format=webp", { headers: { "If-None-Match": first.headers.get("etag") ?? "" } });
		const part = await view(image, "?w=3&format=webp", { headers: { Range: "bytes=0-9" } });
		expect(part.status).toBe(206);
		await view(image, "?w=3&format=webp", { method: "HEAD" });
		await send(service, "GET", `/v1/images/${image.id}`, undefined, { key });
		await service.writeUsage();
		const today = dateOf(service.clock.now());
		const { data } = await daily({ from: today }, { key });
		expect(data).toEqual([
			{
				object: "usage_row",
				date: today,
				user_id: null,
				uploads: 1,
				requests: 2,
				image_requests: 5,
				bytes_served: 2 * bytes + 10,
				renditions: 1,
			},
		]);
	});

	test("has a row for each day, the oldest first, page by page, and 30 days with today where none is named", async () => {
		const { key } = await addApp(service.database);
		const today = service.clock.now();
		const { data } = await daily({}, { key });
		expect(data).toHaveLength(30);
		expect(data.at(-1)).toMatchObject({ date: dateOf(today), user_id: null, ...none });
		const seen: (string | null)[] = [];
		let url: string | null = `${service.rooms.addresses.base}/v1/usage/daily?from=2024-01-01&to=2025-01-01&limit=100`;
		while (url !== null) {
			const answer = await service.open(url, { headers: { Authorization: `Bearer ${key}` } });
			const page = (await answer.json()) as Page;
			seen.push(...page.data.map(({ date }) => date));
			url = page.pagination.next_url;
		}
		expect(seen).toHaveLength(366);
		expect([seen[0], seen.at(-1)]).toEqual(["2024-01-01", "2024-12-31"]);
		expect([...new Set(seen)].sort()).toEqual(seen as string[]);
	});

	test("counts each upload once on its day, also of an image that is gone, and nothing of one that was refused", async () => {
		const { key } = await addApp(service.database);
		const one = await uploaded(service, file, "a.png", {}, { key });
		await uploaded(service, file, "b.png", {}, { key });
		await send(service, "DELETE", `/v1/images/${one.id}`, undefined, { key });
		await send(service, "POST", "/v1/images", { url: "no address" }, { key });
		const before = service.clock.now();
		service.clock.advance(DAY_MS);
		await uploaded(service, file, "c.png", {}, { key });
		const { data } = await daily({ from: dateOf(before), to: dateOf(before + 2 * DAY_MS) }, { key });
		service.clock.advance(-DAY_MS);
		expect(data.map(({ uploads }) => uploads)).toEqual([2, 1]);
	});

	test("adds up over the App for its own keys, by day and by user, and shows a user their own storage", async () => {
		const app = await addApp(service.database);
		const { key } = app;
		const user = await connectUser(service.database, app);
		const userKey = await addUserKey(service.database, app, user);
		const bucket = await addKey(service.database, app, { reach: "bucket" });
		await uploaded(service, file, "a.png", {}, { key });
		await uploaded(service, file, "b.png", {}, { key: userKey });
		await uploaded(service, file, "c.png", {}, { key: userKey });
		const today = dateOf(service.clock.now());
		const uploads = async (query: Record<string, string>, caller: Caller) =>
			(await daily({ from: today, ...query }, caller)).data.map((row) => row.uploads);
		expect(await uploads({}, { key })).toEqual([1]);
		expect(await uploads({}, { key: userKey })).toEqual([2]);
		expect(await uploads({ scope: "app" }, { key })).toEqual([3]);
		const { data } = await daily({ from: today, scope: "app", by: "user" }, { key });
		expect(data.map(({ date, user_id, uploads: all }) => [date, user_id, all])).toEqual([
			[null, user.id, 2],
			[null, null, 1],
		]);
		for (const narrow of [userKey, bucket]) {
			const refused = await send(service, "GET", "/v1/usage/daily?scope=app", undefined, { key: narrow });
			expect([refused.status, (await errorOf(refused)).code]).toEqual([403, "forbidden"]);
		}
	});

	test("is a file with a header row and CRLF as CSV, with all rows", async () => {
		const { key } = await addApp(service.database);
		await uploaded(service, file, "a.png", {}, { key });
		const to = dateOf(service.clock.now() + DAY_MS);
		const from = dateOf(service.clock.now() - 364 * DAY_MS);
		const path = `/v1/usage/daily?format=csv&from=${from}&to=${to}`;
		const answer = await send(service, "GET", path, undefined, { key });
		expect(answer.headers.get("content-type")).toStartWith("text/csv");
		expect(answer.headers.get("content-disposition")).toStartWith("attachment");
		const lines = (await answer.text()).split("\r\n");
		expect(lines).toHaveLength(1 + 365 + 1);
		expect(lines[0]).toBe("date,user_id,uploads,requests,image_requests,bytes_served,renditions");
		expect(lines[1]).toBe(`${from},,0,0,0,0,0`);
		expect(lines.at(-2)).toBe(`${dateOf(service.clock.now())},,1,0,0,0,0`);
		expect(lines.at(-1)).toBe("");
	});

	test.each([
		["from=2026-02-30", "from"],
		["from=x", "from"],
		["to=2026", "to"],
		["from=2026-01-02&to=2026-01-02", "to"],
		["from=2024-01-01&to=2025-01-02", "to"],
		["scope=all", "scope"],
		["by=month", "by"],
		["by=user", "by"],
		["format=xml", "format"],
		["limit=0", "limit"],
		["unknown=1", "unknown"],
		["from=2026-01-01&from=2026-01-02", "from"],
	])("refuses %s under %s", async (query, field) => {
		const { status, fields } = await errorOf(await send(service, "GET", `/v1/usage/daily?${query}`));
		expect([status, fields]).toEqual([422, [field]]);
	});
});
