import { describe, expect, test } from "bun:test";
import { keyHash, leaseAt } from "@svc/images/create/idempotency";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, countOf, setPlan } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";
import { readTicket, type TicketAnswer, ticket, useTicket, useTicketSlowly } from "../../support/tickets.ts";

const service = serviceFor();
const picture = await plain(9, 7);
const other = await plain(11, 5);
const HOUR = 3_600_000;
const ORIGIN = "https://app.example.com";

const imagesOf = (made: TicketAnswer) =>
	countOf(service.database, sql`SELECT count(*) FROM images WHERE id = ${made.image_id}`);

describe("an upload with a ticket", () => {
	test("201 with the whole image under the id of its ticket, and no usage headers", async () => {
		const made = await ticket(service);
		const answer = await useTicket(service, made, picture, { name: "IMG_1.png" });
		expect(answer.status).toBe(201);
		expect(answer.headers.get("x-storage-used")).toBeNull();
		const image = (await answer.json()) as Image;
		expect(image).toMatchObject({ id: made.image_id, object: "image", filename: "IMG_1.png", width: 9, height: 7 });
		const stored = await send(service, "GET", `/v1/images/${made.image_id}`);
		expect<unknown>(await stored.json()).toEqual(image);
		expect(await readTicket(service, made.id)).toMatchObject({
			state: "used",
			used_at: image.created_at,
			attempts: 1,
			failure: null,
		});
	});

	test("201 with the same image for the same bytes again, under whatever name, also past the ticket's time", async () => {
		const made = await ticket(service, { expires_in: 60 });
		const first = await (await useTicket(service, made, picture, { name: "a.png" })).json();
		service.clock.advance(2 * HOUR);
		const again = await useTicket(service, made, picture, { name: "tmp-2.png" });
		expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
		expect(await again.json()).toEqual(first);
		service.clock.advance(22 * HOUR);
		expect(await errorOf(await useTicket(service, made, picture))).toMatchObject({
			status: 409,
			code: "state_conflict",
		});
		expect(await imagesOf(made)).toBe(1);
		service.clock.advance(-24 * HOUR);
	});

	test("409 idempotency_key_conflict for other bytes once it was used", async () => {
		const made = await ticket(service);
		await useTicket(service, made, picture);
		const answer = await errorOf(await useTicket(service, made, other));
		expect(answer).toMatchObject({ status: 409, code: "idempotency_key_conflict" });
		expect(answer.message).toContain("ticket");
		expect((await readTicket(service, made.id)).attempts).toBe(1);
	});

	test("409 idempotency_recovery_conflict once its image was deleted", async () => {
		const made = await ticket(service);
		await useTicket(service, made, picture);
		await send(service, "DELETE", `/v1/images/${made.image_id}`);
		const answer = await useTicket(service, made, picture);
		expect(await errorOf(answer)).toMatchObject({ status: 409, code: "idempotency_recovery_conflict" });
	});

	test("one image of two files at once, whichever comes first; the other is told, and the same file again is answered with it", async () => {
		const made = await ticket(service);
		const files = [picture, other];
		const answers = await Promise.all(files.map((file) => useTicket(service, made, file)));
		const statuses = answers.map(({ status }) => status);
		expect(statuses.toSorted()).toEqual([201, 409]);
		const code = await Promise.all(
			answers.filter(({ status }) => status === 409).map(async (one) => (await errorOf(one)).code),
		);
		expect(["idempotency_key_in_progress", "idempotency_key_conflict"]).toContain(code[0] ?? "");
		expect(await imagesOf(made)).toBe(1);
		const winner = files[statuses.indexOf(201)];
		expect((await useTicket(service, made, winner)).headers.get("idempotent-replayed")).toBe("true");
	});

	test("one image of the same file ten times at once", async () => {
		const made = await ticket(service);
		const before = await countOf(service.database, sql`SELECT sum(uploads) FROM monthly_usage`);
		const answers = await Promise.all(Array.from({ length: 10 }, () => useTicket(service, made, picture)));
		for (const answer of answers) expect([201, 409]).toContain(answer.status);
		expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
		expect(await countOf(service.database, sql`SELECT sum(uploads) FROM monthly_usage`)).toBe(before + 1);
	});

	test("201 for another file, after an upload that died with its process", async () => {
		const made = await ticket(service);
		const { rooms, database } = service;
		const key = await keyHash(`\0${made.id}`);
		const [row] = await database.rows("SELECT storage_pk FROM upload_tickets WHERE id = ?", [made.id]);
		const [storagePk, now] = [Number(row?.[0]), service.clock.now()];
		const slot = { imageId: made.image_id, nonce: "dead", blobKey: `${made.image_id}/dead` };
		const claim = { storagePk, keyHash: key, fingerprint: new Uint8Array(32), ...slot };
		await rooms.images.idempotency.claim(claim, leaseAt(now), now);
		expect(await errorOf(await useTicket(service, made, picture))).toMatchObject({
			status: 409,
			code: "idempotency_key_in_progress",
		});
		// The process is gone, and its lease with it.
		await rooms.images.idempotency.surrender(claim, now);
		const answer = await useTicket(service, made, picture);
		expect([answer.status, ((await answer.json()) as Image).id]).toEqual([201, made.image_id]);
	});

	test("409 state_conflict past its time", async () => {
		const made = await ticket(service, { expires_in: 60 });
		service.clock.advance(60_000);
		const answer = await errorOf(await useTicket(service, made, picture));
		expect(answer).toMatchObject({ status: 409, code: "state_conflict" });
		expect(answer.message).toContain("expired");
		service.clock.advance(-60_000);
	});

	test("201 for one that began in time and ended after it", async () => {
		const made = await ticket(service, { expires_in: 60 });
		const answer = await useTicketSlowly(service, made, picture, async () => {
			service.clock.advance(120_000);
			await service.sweep();
		});
		service.clock.advance(-120_000);
		expect(answer.status).toBe(201);
	});

	test("404 for an address that no ticket has, and for what is none", async () => {
		const made = await ticket(service);
		for (const url of [
			made.url.slice(0, -1),
			`${made.url.slice(0, -1)}!`,
			made.url.replace(/.{43}$/, "A".repeat(43)),
		]) {
			expect(await errorOf(await useTicket(service, { url }, picture))).toMatchObject({
				status: 404,
				code: "not_found",
			});
		}
	});

	test("every refusal counts, whatever it is about: 400, 403 and 422, and the twentieth cancels it", async () => {
		const made = await ticket(service, { origins: [ORIGIN] });
		const sent = (type: string, body: string) =>
			service.open(made.url, { method: "POST", body, headers: { "Content-Type": type } });
		const refused: readonly (readonly [number, () => Promise<Response>])[] = [
			[400, () => sent("application/json", "{}")],
			[400, () => sent("multipart/form-data", "--x--")],
			[400, () => sent("multipart/form-data; boundary=x", "no part")],
			[422, () => sent("multipart/form-data; boundary=x", "--x\r\n\r\na\r\n".repeat(17))],
			[422, () => useTicket(service, { url: `${made.url}?width=1` }, picture)],
			[403, () => useTicket(service, made, picture, { headers: { Origin: "https://elsewhere.example" } })],
		];
		for (const [count, [status, attempt]] of refused.entries()) {
			const { attempts } = await readTicket(service, made.id);
			expect([attempts, (await attempt()).status]).toEqual([count, status]);
		}
		for (let attempt = refused.length; attempt < 20; attempt++) await refused[attempt % 6]?.[1]();
		expect(await readTicket(service, made.id)).toMatchObject({ state: "cancelled", attempts: 20 });
	});

	test("a preflight, another method and a conflict count nothing", async () => {
		const made = await ticket(service);
		await service.open(made.url, { method: "OPTIONS" });
		await service.open(made.url, { method: "PUT" });
		expect((await readTicket(service, made.id)).attempts).toBe(0);
		expect((await useTicket(service, made, picture)).status).toBe(201);
		expect((await useTicket(service, made, other)).status).toBe(409);
		expect((await readTicket(service, made.id)).attempts).toBe(1);
	});

	test("the secret of its address is in no log line, audit entry or row", async () => {
		const made = await ticket(service);
		const secret = made.url.split("/").at(-1) ?? "";
		await useTicket(service, made, picture);
		await service.open(made.url);
		await service.open(`${made.url}/more`);
		expect(JSON.stringify(service.log.lines)).not.toContain(secret);
		for (const table of ["audit", "upload_tickets", "idempotency", "images"]) {
			const rows = await service.database.rows(`SELECT * FROM ${table}`, []);
			expect(JSON.stringify(rows)).not.toContain(secret);
		}
	});
});

