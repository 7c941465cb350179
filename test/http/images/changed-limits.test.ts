import { describe, expect, test } from "bun:test";
import { restoreImage } from "@svc/images/change/restore-image";
import { copyImage } from "@svc/images/create/copy-image";
import { deleteImage } from "@svc/images/images";
import type { CallAccess } from "@svc/images/ports";
import { identify } from "@svc/keys/keys";
import { sql } from "drizzle-orm";
import { addApp, countOf, type TestApp } from "../../support/apps.ts";
import { halfOf } from "../../support/lost-authority.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, form, headersOf, uploaded } from "../../support/requests.ts";
import { type OpenService, serviceFor } from "../../support/service.ts";

/* The limit that counts is the one that holds at the commit: creates in flight pass no limit that was lowered meanwhile. */

const service = serviceFor({ SVC_VARIANT: "current" });
const legacy = serviceFor({ SVC_VARIANT: "legacy" });
const file = await plain(8, 8);

/** A month, in the lowest tier. */
const FREE_UPLOADS = 1_000;
const limitTo = (app: TestApp, images: number | null) =>
	service.database.write([{ run: sql`UPDATE apps SET images_limit = ${images} WHERE id = ${app.id}` }]);
const imagesOf = ({ database }: OpenService, app: TestApp) =>
	countOf(database, sql`SELECT count(*) FROM images JOIN apps ON apps.pk = app_pk WHERE apps.id = ${app.id}`);

/** Uploads of which the first half was sent by a caller who was let in. */
async function underWay(at: OpenService, app: TestApp, count: number) {
	const begun = Array.from({ length: count }, async (_, place) => {
		const whole = new Response(form(file, "a.png"));
		const type = { "Content-Type": whole.headers.get("Content-Type") ?? "" };
		const key = place % 2 === 0 ? {} : { "Idempotency-Key": `under way ${place}` };
		const { body, isRead, finish } = await halfOf(whole);
		const headers = { ...headersOf(at, { key: app.key }), ...type, ...key };
		const answer = at.api("/v1/images", { method: "POST", body, headers });
		await isRead;
		return { answer, finish };
	});
	const all = await Promise.all(begun);
	return async () => {
		for (const { finish } of all) finish();
		return await Promise.all(all.map(({ answer }) => answer));
	};
}

describe("a limit that is changed while files come", () => {
	test("is passed by none of twenty, whatever was read with their callers, and the refusal names it", async () => {
		const app = await addApp(service.database);
		const finish = await underWay(service, app, 20);
		await limitTo(app, 3);
		const answers = await finish();
		const statuses = answers.map(({ status }) => status).sort();
		expect(statuses).toEqual([...Array(3).fill(201), ...Array(17).fill(403)]);
		const refused = answers.find(({ status }) => status === 403);
		expect(await errorOf(refused as Response)).toMatchObject({
			code: "quota_exceeded",
			message: expect.stringContaining(" 3 "),
		});
		expect(await imagesOf(service, app)).toBe(3);
	});

	test("counts as well where it was raised: nothing is refused for the one before", async () => {
		const app = await addApp(service.database);
		await limitTo(app, 1);
		const finish = await underWay(service, app, 4);
		await limitTo(app, null);
		expect((await finish()).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
	});

	test("counts for the tiers of storages", async () => {
		const app = await addApp(legacy.database);
		await uploaded(legacy, file, "a.png", {}, { key: app.key });
		const change = (set: ReturnType<typeof sql>) => legacy.database.write([{ run: set }]);
		const ofApp = sql`(SELECT pk FROM apps WHERE id = ${app.id})`;
		await change(sql`UPDATE monthly_usage SET uploads = ${FREE_UPLOADS}
			WHERE storage_pk IN (SELECT pk FROM storages WHERE app_pk = ${ofApp})`);
		await change(sql`UPDATE apps SET tier = 'pro' WHERE id = ${app.id}`);
		const finish = await underWay(legacy, app, 2);
		await change(sql`UPDATE apps SET tier = 'free' WHERE id = ${app.id}`);
		for (const answer of await finish()) expect((await errorOf(answer)).code).toBe("quota_exceeded");
		expect(await imagesOf(legacy, app)).toBe(1);
	});

	test("counts for a restore and a copy", async () => {
		const app = await addApp(service.database);
		const { images, keys } = service.rooms;
		const [gone, kept] = [
			await uploaded(service, file, "a.png", {}, { key: app.key }),
			await uploaded(service, file, "a.png", {}, { key: app.key }),
		];
		const find = () => identify(keys, { authorization: `Bearer ${app.key}`, app: null, user: null });
		const access: CallAccess = { ...(await find()), requestId: "req_1", again: find };
		await deleteImage(images, access, gone.id, true);
		await limitTo(app, 1);
		const code = (cause: unknown) => (cause as { code?: string }).code;
		expect(await restoreImage(images, access, gone.id).catch(code)).toBe("quota_exceeded");
		expect(await copyImage(images, access, access, kept.id).catch(code)).toBe("quota_exceeded");
		await limitTo(app, null);
		expect((await restoreImage(images, access, gone.id)).id).toBe(gone.id as never);
		expect(await imagesOf(service, app)).toBe(2);
	});
});
