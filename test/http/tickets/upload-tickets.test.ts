import { describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, countOf, setAppState } from "../../support/apps.ts";
import { addMember, addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, headersOf, send } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";
import { readTicket, type TicketAnswer, ticket, useTicket } from "../../support/tickets.ts";

const service = serviceFor();
const picture = await plain(9, 7);
const MINUTE = 60_000;

interface TicketList {
	readonly data: readonly TicketAnswer[];
	readonly pagination: { readonly next_url: string | null };
}

async function list(query: string, caller = {}): Promise<TicketList> {
	const answer = await send(service, "GET", `/v1/upload_tickets${query}`, undefined, caller);
	expect(answer.status).toBe(200);
	return (await answer.json()) as TicketList;
}

describe("a new upload ticket", () => {
	test("201 has an address with a secret, the id of its image, and the defaults", async () => {
		const made = await ticket(service);
		expect<unknown>(made).toEqual({
			id: expect.stringMatching(/^upt_[0-9A-Za-z]{22}$/),
			object: "upload_ticket",
			created_at: expect.any(String),
			state: "open",
			url: expect.stringMatching(/\/v1\/uploads\/[\w-]{43}$/),
			image_id: expect.stringMatching(/^img_/),
			user_id: null,
			max_bytes: 20_000_000,
			formats: ["jpg", "png", "webp", "avif", "gif", "heic"],
			origins: null,
			fields: {},
			expires_at: expect.any(String),
			used_at: null,
			attempts: 0,
			failure: null,
		});
		const { created_at, expires_at } = made as unknown as { readonly created_at: string; readonly expires_at: string };
		expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(60 * MINUTE);
	});

	test("201 says what it was made with, and the image gets the fields, its life counted from the upload", async () => {
		const fields = {
			caption: "A",
			labels: { album: "x" },
			metadata: { by: "me" },
			ttl: "1h",
			published_at: 1_700_000_000,
		};
		const asked = { expires_in: "24h", max_bytes: 5_000, formats: ["png", "png"], fields };
		const made = await ticket(service, { ...asked, origins: ["https://app.example.com", "http://localhost:5173"] });
		expect<unknown>(made).toMatchObject({ max_bytes: 5_000, formats: ["png"], fields });
		service.clock.advance(20 * MINUTE);
		const image = (await (await useTicket(service, made, picture)).json()) as Image;
		expect(image).toMatchObject({
			id: made.image_id,
			caption: "A",
			labels: { album: "x" },
			metadata: { by: "me" },
			published_at: "2023-11-14T22:13:20.000Z",
		});
		expect(Date.parse(image.expires_at ?? "") - Date.parse(image.created_at)).toBe(60 * MINUTE);
	});

	test.each([
		["expires_in", { expires_in: 59 }],
		["expires_in", { expires_in: "25h" }],
		["max_bytes", { max_bytes: 0 }],
		["max_bytes", { max_bytes: 20_000_001 }],
		["formats", { formats: ["svg"] }],
		["formats", { formats: [] }],
		["origins", { origins: [] }],
		["origins", { origins: ["http://app.example.com"] }],
		["origins", { origins: ["https://app.example.com/"] }],
		["origins", { origins: ["https://app.example.com:443"] }],
		["origins", { origins: ["*"] }],
		["origins", { origins: ["https://*.example.com"] }],
		["origins", { origins: Array.from({ length: 11 }, (_, place) => `https://a${place}.example.com`) }],
		["fields", { fields: "x" }],
		["fields.ttl", { fields: { ttl: "1m" } }],
		["fields.url", { fields: { url: "https://example.com/a.png" } }],
		["fields.labels", { fields: { labels: { A: "x" } } }],
		["unknown", { unknown: 1 }],
	])("422 names %s of %j", async (field, body) => {
		const answer = await send(service, "POST", "/v1/upload_tickets", body);
		expect(await errorOf(answer)).toMatchObject({ status: 422, code: "validation_error", fields: [field] });
	});

	test.each(["constructor", "__proto__", "prototype", "toString", "hasOwnProperty"])(
		"422 names fields.%s, which is no field of an image, in place of dropping it",
		async (name) => {
			const answer = await service.api("/v1/upload_tickets", {
				method: "POST",
				body: `{"fields":{"${name}":"x","caption":"A"}}`,
				headers: headersOf(service),
			});
			expect(await errorOf(answer)).toMatchObject({ status: 422, fields: [`fields.${name}`] });
		},
	);

	test("is made for a selected user, and found there alone", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const theirs = { key: app.key, headers: { "X-Svc-User": user.id } };
		const made = await ticket(service, {}, theirs);
		expect(made.user_id).toBe(user.id);
		expect((await readTicket(service, made.id, theirs)).id).toBe(made.id);
		const elsewhere = await send(service, "GET", `/v1/upload_tickets/${made.id}`, undefined, { key: app.key });
		expect((await errorOf(elsewhere)).code).toBe("not_found");
		expect((await useTicket(service, made, picture)).status).toBe(201);
		const found = await send(service, "GET", `/v1/images/${made.image_id}`, undefined, theirs);
		expect(found.status).toBe(200);
	});

	test("403 for a user's own key, which may read what is in its storage and cancel nothing", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const own = { key: await addUserKey(service.database, app, user) };
		expect((await errorOf(await send(service, "POST", "/v1/upload_tickets", {}, own))).code).toBe("forbidden");
		const made = await ticket(service, {}, { key: app.key, headers: { "X-Svc-User": user.id } });
		expect((await readTicket(service, made.id, own)).id).toBe(made.id);
		const cancel = await send(service, "POST", `/v1/upload_tickets/${made.id}/cancel`, undefined, own);
		expect((await errorOf(cancel)).code).toBe("forbidden");
	});

	test("403 for a key that reads alone, and for a Viewer: neither is shown an address", async () => {
		const app = await addApp(service.database);
		const viewer = await addPerson(service.database);
		await addMember(service.database, app, viewer, "viewer");
		const made = await ticket(service, {}, { key: app.key });
		const readers = [{ key: await addKey(service.database, app, { permissions: ["read"] }) }, as(viewer, app.id)];
		for (const reader of readers) {
			expect((await send(service, "POST", "/v1/upload_tickets", {}, reader)).status).toBe(403);
			expect((await readTicket(service, made.id, reader)).url).toBeNull();
			const { data } = await list("", reader);
			expect<unknown>(data.map(({ id, url }) => [id, url])).toEqual([[made.id, null]]);
		}
		expect((await readTicket(service, made.id, { key: app.key })).url).toBe(made.url);
	});

	test("403 app_suspended from an App that is paused", async () => {
		const app = await addApp(service.database);
		await setAppState(service.database, app.id, "paused");
		const answer = await send(service, "POST", "/v1/upload_tickets", {}, { key: app.key });
		expect((await errorOf(answer)).code).toBe("app_suspended");
	});

	test("is made once under its Idempotency-Key, and shown with its address again", async () => {
		const app = await addApp(service.database);
		const caller = { key: app.key, headers: { "Idempotency-Key": "again" } };
		const first = await ticket(service, { expires_in: 60 }, caller);
		expect(await ticket(service, { expires_in: 60 }, caller)).toEqual(first);
		expect((await list("", { key: app.key })).data).toHaveLength(1);
	});

	test("422 upload_tickets while 10,000 of the App are open; those that have ended, or whose key was revoked, do not count", async () => {
		const app = await addApp(service.database);
		const caller = { key: app.key };
		const { id } = await ticket(service, {}, caller);
		const doomed = await addKey(service.database, app);
		const other = await ticket(service, {}, { key: doomed });
		await service.database.write([
			{
				run: sql`INSERT INTO upload_tickets (id, hash, app_pk, storage_pk, maker, maker_kind, state, image_id, max_bytes, formats,
						fields, created_ms, expires_ms, ended_ms)
					WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < 9998)
					SELECT 'upt_' || n, CAST(printf('%032d', n) AS BLOB), app_pk, storage_pk, maker, maker_kind, 'open', 'img_' || n, 1, '[]',
						'{}', created_ms, expires_ms, ended_ms FROM upload_tickets, count WHERE id = ${id}`,
			},
		]);
		const refused = await send(service, "POST", "/v1/upload_tickets", {}, caller);
		expect(await errorOf(refused)).toMatchObject({ status: 422, fields: ["upload_tickets"] });
		await service.database.write([
			{
				run: sql`UPDATE keys SET revoked_ms = 1
					WHERE id = (SELECT maker FROM upload_tickets WHERE id = ${other.id})`,
			},
		]);
		const made = await ticket(service, {}, caller);
		expect((await send(service, "POST", "/v1/upload_tickets", {}, caller)).status).toBe(422);
		await send(service, "POST", `/v1/upload_tickets/${made.id}/cancel`, undefined, caller);
		await ticket(service, {}, caller);
	});
});