describe("a refused upload leaves the ticket open", () => {
	test("422 names what is not the file, and what the file is", async () => {
		const made = await ticket(service, { max_bytes: 2_000, formats: ["jpg"] });
		const cases = [
			[undefined, {}, "file"],
			[picture, { caption: "mine" }, "caption"],
			["no picture", {}, "file"],
			[picture, {}, "file"],
			[new Uint8Array(2_001), {}, "file"],
		] as const;
		let attempts = 0;
		for (const [file, fields, name] of cases) {
			const refused = await useTicket(service, made, file, { fields });
			expect(await errorOf(refused)).toMatchObject({ status: 422, code: "validation_error", fields: [name] });
			attempts += 1;
			const { state, failure, attempts: counted } = await readTicket(service, made.id);
			expect([state, failure?.code, Object.keys(failure?.details ?? {}), counted]).toEqual([
				"open",
				"validation_error",
				[name],
				attempts,
			]);
		}
	});

	test("and the right file is then taken: what was refused is forgotten", async () => {
		const made = await ticket(service);
		await useTicket(service, made, "no picture");
		expect((await useTicket(service, made, picture)).status).toBe(201);
		expect(await readTicket(service, made.id)).toMatchObject({ state: "used", failure: null, attempts: 2 });
	});

	test("until the twentieth, which cancels it and says so in the audit", async () => {
		const made = await ticket(service);
		for (let attempt = 0; attempt < 20; attempt++) {
			expect((await useTicket(service, made, "no picture")).status).toBe(422);
		}
		expect(await readTicket(service, made.id)).toMatchObject({ state: "cancelled", attempts: 20 });
		expect(await errorOf(await useTicket(service, made, picture))).toMatchObject({
			status: 409,
			code: "state_conflict",
		});
		const entries = sql`SELECT count(*) FROM audit WHERE target = ${made.id} AND event = 'upload_ticket.cancelled'`;
		expect(await countOf(service.database, entries)).toBe(1);
	});

	test("403 quota_exceeded without a word of the App's plan; the ticket tells its maker", async () => {
		const app = await addApp(service.database);
		await setPlan(service.database, app.id, "free", 1);
		const made = await ticket(service, {}, { key: app.key });
		await uploaded(service, picture, "a.png", {}, { key: app.key });
		const answer = await errorOf(await useTicket(service, made, picture));
		expect(answer).toMatchObject({ status: 403, code: "quota_exceeded", message: "This App takes no new uploads." });
		const { state, failure } = await readTicket(service, made.id, { key: app.key });
		expect([state, failure?.code]).toEqual(["open", "quota_exceeded"]);
		expect(JSON.stringify(failure)).toContain("limited this App to 1 image");
	});
});

