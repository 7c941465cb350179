import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Image, ModerationItem } from "@svc/sdk/shapes";
import sharp from "sharp";
import { Browser } from "../../support/browser.ts";
import { addConnectApp, connectLink, signInToAccount } from "../../support/connect.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { send, upload, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* A judge of the operator's own, which is shown each new picture. */

const KEY = Buffer.alloc(24, 7);
const SECRET = `whsec_${KEY.toString("base64")}`;

interface Question {
	readonly headers: IncomingMessage["headers"];
	readonly text: string;
	readonly body: {
		readonly image_id: string;
		readonly app_id: string;
		readonly sha256: string;
		readonly picture: string;
	};
}

/** Whom the judge answers, and what; a status alone, or no answer at all. */
type Answer = (question: Question) => unknown;

const asked: Question[] = [];
let answer: Answer = () => ({ verdict: "pass" });
let most = 0;
let now = 0;
const server = createServer(async (request, response) => {
	now += 1;
	most = Math.max(most, now);
	const pieces: Buffer[] = [];
	for await (const piece of request) pieces.push(piece as Buffer);
	const text = Buffer.concat(pieces).toString();
	const question = { headers: request.headers, text, body: JSON.parse(text) };
	asked.push(question);
	const said = await answer(question);
	now -= 1;
	if (typeof said === "number") response.writeHead(said, { location: "/elsewhere" }).end();
	else response.writeHead(200).end(typeof said === "string" ? said : JSON.stringify(said));
});

let service: OpenService;
let operator: TestPerson;
let url: string;
beforeAll(async () => {
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/judge`;
	service = await openService({
		SVC_SCAN_URL: url,
		SVC_SCAN_SECRET: SECRET,
		SVC_SCAN_ABSENT: "lock",
		SVC_VARIANT: "current",
	});
	operator = await addPerson(service.database, { operator: true });
});
afterAll(async () => {
	await service.close();
	server.close();
});
afterEach(async () => {
	answer = () => ({ verdict: "pass" });
	service.clock.advance(3_600_000);
	await service.sendScans();
	asked.length = 0;
	most = 0;
});

let made = 0;
/** A picture that is like no other. */
function picture(side = 40): Promise<Buffer<ArrayBuffer>> {
	made += 1;
	const background = { r: made % 256, g: (made * 7) % 256, b: Math.floor(made / 3) };
	return sharp({ create: { width: side, height: Math.round(side / 2), channels: 3, background } })
		.png()
		.toBuffer() as Promise<Buffer<ArrayBuffer>>;
}

async function come(bytes?: Buffer<ArrayBuffer>): Promise<Image> {
	return await uploaded(service, bytes ?? (await picture()), "a.png");
}

async function item({ id }: Pick<Image, "id">): Promise<ModerationItem> {
	return (await (
		await send(service, "GET", `/v1/moderation/images/${id}`, undefined, as(operator))
	).json()) as ModerationItem;
}

const verdictsOf = async (image: Image) =>
	(await item(image)).actions.map(({ action, reason, actor }) => [action, reason, actor]);
const isServed = async (image: Image) => (await service.open(image.url)).status === 200;

test("each new picture is shown once, after the answer: a JPEG of at most 640 pixels, signed by Standard Webhooks", async () => {
	const bytes = await picture(900);
	const image = await come(bytes);
	expect(asked).toEqual([]);
	await service.sendScans();
	const [{ headers, text, body }] = asked as [Question];
	const { image_id, app_id, sha256 } = body;
	expect([image_id, app_id]).toEqual([image.id, expect.stringMatching(/^app_/)]);
	expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
	const { format, width, height } = await sharp(Buffer.from(body.picture, "base64")).metadata();
	expect([format, width, height]).toEqual(["jpeg", 640, 320]);
	expect(headers["content-type"]).toBe("application/json");
	const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
	expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", KEY).update(signed).digest("base64")}`);
	expect(Number(headers["webhook-timestamp"])).toBe(Math.floor(service.clock.now() / 1_000));
	await service.sendScans();
	expect(asked).toHaveLength(1);
});

test("flag marks an image and puts it into the queue, lock locks it, block blocks it; without a reason for content_policy", async () => {
	const said: Record<string, unknown> = {};
	answer = ({ body }) => said[body.image_id];
	const [passed, flagged, locked, blocked, spam] = [
		await come(),
		await come(),
		await come(),
		await come(),
		await come(),
	];
	said[passed.id] = { verdict: "pass", reason: "spam" };
	said[flagged.id] = { verdict: "flag" };
	said[locked.id] = { verdict: "lock" };
	said[blocked.id] = { verdict: "block", reason: "no such reason" };
	said[spam.id] = { verdict: "block", reason: "spam" };
	await service.sendScans();
	expect(await verdictsOf(passed)).toEqual([]);
	expect(await verdictsOf(flagged)).toContainEqual(["nsfw", null, "service"]);
	expect(await verdictsOf(locked)).toEqual([["lock", "content_policy", "service"]]);
	expect(await verdictsOf(blocked)).toEqual([["block", "content_policy", "service"]]);
	expect(await verdictsOf(spam)).toEqual([["block", "spam", "service"]]);
	expect([await isServed(passed), await isServed(locked), await isServed(blocked)]).toEqual([true, true, false]);
	expect((await item(flagged)).image.nsfw).toBe(true);
	for (const held of [flagged, locked]) expect((await item(held)).reports_count).toBe(1);
});