describe("the list of upload tickets", () => {
	test("200 newest first, in pages, by state", async () => {
		const caller = { key: (await addApp(service.database)).key };
		const [open, used, cancelled] = [
			await ticket(service, {}, caller),
			await ticket(service, {}, caller),
			await ticket(service, {}, caller),
		];
		const expiring = await ticket(service, { expires_in: 60 }, caller);
		await useTicket(service, used, picture);
		await send(service, "POST", `/v1/upload_tickets/${cancelled.id}/cancel`, undefined, caller);
		service.clock.advance(2 * MINUTE);
		const ids = async (query: string) => (await list(query, caller)).data.map(({ id }) => id);
		expect(await ids("")).toEqual([expiring.id, cancelled.id, used.id, open.id]);
		expect(await ids("?state=open")).toEqual([open.id]);
		expect(await ids("?state=used")).toEqual([used.id]);
		expect(await ids("?state=cancelled")).toEqual([cancelled.id]);
		expect(await ids("?state=expired")).toEqual([expiring.id]);
		const { data, pagination } = await list("?limit=3", caller);
		expect(data).toHaveLength(3);
		const next = await service.open(pagination.next_url ?? "", { headers: { Authorization: `Bearer ${caller.key}` } });
		expect(((await next.json()) as TicketList).data.map(({ id }) => id)).toEqual([open.id]);
		service.clock.advance(-2 * MINUTE);
	});

	test("422 for another state and for an unknown parameter", async () => {
		for (const [name, query] of [
			["state", "?state=lost"],
			["stat", "?stat=open"],
		] as const) {
			const answer = await send(service, "GET", `/v1/upload_tickets${query}`);
			expect(await errorOf(answer)).toMatchObject({ status: 422, fields: [name] });
		}
	});

	test("404 for the ticket of another App", async () => {
		const made = await ticket(service);
		const other = { key: (await addApp(service.database)).key };
		const answer = await send(service, "GET", `/v1/upload_tickets/${made.id}`, undefined, other);
		expect((await errorOf(answer)).code).toBe("not_found");
		const cancel = await send(service, "POST", `/v1/upload_tickets/${made.id}/cancel`, undefined, other);
		expect((await errorOf(cancel)).code).toBe("not_found");
	});
});

