import { afterAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { censusOf } from "../../support/census.ts";
import { arrangedIn, halfOf, WAYS } from "../../support/lost-authority.ts";
import { startOrigin } from "../../support/origin.ts";
import { addHolder } from "../../support/own-storages.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, form, headersOf, send, uploaded } from "../../support/requests.ts";
import { type OpenService, serviceFor } from "../../support/service.ts";

/* Calls that were allowed when they began, and whose caller's authority ended before they could be committed. */

const file = await plain(40, 30);
let asked = Promise.withResolvers<() => void>();
const origin = await startOrigin((_, response) => {
	response.setHeader("Content-Length", file.length);
	response.write(file.subarray(0, 20));
	asked.resolve(() => response.end(file.subarray(20)));
});
afterAll(() => origin.stop());

describe.each(["current", "transition", "legacy"])("[%s]", (variant) => {
	const service = serviceFor({ SVC_VARIANT: variant, SVC_IMPORT_ALLOW: origin.host });

	describe.each(Object.entries(WAYS))("%s", (_, way) => {
		const { code, changes = code } = way;
		const arranged = () => arrangedIn(service, way);

		test.each([
			["", {}],
			[" under an Idempotency-Key", { "Idempotency-Key": "once" }],
		])("an upload that was under way%s stores nothing", async (_kind, headers) => {
			const { caller, end } = await arranged();
			const { before, answer, finish } = await uploadUnderWay(service, { ...headersOf(service, caller), ...headers });
			expect((await end()).ok).toBe(true);
			finish();
			expect((await errorOf(await answer)).code).toBe(code);
			expect(await leavings(service)).toEqual(before);
		});

		test("an import that was under way stores nothing", async () => {
			const { caller, end } = await arranged();
			const before = await leavings(service);
			asked = Promise.withResolvers();
			const answer = send(service, "POST", "/v1/images", { url: origin.url("/a.png") }, caller);
			const finish = await asked.promise;
			expect((await end()).ok).toBe(true);
			finish();
			expect((await errorOf(await answer)).code).toBe(code);
			expect(await leavings(service)).toEqual(before);
		});

		test.each([
			["PATCH", (id: string) => [`/v1/images/${id}`, { caption: "late" }] as const],
			["PATCH", (id: string) => ["/v1/images/batch", { ids: [id], caption: "late" }] as const],
			["DELETE", (id: string) => ["/v1/images/batch", { ids: [id] }] as const],
		])("a %s that was under way changes nothing", async (method, request) => {
			const { caller, end } = await arranged();
			const image = await uploaded(service, file, "a.png", {}, caller);
			const before = await rowOf(service, image.id);
			const [path, body] = request(image.id);
			const sent = await halfOf(new Response(JSON.stringify(body)));
			const headers = { ...headersOf(service, caller), "Content-Type": "application/json" };
			const answer = service.api(path, { method, body: sent.body, headers });
			await sent.isRead;
			expect((await end()).ok).toBe(true);
			sent.finish();
			const told = await (await answer).text();
			if (method === "PATCH" || changes === code) expect(told).toContain(`"code":"${changes}"`);
			expect(await rowOf(service, image.id)).toEqual(before);
		});
	});
});

describe("a person's own storage", () => {
	const service = serviceFor({ SVC_VARIANT: "legacy" });

	test("takes nothing from an upload whose key was revoked meanwhile", async () => {
		const holder = await addHolder(service);
		const { before, answer, finish } = await uploadUnderWay(service, headersOf(service, holder));
		const revoked = await send(service, "DELETE", `/v1/me/keys/${holder.keyId}`, undefined, as(holder));
		expect(revoked.status).toBe(200);
		finish();
		expect((await errorOf(await answer)).code).toBe("unauthorized");
		expect(await leavings(service)).toEqual(before);
	});
});

describe("the pool", () => {
	const service = serviceFor({ SVC_VARIANT: "legacy" });

	test("takes nothing from an upload without a key that was under way when it was closed", async () => {
		const { before, answer, finish } = await uploadUnderWay(service, {});
		await service.database.write([
			{
				run: sql`UPDATE apps SET blocked_ms = 1, block_reason = 'spam'
			WHERE pk = (SELECT app_pk FROM storages WHERE kind = 'anonymous')`,
			},
		]);
		finish();
		expect((await errorOf(await answer)).code).toBe("app_blocked");
		expect(await leavings(service)).toEqual(before);
	});
});

/** An upload of which only the first half was sent, by a caller who was let in. */
async function uploadUnderWay(service: OpenService, headers: Readonly<Record<string, string>>) {
	const before = await leavings(service);
	const whole = new Response(form(file, "a.png"));
	const type = whole.headers.get("Content-Type") ?? "";
	const { body, isRead, finish } = await halfOf(whole);
	const answer = service.api("/v1/images", { method: "POST", body, headers: { ...headers, "Content-Type": type } });
	await isRead;
	return { before, answer, finish };
}

/** What a create leaves behind: a refused one nothing. */
async function leavings(service: OpenService) {
	const { images, blobs, files, incoming, uploads, unfinishedKeys, usage } = await censusOf(service);
	const live = usage.filter((one) => JSON.stringify(one).match(/,[1-9]/));
	return { images, blobs, files, incoming, uploads, unfinishedKeys, live };
}

function rowOf({ database }: OpenService, id: string) {
	return database.read(() => database.queries.values(sql`SELECT caption, revision FROM images WHERE id = ${id}`));
}
