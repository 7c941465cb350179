import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { acted } from "../../support/moderation.ts";
import { addPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();
const file = await plain(40, 20, "jpeg");

interface Written {
	readonly type: string;
	readonly subject: string;
	readonly data: Readonly<Record<string, unknown>>;
}

/** What the feed got about these images. */
async function written(...ids: string[]): Promise<readonly Written[]> {
	const query = sql`SELECT type, subject, data FROM events WHERE subject IN ${ids} ORDER BY pk`;
	const rows = await service.database.read(() => service.database.queries.values<[string, string, string]>(query));
	return rows.map(([type, subject, data]) => ({ type, subject, data: JSON.parse(data) }));
}

const typesOf = async (...ids: string[]) => (await written(...ids)).map(({ type }) => type);

describe("what is written for an image", () => {
	test("its create, its change with the former values, and its tombstone", async () => {
		const { id } = await uploaded(service, file, "a.jpg", { caption: "old", labels: '{"a":"1"}' });
		await send(service, "PATCH", `/v1/images/${id}`, { caption: "new", labels: { a: "2" } });
		await send(service, "DELETE", `/v1/images/${id}`);
		const [created, updated, gone, ...more] = await written(id);
		expect(created).toMatchObject({
			type: "image.created",
			data: { object: { id, caption: "old", labels: { a: "1" } } },
		});
		expect(updated).toMatchObject({
			type: "image.updated",
			data: { object: { id, caption: "new", labels: { a: "2" } }, previous: { caption: "old", labels: { a: "1" } } },
		});
		expect(Object.keys((updated?.data.previous ?? {}) as object)).toEqual(["caption", "labels"]);
		expect([gone, more]).toEqual([{ type: "image.deleted", subject: id, data: {} }, []]);
	});

	test("nothing for a change to what it is already, a replayed create, a refusal, and a delete of what is gone", async () => {
		const headers = { "Idempotency-Key": crypto.randomUUID() };
		const make = () => upload(service, file, "a.jpg", { caption: "c" }, { headers });
		const { id } = (await (await make()).json()) as { id: string };
		expect((await make()).headers.get("idempotent-replayed")).toBe("true");
		await send(service, "PATCH", `/v1/images/${id}`, { caption: "c" });
		await send(service, "PATCH", `/v1/images/${id}`, { caption: 5 });
		await send(service, "DELETE", `/v1/images/${id}`);
		await send(service, "DELETE", `/v1/images/${id}`);
		expect(await typesOf(id)).toEqual(["image.created", "image.deleted"]);
	});

	test("one each for the items of a batch, in its order", async () => {
		const ids: string[] = [];
		for (let made = 0; made < 3; made++) ids.push((await uploaded(service, file)).id);
		await send(service, "PATCH", "/v1/images/batch", { ids, caption: "all" });
		await send(service, "DELETE", "/v1/images/batch", { ids });
		const told = await written(...ids);
		for (const type of ["image.created", "image.updated", "image.deleted"]) {
			expect(told.filter((event) => event.type === type).map(({ subject }) => subject)).toEqual(ids);
		}
		expect(told).toHaveLength(9);
	});

	test("what moderation does to it, with the reason", async () => {
		const operator = await addPerson(service.database, { operator: true });
		const { id } = await uploaded(service, file);
		for (const verb of ["lock", "unlock"] as const) await acted(service, operator, id, verb);
		await acted(service, operator, id, "block", { reason: "spam" });
		await acted(service, operator, id, "unblock");
		const told = await written(id);
		expect(told.map(({ type }) => type)).toEqual([
			"image.created",
			"image.locked",
			"image.unlocked",
			"image.blocked",
			"image.unblocked",
		]);
		expect(told[3]?.data).toMatchObject({ object: { status: "blocked" }, reason: "spam" });
	});

	test("that it has expired, not that it was deleted", async () => {
		const { id } = await uploaded(service, file, "a.jpg", { ttl: "5m" });
		service.clock.set(service.clock.now() + 301_000);
		await service.sweep();
		expect(await typesOf(id)).toEqual(["image.created", "image.expired"]);
	});
});