describe("a ticket that is cancelled", () => {
	const cancel = (id: string) => send(service, "POST", `/v1/upload_tickets/${id}/cancel`);

	test("200, and again the same; its address takes nothing any more", async () => {
		const made = await ticket(service);
		const first = (await (await cancel(made.id)).json()) as TicketAnswer;
		expect(first.state).toBe("cancelled");
		expect<unknown>(await (await cancel(made.id)).json()).toEqual(first);
		expect(await errorOf(await useTicket(service, made, picture))).toMatchObject({
			status: 409,
			code: "state_conflict",
		});
	});

	test("409 state_conflict once it was used", async () => {
		const made = await ticket(service);
		await useTicket(service, made, picture);
		expect(await errorOf(await cancel(made.id))).toMatchObject({ status: 409, code: "state_conflict" });
		expect((await readTicket(service, made.id)).state).toBe("used");
	});

	test("200 and expired as before, where its time was over", async () => {
		const made = await ticket(service, { expires_in: 60 });
		service.clock.advance(MINUTE);
		expect(((await (await cancel(made.id)).json()) as TicketAnswer).state).toBe("expired");
		service.clock.advance(-MINUTE);
	});
});

test("is kept for 30 days after its end, and goes with the storage that it is for", async () => {
	const own = await openService();
	try {
		const [used, expired, open] = [
			await ticket(own),
			await ticket(own, { expires_in: 60 }),
			await ticket(own, { expires_in: "24h" }),
		];
		expect((await useTicket(own, used, picture)).status).toBe(201);
		own.clock.advance(3 * 60 * MINUTE);
		await own.sweep();
		expect((await readTicket(own, expired.id)).state).toBe("expired");
		expect((await readTicket(own, open.id)).state).toBe("open");
		own.clock.advance(29 * 1_440 * MINUTE);
		await own.sweep();
		expect((await readTicket(own, used.id)).state).toBe("used");
		own.clock.advance(1_440 * MINUTE);
		expect((await own.sweep()).tickets).toBe(2);
		expect((await send(own, "GET", `/v1/upload_tickets/${used.id}`)).status).toBe(404);
		expect(await countOf(own.database, sql`SELECT count(*) FROM upload_tickets`)).toBe(1);
		await own.database.write([
			{ run: sql`DELETE FROM keys` },
			{ run: sql`DELETE FROM image_labels` },
			{ run: sql`DELETE FROM images` },
			{ run: sql`DELETE FROM idempotency` },
			{ run: sql`DELETE FROM monthly_usage` },
			{ run: sql`DELETE FROM storages` },
		]);
		expect(await countOf(own.database, sql`SELECT count(*) FROM upload_tickets`)).toBe(0);
	} finally {
		await own.close();
	}
});

test("404 in the interfaces of before", async () => {
	for (const variant of ["transition", "legacy"]) {
		const older = await openService({ SVC_VARIANT: variant });
		try {
			for (const [method, path] of [
				["GET", "/v1/upload_tickets"],
				["POST", "/v1/upload_tickets"],
				["POST", `/v1/uploads/${"a".repeat(43)}`],
			] as const) {
				expect((await send(older, method, path, method === "POST" ? {} : undefined)).status).toBe(404);
			}
		} finally {
			await older.close();
		}
	}
});
