import { describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import type { Scope } from "@svc/people/people";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, type TestApp } from "../../support/apps.ts";
import { addMember, addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const file = await plain(40, 20, "jpeg");
const DAY_MS = 86_400_000;

interface FeedEvent {
	readonly id: string;
	readonly object: "event";
	readonly created_at: string;
	readonly type: string;
	readonly app_id: string;
	readonly user_id: string | null;
	readonly request_id: string | null;
	readonly data: {
		readonly object: Readonly<Record<string, unknown>>;
		readonly previous?: Readonly<Record<string, unknown>>;
		readonly reason?: string;
	};
}

interface Feed {
	readonly object: "list";
	readonly data: readonly FeedEvent[];
	readonly pagination: {
		readonly has_more: boolean;
		readonly next_cursor: string | null;
		readonly next_url: string | null;
	};
	readonly latest: string | null;
}

const ask = (app: Pick<TestApp, "key">, query = "", headers: Record<string, string> = {}) =>
	send(service, "GET", `/v1/events${query}`, undefined, { key: app.key, headers });

async function feed(app: Pick<TestApp, "key">, query = "", headers: Record<string, string> = {}): Promise<Feed> {
	const response = await ask(app, query, headers);
	if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as Feed;
}

const make = (app: TestApp, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
	uploaded(service, file, "a.jpg", fields, { key: app.key, headers });

async function madeIn(app: TestApp, count: number): Promise<readonly string[]> {
	const ids: string[] = [];
	for (let made = 0; made < count; made++) ids.push((await make(app)).id);
	return ids;
}

/** Straight into the database: this process does not know of it. */
async function writeElsewhere(app: TestApp): Promise<void> {
	await service.database.write([
		{
			run: sql`INSERT INTO events (id, app_pk, type, subject, data, created_ms)
				SELECT ${newId("evt")}, pk, 'key.created', 'key_1', NULL, ${service.clock.now()} FROM apps WHERE id = ${app.id}`,
		},
	]);
}

const subjects = ({ data }: Feed) => data.map((event) => event.data.object.id);

describe("what an event says", () => {
	test("the image as its GET answers it, and the former values of what changed", async () => {
		const app = await addApp(service.database);
		const image = await make(app, { caption: "old", ttl: "7d", metadata: '{"a":"1"}' });
		const response = await send(
			service,
			"PATCH",
			`/v1/images/${image.id}`,
			{ caption: "new", ttl: null },
			{ key: app.key },
		);
		const changed = (await response.json()) as Image;
		await send(service, "DELETE", `/v1/images/${image.id}`, undefined, { key: app.key });
		const { data } = await feed(app);
		expect(data.map(({ type }) => type)).toEqual(["image.created", "image.updated", "image.deleted"]);
		// The rest may be known by then, or not yet.
		const facts = expect.objectContaining({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
		expect(data[0]?.data).toEqual({ object: { ...image, facts } } as never);
		expect(data[1]).toMatchObject({ object: "event", app_id: app.id, user_id: null });
		expect(data[1]?.request_id).toBe(response.headers.get("x-request-id"));
		expect(data[1]?.data).toEqual({
			object: { ...changed, facts },
			previous: { caption: "old", expires_at: image.expires_at },
		} as never);
		expect(data[2]?.data).toEqual({ object: { id: image.id, object: "image", deleted: true } });
		for (const event of data) {
			const one = await send(service, "GET", `/v1/events/${event.id}`, undefined, { key: app.key });
			expect(await one.json()).toEqual(event as never);
		}
	});
});

describe("reading on", () => {
	test("page by page, oldest first, each event once; the end is terminal and says what is newest", async () => {
		const app = await addApp(service.database);
		expect(await feed(app)).toEqual({
			object: "list",
			data: [],
			pagination: { has_more: false, next_cursor: null, next_url: null },
			latest: null,
		});
		const ids = await madeIn(app, 5);
		const first = await feed(app, "?limit=2");
		const last = first.data.at(-1)?.id ?? "";
		expect(first.pagination).toMatchObject({ has_more: true, next_cursor: last });
		const seen = [...subjects(first)];
		let page = first;
		while (page.pagination.next_url !== null) {
			page = await feed(app, new URL(page.pagination.next_url).search);
			seen.push(...subjects(page));
		}
		expect(seen).toEqual([...ids]);
		expect(page.pagination).toEqual({ has_more: false, next_cursor: null, next_url: null });
		expect(page.latest).toBe(page.data.at(-1)?.id ?? "");
		expect(await feed(app, `?after=${page.latest}`)).toMatchObject({ data: [], latest: page.latest });
	});

	test("newest first as well, back to the oldest: of all, of types, of a user and of an image; such a page does not wait", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const ids = await madeIn(app, 3);
		const headers = { "X-Svc-User": user.id };
		const theirs = [await make(app, {}, headers), await make(app, {}, headers)].map(({ id }) => id);
		await send(service, "PATCH", `/v1/images/${ids[0]}`, { caption: "new" }, { key: app.key });
		const backwards = [ids[0], ...theirs.toReversed(), ...ids.toReversed()] as readonly string[];
		const seen: unknown[] = [];
		for (let page = await feed(app, "?order=desc&limit=4"); ; ) {
			seen.push(...subjects(page));
			expect(page.latest).toBe((await feed(app, "?limit=100")).data.at(-1)?.id ?? "none");
			if (page.pagination.next_url === null) break;
			page = await feed(app, new URL(page.pagination.next_url).search);
		}
		expect(seen).toEqual([...backwards]);
		expect(subjects(await feed(app, "?order=desc&types=image.created"))).toEqual(backwards.slice(1));
		expect(subjects(await feed(app, "?order=desc", headers))).toEqual(theirs.toReversed());
		const ofImage = await feed(app, `?order=desc&image=${ids[0]}`);
		expect(ofImage.data.map(({ type }) => type)).toEqual(["image.updated", "image.created"]);
		expect((await feed(app, "?order=asc")).data).toEqual((await feed(app)).data);
		expect(await errorOf(await ask(app, "?order=desc&wait=1"))).toMatchObject({ status: 422, fields: ["wait"] });
		expect(await errorOf(await ask(app, "?order=newest"))).toMatchObject({ status: 422, fields: ["order"] });
	});

	test("of the types that are wanted, by name or by their object", async () => {
		const app = await addApp(service.database);
		const [id = ""] = await madeIn(app, 2);
		await send(service, "DELETE", `/v1/images/${id}`, undefined, { key: app.key });
		const typesOf = async (types: string) => (await feed(app, `?types=${types}`)).data.map(({ type }) => type);
		expect(await typesOf("image.deleted")).toEqual(["image.deleted"]);
		expect(await typesOf("image.*")).toEqual(["image.created", "image.created", "image.deleted"]);
		expect(await typesOf("image.created,image.deleted,key.created")).toHaveLength(3);
		expect(await typesOf("user.*")).toEqual([]);
	});

	test("of one image only, oldest first, whatever else happened; another App's image has no events here", async () => {
		const [app, other] = [await addApp(service.database), await addApp(service.database)];
		const [id = "", second = ""] = await madeIn(app, 2);
		await send(service, "DELETE", `/v1/images/${id}`, undefined, { key: app.key });
		const typesOf = async (query: string, of = app) => (await feed(of, query)).data.map(({ type }) => type);
		expect(await typesOf(`?image=${id}`)).toEqual(["image.created", "image.deleted"]);
		expect(await typesOf(`?image=${id}&types=image.deleted`)).toEqual(["image.deleted"]);
		expect(await typesOf(`?image=${second}`)).toEqual(["image.created"]);
		expect(await typesOf(`?image=${id}`, other)).toEqual([]);
		const user = await connectUser(service.database, app);
		expect((await feed(app, `?image=${id}`, { "X-Svc-User": user.id })).data).toEqual([]);
		const waiting = feed(app, `?image=${second}&after=${(await feed(app)).latest}&wait=20`);
		await send(service, "PATCH", `/v1/images/${second}`, { caption: "new" }, { key: app.key });
		expect(subjects(await waiting)).toEqual([second]);
		expect(await errorOf(await ask(app, "?image=1"))).toMatchObject({ status: 422, fields: ["image"] });
	});

	test("of one user only, with X-Svc-User", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		await make(app);
		const theirs = await make(app, {}, { "X-Svc-User": user.id });
		const narrowed = await feed(app, "", { "X-Svc-User": user.id });
		expect(subjects(narrowed)).toEqual([theirs.id]);
		expect(narrowed.data[0]?.user_id).toBe(user.id);
		expect((await feed(app)).data).toHaveLength(2);
		const [first] = (await feed(app)).data;
		const foreign = await send(service, "GET", `/v1/events/${first?.id}`, undefined, {
			key: app.key,
			headers: { "X-Svc-User": user.id },
		});
		expect(foreign.status).toBe(404);
	});
});

describe("a refusal", () => {
	test("422 names the parameter: a foreign or unknown place, types that there are not, bounds, what is no parameter", async () => {
		const [app, other] = [await addApp(service.database), await addApp(service.database)];
		await make(other);
		const { latest } = await feed(other);
		for (const [query, field] of [
			[`?after=${latest}`, "after"],
			[`?after=${newId("evt")}`, "after"],
			["?after=5", "after"],
			["?types=image.eaten", "types"],
			["?types=", "types"],
			[`?types=${Array(51).fill("image.created").join()}`, "types"],
			["?limit=0", "limit"],
			["?wait=31", "wait"],
			["?wait=1.5", "wait"],
			["?cursor=x", "cursor"],
			["?limit=1&limit=2", "limit"],
		] as const) {
			const { status, fields } = await errorOf(await ask(app, query));
			expect({ query, status, fields }).toEqual({ query, status: 422, fields: [field] });
		}
		const foreign = await send(service, "GET", `/v1/events/${latest}`, undefined, { key: app.key });
		expect(await errorOf(foreign)).toMatchObject({ status: 404, code: "not_found" });
	});

	test("403 for keys that do not reach the whole App; a write key alone may not read", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const bucket = await addKey(service.database, app, { reach: "bucket" });
		const own = await addUserKey(service.database, app, user);
		const writer = await addKey(service.database, app, { permissions: ["write"] });
		for (const key of [bucket, own, writer]) expect((await ask({ key })).status).toBe(403);
	});

	test("a Viewer's session reads it, their token with the scope events:read alone", async () => {
		const app = await addApp(service.database);
		await make(app);
		const viewer = await addPerson(service.database);
		await addMember(service.database, app, viewer, "viewer");
		const token = (scopes: readonly Scope[]) => addSession(service.database, viewer.id, { scopes });
		const asked = async (secret: string) =>
			(await send(service, "GET", "/v1/events", undefined, as({ secret }, app.id))).status;
		expect(await asked(viewer.secret)).toBe(200);
		expect(await asked(await token(["events:read"]))).toBe(200);
		expect(await asked(await token(["images:read"]))).toBe(403);
		const stranger = await addPerson(service.database);
		expect(await asked(stranger.secret)).toBe(404);
	});
});

describe("waiting", () => {
	test("an empty page is held until something is written, and then holds it", async () => {
		const app = await addApp(service.database);
		await make(app);
		const { latest } = await feed(app);
		const waiting = feed(app, `?after=${latest}&wait=30&types=image.*`);
		const { id } = await make(app);
		expect(subjects(await waiting)).toEqual([id]);
	});

	test("it is answered because of what was written: one that waits for something else, and began before, goes on", async () => {
		const app = await addApp(service.database);
		const other = feed(app, "?wait=30&types=key.*").then((page) => ["the time is up", page] as const);
		for (let round = 0; round < 3; round++) {
			const { latest } = await feed(app);
			const place = latest === null ? "" : `&after=${latest}`;
			const waiting = feed(app, `?wait=30&types=image.*${place}`).then((page) => ["told", page] as const);
			const { id } = await make(app);
			const [why, page] = await Promise.race([waiting, other]);
			expect([why, subjects(page)]).toEqual(["told", [id]]);
		}
		await writeElsewhere(app);
		expect((await other)[1].data).toHaveLength(1);
	});

	test("what another process writes is noticed", async () => {
		const app = await addApp(service.database);
		const waiting = feed(app, "?wait=30");
		await writeElsewhere(app);
		expect((await waiting).data).toMatchObject([
			{ type: "key.created", data: { object: { id: "key_1", object: "key" } } },
		]);
	});

	test("ends empty when the time is up, and at once where something is there already", async () => {
		const app = await addApp(service.database);
		expect((await feed(app, "?wait=1")).data).toEqual([]);
		await make(app);
		expect((await feed(app, "?wait=30")).data).toHaveLength(1);
	});

	test("429 for a sixth that waits under one key; the others go on", async () => {
		const app = await addApp(service.database);
		const six = Array.from({ length: 6 }, () => ask(app, "?wait=30"));
		const refused = await Promise.race(six);
		await make(app);
		const others = (await Promise.all(six)).filter((one) => one !== refused);
		expect(await errorOf(refused)).toMatchObject({ status: 429, code: "rate_limited" });
		expect(refused.headers.get("retry-after")).toBe("2");
		for (const page of others) expect(((await page.json()) as Feed).data).toHaveLength(1);
	});
});

test.each(["transition", "legacy"])("in %s there is no feed", async (variant) => {
	const before = await openService({ SVC_VARIANT: variant });
	try {
		expect((await send(before, "GET", "/v1/events")).status).toBe(404);
	} finally {
		await before.close();
	}
});

// Last: it moves the clock past the end of all sessions.
test("an event is kept for 30 days, and is no place to go on from after that", async () => {
	const app = await addApp(service.database);
	await make(app);
	const { latest } = await feed(app);
	service.clock.set(service.clock.now() + 30 * DAY_MS + 1);
	expect(await feed(app)).toMatchObject({ data: [], latest: null });
	expect((await errorOf(await ask(app, `?after=${latest}`))).fields).toEqual(["after"]);
	expect((await service.sweep()).events).toBeGreaterThan(0);
});
