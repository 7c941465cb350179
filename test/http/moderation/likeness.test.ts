import { describe, expect, test } from "bun:test";
import { rename } from "node:fs/promises";
import type { Event, Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { addApp } from "../../support/apps.ts";
import { masterFile } from "../../support/damage.ts";
import { acted, itemOf, queueOf } from "../../support/moderation.ts";
import { addPerson, as } from "../../support/people.ts";
import { detailed, plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { madeBefore, type OpenService, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const [here, there] = [madeBefore(() => addApp(service.database)), madeBefore(() => addApp(service.database))];
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

const jpeg = (seed: number, quality = 90) => detailed(seed).jpeg({ quality }).toBuffer();
const create = (file: Uint8Array, app: { readonly key: string } = there, name = "a.jpg") =>
	uploaded(service, new Uint8Array(file), name, {}, { key: app.key });
const statusOf = async ({ id }: Pick<Image, "id">, of: OpenService = service) => {
	const [found] = await of.database.read(() =>
		of.database.queries.values<[string, string | null, number | null]>(
			sql`SELECT status, block_reason, locked_ms FROM images WHERE id = ${id}`,
		),
	);
	return found && [found[0], found[1], found[2] !== null];
};
/** An image of an App that an operator has blocked. */
async function blocked(file: Uint8Array, name?: string): Promise<Image> {
	const image = await create(file, here, name);
	await acted(service, operator, image.id, "block", { reason: "dmca", note: "case 17" });
	return image;
}
/** Compares what has come by now. */
const compared = () => service.judgePictures();

describe("a picture that was blocked", () => {
	test("is blocked when its bytes come back in another App: for the same reason, with the case, and the App is told by the service [C]", async () => {
		const original = await blocked(await jpeg(1));
		const image = await create(await jpeg(1));
		await compared();
		expect(await statusOf(image)).toEqual(["blocked", "dmca", false]);
		const item = await itemOf(service, operator, image.id);
		expect(item.similar).toEqual({
			image_id: original.id,
			app_id: here.id,
			reason: "dmca",
			kind: "same_bytes",
			score: 1,
			gone: false,
		});
		expect(item.actions).toMatchObject([
			{ action: "block", reason: "dmca", actor: "service", actor_email: null, similar_to: original.id },
		]);
		expect(item.actions[0]?.note).toContain("case 17");
		const events = await send(service, "GET", "/v1/events?types=image.blocked", undefined, { key: there.key });
		const { data } = (await events.json()) as { data: Event[] };
		expect(data.at(-1)).toMatchObject({ data: { object: { id: image.id }, reason: "dmca" } });
		const audited = await service.database.read(() =>
			service.database.queries.values(
				sql`SELECT actor, event FROM audit WHERE target = ${image.id} ORDER BY rowid DESC LIMIT 1`,
			),
		);
		expect(audited).toEqual([["service", "moderation.blocked"]]);
	});

	test("is blocked when its pixels come back in another file", async () => {
		const pixels = await detailed(2).png().toBuffer();
		const original = await blocked(pixels, "a.png");
		const image = await create(await sharp(pixels).webp({ lossless: true }).toBuffer(), there, "a.webp");
		await compared();
		expect(await statusOf(image)).toEqual(["blocked", "dmca", false]);
		expect((await itemOf(service, operator, image.id)).similar).toMatchObject({
			image_id: original.id,
			kind: "same_pixels",
			score: 1,
		});
	});

	test.each<[string, (picture: Buffer) => Promise<Buffer>]>([
		["recompressed", (picture) => sharp(picture).jpeg({ quality: 60 }).toBuffer()],
		["halved", (picture) => sharp(picture).resize(240).jpeg().toBuffer()],
		["cropped", (picture) => sharp(picture).extract({ left: 14, top: 10, width: 466, height: 350 }).jpeg().toBuffer()],
		["with a logo", (picture) => sharp(picture).composite([LOGO]).jpeg().toBuffer()],
	])("that comes back %s is locked, and stands in the queue with the other", async (_, changed) => {
		const file = await jpeg(3);
		const original = await blocked(file);
		const image = await create(await changed(file));
		await compared();
		expect(await statusOf(image)).toEqual(["ready", null, true]);
		const item = await itemOf(service, operator, image.id);
		expect(item.similar).toMatchObject({ image_id: original.id, kind: "alike", gone: false });
		expect(item.similar?.score).toBeGreaterThan(0.65);
		expect(item.reports).toMatchObject([{ source: "service", reason: "dmca", email: null }]);
		expect(await queueOf(service, operator, "")).toContain(image.id);
		await acted(service, operator, image.id, "unlock");
		expect(await queueOf(service, operator, "")).not.toContain(image.id);
		await acted(service, operator, original.id, "unblock");
	});

	test("counts after its App has deleted it, and no more once one that came back is unblocked", async () => {
		const file = await jpeg(4);
		const original = await blocked(file);
		expect((await send(service, "DELETE", `/v1/images/${original.id}`, undefined, { key: here.key })).status).toBe(200);
		const image = await create(file);
		await compared();
		expect(await statusOf(image)).toEqual(["blocked", "dmca", false]);
		expect((await itemOf(service, operator, image.id)).similar).toMatchObject({ gone: true, app_id: null });
		await acted(service, operator, image.id, "unblock");
		const again = await create(file);
		await compared();
		expect(await statusOf(again)).toEqual(["ready", null, false]);
	});

	test("is forgotten two years after its block where it is gone, and not before", async () => {
		const kept = async ({ id }: Image) =>
			service.database.rows("SELECT 1 FROM blocked_pictures WHERE image_id = ?", [id]).then((rows) => rows.length);
		const [gone, there] = [await blocked(await jpeg(9)), await blocked(await jpeg(10))];
		await send(service, "DELETE", `/v1/images/${gone.id}`, undefined, { key: here.key });
		await service.sweep();
		expect([await kept(gone), await kept(there)]).toEqual([1, 1]);
		await service.database.write([{ run: sql`UPDATE blocked_pictures SET blocked_ms = blocked_ms - 63200000000` }]);
		await service.sweep();
		expect([await kept(gone), await kept(there)]).toEqual([0, 1]);
	});

	test("waits for one that cannot be looked at now, and is tried again a minute later", async () => {
		const file = await jpeg(11);
		await blocked(file);
		const image = await create(await jpeg(11, 60));
		await service.database.write([
			{ run: sql`DELETE FROM image_facts WHERE blob_key = (SELECT blob_key FROM images WHERE id = ${image.id})` },
		]);
		const path = await masterFile(service, image.id);
		await rename(path, `${path}.away`);
		await compared();
		const waiting = () =>
			service.database.rows("SELECT tries FROM picture_queue JOIN images ON pk = image_pk WHERE id = ?", [image.id]);
		expect(await waiting()).toEqual([[1]]);
		await rename(`${path}.away`, path);
		service.clock.advance(61_000);
		await compared();
		expect(await waiting()).toEqual([]);
		expect(await statusOf(image)).toEqual(["ready", null, true]);
	});

	test("ends to count with its unblock, which frees what the service alone held because of it", async () => {
		const file = await jpeg(5);
		const original = await blocked(file);
		const [same, alike, decided] = [
			await create(file),
			await create(await jpeg(5, 60)),
			await create(await jpeg(5, 50)),
		];
		await compared();
		expect(await Promise.all([same, alike, decided].map((one) => statusOf(one)))).toEqual([
			["blocked", "dmca", false],
			["ready", null, true],
			["ready", null, true],
		]);
		await acted(service, operator, decided.id, "block", { reason: "spam" });
		await acted(service, operator, original.id, "unblock");
		await compared();
		const fresh = await create(file, here);
		await compared();
		// What somebody has decided stays as it is, and counts for itself.
		expect(await Promise.all([same, alike, decided].map((one) => statusOf(one)))).toEqual([
			["ready", null, false],
			["ready", null, false],
			["blocked", "spam", true],
		]);
		expect(await statusOf(fresh)).toEqual(["ready", null, true]);
		expect((await itemOf(service, operator, fresh.id)).similar).toMatchObject({ image_id: decided.id });
	});

	test("without detail blocks nothing: neither a plain colour, nor a small picture, nor one that only grows lighter", async () => {
		const rising = sharp(
			Uint8Array.from({ length: 64 * 64 }, (_, at) => (at % 64) * 3),
			{
				raw: { width: 64, height: 64, channels: 1 },
			},
		);
		for (const file of [
			await plain(200, 200),
			await detailed(6, 32, 32).png().toBuffer(),
			await rising.png().toBuffer(),
		]) {
			await blocked(file, "a.png");
			const image = await create(file, there, "a.png");
			await compared();
			expect(await statusOf(image)).toEqual(["ready", null, false]);
		}
	});

	test("blocks what takes its place in an image, and not what is another picture [C]", async () => {
		const file = await jpeg(7);
		await blocked(file);
		const image = await create(await jpeg(8));
		await compared();
		expect(await statusOf(image)).toEqual(["ready", null, false]);
		const body = new FormData();
		body.append("file", new Blob([new Uint8Array(file)]), "a.jpg");
		const headers = { Authorization: `Bearer ${there.key}` };
		expect((await service.api(`/v1/images/${image.id}/replace`, { method: "POST", body, headers })).status).toBe(200);
		await compared();
		expect(await statusOf(image)).toEqual(["blocked", "dmca", false]);
	});
});

const LOGO = { input: await plain(84, 42, "png", "#ffffff"), left: 386, top: 308 };

describe("similar_to", () => {
	const idsOf = async (path: string, key: string) => {
		const answer = await send(service, "GET", path, undefined, { key });
		const body = (await answer.json()) as { data?: Image[]; error?: { details: unknown } };
		return answer.status === 200 ? body.data?.map(({ id }) => id) : body.error?.details;
	};

	test("finds the other pictures of the storage that look like one [C]", async () => {
		const [one, alike, other] = [
			await create(await jpeg(20)),
			await create(await jpeg(20, 60)),
			await create(await jpeg(21)),
		];
		await compared();
		expect(await idsOf(`/v1/images?similar_to=${one.id}`, there.key)).toEqual([alike.id]);
		expect(await idsOf(`/v1/images?similar_to=${alike.id}&include=total`, there.key)).toEqual([one.id]);
		expect(await idsOf(`/v1/images?similar_to=${other.id}`, there.key)).toEqual([]);
	});

	test("finds those of the same bytes of a picture that has no detail [C]", async () => {
		const file = await plain(90, 90);
		const [one, same] = [await create(file, there, "a.png"), await create(file, there, "b.png")];
		await compared();
		expect(await idsOf(`/v1/images?similar_to=${one.id}`, there.key)).toEqual([same.id]);
	});

	test("422 for an image of another App as for one that never was [C]", async () => {
		const [own, foreign] = [await create(await jpeg(22)), await create(await jpeg(22), here)];
		await compared();
		const refused = { similar_to: ["must be the id of an image of this storage"] };
		for (const id of [foreign.id, own.id.replace(/.$/, (last) => (last === "0" ? "1" : "0")), "cat"])
			expect(await idsOf(`/v1/images?similar_to=${id}`, there.key)).toEqual(refused);
	});

	test("shows operators the same picture in all Apps", async () => {
		const [one, same] = [await create(await jpeg(23)), await create(await jpeg(23), here)];
		await compared();
		expect(await queueOf(service, operator, `similar_to=${one.id}`)).toEqual([same.id]);
		const both = await send(
			service,
			"GET",
			`/v1/moderation/images?similar_to=${one.id}&state=all`,
			undefined,
			as(operator),
		);
		expect(both.status).toBe(422);
	});
});