test("409 names the external id that another image has by then, and is no attempt: the ticket stays open", async () => {
	const made = await ticket(service, { fields: { external_id: "order-1" } });
	await uploaded(service, picture, "a.png", { external_id: "order-1" });
	const refused = await useTicket(service, made, picture);
	expect(await errorOf(refused)).toMatchObject({ status: 409, code: "state_conflict", fields: ["external_id"] });
	expect(await readTicket(service, made.id)).toMatchObject({ state: "open", attempts: 0, failure: null });
});

describe("browsers", () => {
	const cors = (answer: Response) => answer.headers.get("access-control-allow-origin");
	const preflight = (url: string, origin: string) =>
		service.open(url, {
			method: "OPTIONS",
			headers: {
				Origin: origin,
				"Access-Control-Request-Method": "POST",
				"Access-Control-Request-Headers": "content-type",
			},
		});

	test("of any page where the ticket names none: every answer is for all", async () => {
		const made = await ticket(service);
		const first = await preflight(made.url, ORIGIN);
		expect([first.status, cors(first), await first.text()]).toEqual([204, "*", ""]);
		expect(first.headers.get("access-control-allow-methods")).toBe("POST");
		expect(first.headers.get("access-control-allow-headers")?.toLowerCase()).toBe("content-type");
		for (const file of ["no picture", picture]) {
			const answer = await useTicket(service, made, file, { headers: { Origin: ORIGIN } });
			expect(cors(answer)).toBe("*");
			expect(answer.headers.get("access-control-expose-headers")).toBe(
				"Retry-After, Idempotent-Replayed, X-Request-Id, Link",
			);
			expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
		}
		const unknown = made.url.replace(/.{43}$/, "A".repeat(43));
		expect(cors(await preflight(unknown, ORIGIN))).toBe("*");
		expect(cors(await useTicket(service, { url: unknown }, picture, { headers: { Origin: ORIGIN } }))).toBe("*");
	});

	test("of the pages that the ticket names, compared whole, and of no others, which read why and where they are", async () => {
		const made = await ticket(service, { origins: [ORIGIN, "http://localhost:5173"] });
		for (const origin of [ORIGIN, "http://localhost:5173"]) {
			const first = await preflight(made.url, origin);
			expect([first.status, cors(first), first.headers.get("vary")]).toEqual([204, origin, "Origin"]);
			const refused = await useTicket(service, made, "no picture", { headers: { Origin: origin } });
			expect([refused.status, cors(refused)]).toEqual([422, origin]);
		}
		for (const origin of [
			"https://evil.example",
			`${ORIGIN}.evil.example`,
			"http://app.example.com",
			"null",
			`${ORIGIN}:8443`,
		]) {
			const first = await preflight(made.url, origin);
			expect([first.status, cors(first), first.headers.get("vary")]).toEqual([204, origin, "Origin"]);
			const refused = await useTicket(service, made, picture, { headers: { Origin: origin } });
			expect([cors(refused), refused.headers.get("vary")]).toEqual([origin, "Origin"]);
			const { code, message } = await errorOf(refused);
			expect([code, message]).toEqual(["forbidden", expect.stringContaining(`not of ${origin}:`)]);
			expect((await readTicket(service, made.id)).failure).toMatchObject({ code, message });
		}
		const long = await useTicket(service, made, picture, { headers: { Origin: `https://${"a".repeat(300)}` } });
		expect((await errorOf(long)).message).toContain("not of this one:");
		expect((await readTicket(service, made.id)).attempts).toBe(2 + 6);
	});

	test("and whoever is none: a phone sends no Origin", async () => {
		const made = await ticket(service, { origins: [ORIGIN] });
		expect((await useTicket(service, made, picture)).status).toBe(201);
	});

	test("405 for other methods, which their pages may read", async () => {
		const made = await ticket(service, { origins: [ORIGIN] });
		for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
			const answer = await service.open(made.url, { method, headers: { Origin: ORIGIN } });
			expect([answer.status, answer.headers.get("allow"), cors(answer)]).toEqual([405, "OPTIONS, POST", ORIGIN]);
		}
	});
});