test("one verdict a digest: a copy has that of its original, and the same bytes at once are asked about once", async () => {
	answer = () => ({ verdict: "lock" });
	const bytes = await picture();
	const images = [await come(bytes), await come(bytes), await come(bytes)];
	await service.sendScans();
	images.push(await come(bytes));
	await service.sendScans();
	expect(asked).toHaveLength(1);
	for (const image of images) expect(await verdictsOf(image)).toEqual([["lock", "content_policy", "service"]]);
});

test("what replaces a picture is judged, and a change of its words is not", async () => {
	const image = await come();
	await service.sendScans();
	await send(service, "PATCH", `/v1/images/${image.id}`, { caption: "new" });
	await service.sendScans();
	expect(asked).toHaveLength(1);
	answer = () => ({ verdict: "block" });
	const body = new FormData();
	body.append("file", new Blob([await picture()]), "b.png");
	const replaced = await service.api(`/v1/images/${image.id}/replace`, { method: "POST", body });
	expect(replaced.status).toBe(200);
	await service.sendScans();
	expect(asked).toHaveLength(2);
	expect(await isServed(image)).toBe(false);
});

test("at most four are asked about at once", async () => {
	const four = Promise.withResolvers<void>();
	const go = Promise.withResolvers<void>();
	answer = async () => {
		if (now === 4) four.resolve();
		await go.promise;
		return { verdict: "pass" };
	};
	for (let count = 0; count < 9; count++) await come();
	const sent = service.sendScans();
	await four.promise;
	await service.lookForScans();
	go.resolve();
	await sent;
	expect([asked.length, most]).toEqual([9, 4]);
});

test("who is about to connect, and who looks what Apps keep of them, reads that pictures are judged", async () => {
	const browser = new Browser(service);
	const consent = await browser.open(connectLink(await addConnectApp(service.database)));
	expect(consent.html).toContain("<strong>Pictures are judged.</strong> Svc shows each new picture to another service");
	await signInToAccount(service, browser, "judged@example.com");
	expect((await browser.open("/account/apps")).html).toContain("Svc shows each new picture to another service");
});

describe("while the judge is away", () => {
	test.each([
		["another status", () => 500],
		["a redirect, which is not followed", () => 307],
		["no verdict", () => ({ verdict: "perhaps" })],
		["what is no JSON", () => "pass"],
		["more than 16 KiB", () => `{"verdict":"pass","more":"${"x".repeat(20_000)}"}`],
	])("%s is no answer: three tries, then the lock that is set; when it answers, the lock ends", async (_, away) => {
		const image = await come();
		answer = away as Answer;
		for (let tried = 1; tried <= 3; tried++) {
			await service.sendScans();
			expect(asked).toHaveLength(tried);
			expect((await item(image)).locked).toBe(tried === 3);
			service.clock.advance(4_000);
		}
		await service.sendScans();
		expect(asked).toHaveLength(3);
		const { checks } = (await (await service.api("/readyz")).json()) as { checks: Record<string, string> };
		expect(checks.scan).toBe("failing");
		answer = () => ({ verdict: "pass" });
		service.clock.advance(60_000);
		await service.sendScans();
		expect((await item(image)).locked).toBe(false);
		expect((await verdictsOf(image)).map(([action]) => action)).toEqual(["unlock", "lock"]);
	});

	test("pictures that come then are locked at once, and one that an operator has decided about stays as it is", async () => {
		answer = () => 503;
		const first = await come();
		for (let tried = 1; tried <= 3; tried++) {
			await service.sendScans();
			service.clock.advance(4_000);
		}
		const [second, decided] = [await come(), await come()];
		await service.sendScans();
		for (const image of [first, second, decided]) expect((await item(image)).locked).toBe(true);
		const moderate = (verb: string) =>
			send(service, "POST", `/v1/moderation/images/${decided.id}/${verb}`, {}, as(operator));
		expect((await moderate("unlock")).status).toBe(200);
		expect((await moderate("lock")).status).toBe(200);
		answer = ({ body }) => ({ verdict: body.image_id === second.id ? "block" : "pass" });
		service.clock.advance(3_600_000);
		await service.sendScans();
		expect((await item(first)).locked).toBe(false);
		expect((await item(decided)).locked).toBe(true);
		expect(await isServed(second)).toBe(false);
	});

	test("an image that is deleted meanwhile is forgotten", async () => {
		const image = await come();
		await send(service, "DELETE", `/v1/images/${image.id}`);
		await service.sendScans();
		expect(asked).toEqual([]);
	});
});

describe("a service without a judge", () => {
	test("writes nothing for it, says nothing of it, and forgets what waited", async () => {
		await using plain = {
			service: await openService({ SVC_VARIANT: "current" }),
			[Symbol.asyncDispose]: () => plain.service.close(),
		};
		const answered = await upload(plain.service, await picture(), "a.png");
		expect(answered.status).toBe(201);
		const rows = await plain.service.database.read(() =>
			plain.service.database.queries.values("SELECT count(*) FROM scans" as never),
		);
		expect(rows).toEqual([[0]]);
		const { checks } = (await (await plain.service.api("/readyz")).json()) as { checks: object };
		expect(checks).not.toHaveProperty("scan");
		const consent = await new Browser(plain.service).open(connectLink(await addConnectApp(plain.service.database)));
		expect([consent.status, consent.html.includes("judged")]).toEqual([200, false]);
	});
});
