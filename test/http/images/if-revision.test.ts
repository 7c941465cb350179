import { describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { plain } from "../../support/pictures.ts";
import { errorOf, form, headersOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
const file = await plain(8, 8);

const create = async () => (await uploaded(service, file, "a.png")).id;
const patch = (id: string, body: unknown) => send(service, "PATCH", `/v1/images/${id}?include=revision`, body);
const get = async (id: string) =>
	(await (await service.api(`/v1/images/${id}?include=revision`)).json()) as Image & { readonly revision: number };

async function refused(id: string, body: unknown) {
	const before = await get(id);
	const answer = await patch(id, body);
	const { error } = (await answer.clone().json()) as { error: { message: string } };
	const { status, code, fields } = await errorOf(answer);
	expect([status, code]).toEqual([409, "state_conflict"]);
	expect(await get(id)).toEqual(before);
	expect(error.message).toContain(`revision ${before.revision} now`);
	return [...fields].sort();
}

describe("if_revision", () => {
	test("200 where the image is as it was read, and the answer tells the next revision", async () => {
		const id = await create();
		const { revision } = await get(id);
		const answer = await patch(id, { caption: "one", if_revision: revision });
		expect([answer.status, ((await answer.json()) as Image).revision]).toEqual([200, revision + 1]);
		expect((await patch(id, { caption: "two", if_revision: revision + 1 })).status).toBe(200);
		expect((await get(id)).caption).toBe("two");
	});

	test("409 names each field that somebody else has changed since, in all their changes, and nothing is written over", async () => {
		const id = await create();
		const { revision } = await get(id);
		await patch(id, { caption: "theirs" });
		expect(await refused(id, { caption: "mine", if_revision: revision })).toEqual(["caption"]);
		expect(await refused(id, { labels: { a: "b" }, if_revision: revision })).toEqual(["caption"]);
		await patch(id, {
			labels: { a: "1" },
			metadata: { m: "x" },
			ttl: "7d",
			external_id: "e",
			published_at: 1_700_000_000,
		});
		const others = ["external_id", "labels", "metadata", "published_at", "ttl"];
		expect(await refused(id, { caption: "mine", if_revision: revision })).toEqual(["caption", ...others]);
		expect(await refused(id, { caption: "mine", if_revision: revision + 1 })).toEqual(others);
		const now = await get(id);
		expect((await patch(id, { caption: "mine", if_revision: now.revision })).status).toBe(200);
	});

	test("409 names the file where it was replaced, and what would be written where nobody knows who changed what", async () => {
		const id = await create();
		const { revision } = await get(id);
		const replaced = await service.api(`/v1/images/${id}/replace`, {
			...{ method: "POST", headers: headersOf(service), body: form(await plain(9, 9), "b.png") },
		});
		expect(replaced.status).toBe(200);
		expect(await refused(id, { caption: "mine", if_revision: revision })).toEqual(["file"]);
		await service.database.write([{ run: sql`DELETE FROM events` }]);
		expect(await refused(id, { caption: "mine", labels: { a: "b" }, if_revision: revision })).toEqual([
			"caption",
			"labels",
		]);
	});

	test("of two who change one image at once, one is told of the other", async () => {
		const id = await create();
		const { revision } = await get(id);
		const both = await Promise.all(
			["a", "b", "c", "d"].map((caption) => patch(id, { caption, if_revision: revision })),
		);
		expect(both.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
		expect((await get(id)).revision).toBe(revision + 1);
	});

	test("422 for what is no revision, and for many images at once", async () => {
		const id = await create();
		for (const wrong of ["1", 0, -1, 1.5, null, {}]) {
			expect(await errorOf(await patch(id, { caption: "x", if_revision: wrong }))).toMatchObject({
				...{ status: 422, fields: ["if_revision"] },
			});
		}
		const many = await send(service, "PATCH", "/v1/images/batch", { ids: [id], caption: "x", if_revision: 1 });
		expect(await errorOf(many)).toMatchObject({ status: 422, fields: ["if_revision"] });
	});
});