test("429 for one network that uploads too fast, whichever tickets it has", async () => {
	const slow = await openService({ SVC_CREATE_RATE: "1", SVC_TUNING: "create_burst=3" });
	try {
		const made = await ticket(slow, { origins: [ORIGIN] });
		const answers: Response[] = [];
		for (let attempt = 0; attempt < 4; attempt++) {
			answers.push(await useTicket(slow, made, "no picture", { headers: { Origin: ORIGIN } }));
		}
		expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 429]);
		const [limited] = answers.slice(-1);
		expect(limited?.headers.get("access-control-allow-origin")).toBe(ORIGIN);
		expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThan(0);
		expect((await readTicket(slow, made.id)).attempts).toBe(3);
	} finally {
		await slow.close();
	}
});

test("what happened is in the App's feed beside its image, from one commit, and without the address", async () => {
	const { key } = await addApp(service.database);
	const made = await ticket(service, { fields: { labels: { album: "x" } } }, { key });
	await useTicket(service, made, picture);
	await useTicket(service, made, picture);
	const answer = await send(service, "GET", "/v1/events", undefined, { key });
	const { data } = (await answer.json()) as {
		readonly data: readonly {
			readonly type: string;
			readonly created_at: string;
			readonly data: { readonly object: object };
		}[];
	};
	expect(data.map(({ type }) => type)).toEqual(["image.created", "upload_ticket.used"]);
	const used = await readTicket(service, made.id, { key });
	expect<unknown>(data[1]?.data).toEqual({ object: { ...used, url: null } });
	const times = data.map(({ created_at }) => created_at);
	expect(times[1]).toBe(times[0] ?? "");
	// The clock was moved back in a test before, and times of a feed never fall.
	expect(Date.parse(times[0] ?? "")).toBeGreaterThanOrEqual(Date.parse(used.used_at ?? ""));
});
