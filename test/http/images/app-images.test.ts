import { beforeAll, describe, expect, test } from "bun:test";
import type { AppImage, DeletedImage, Image } from "@svc/sdk/shapes";
import { addApp, connectUser, setImageStatus, type TestApp } from "../../support/apps.ts";
import { acted } from "../../support/moderation.ts";
import { addMember, addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* What an App's team sees of its images beyond what every list shows. */

const service = serviceFor({ SVC_VARIANT: "current" });
const png = await plain(8, 6);
let app: TestApp;
let viewer: TestPerson;
let operator: TestPerson;

beforeAll(async () => {
	app = await addApp(service.database);
	viewer = await addPerson(service.database);
	operator = await addPerson(service.database, { operator: true });
	await addMember(service.database, app, viewer, "viewer");
});

interface Page<Item> {
	readonly data: readonly Item[];
	readonly pagination: { readonly next_url: string | null };
	readonly total?: number;
}

async function page<Item = AppImage>(query = "", of = app): Promise<Page<Item>> {
	const answer = await send(service, "GET", `/v1/apps/${of.id}/images${query}`, undefined, as(viewer));
	expect(answer.status).toBe(200);
	return (await answer.json()) as Page<Item>;
}

const idsOf = ({ data }: Page<{ readonly id: string }>) => data.map(({ id }) => id);

const create = (name: string, fields: Record<string, string> = {}, headers = {}) =>
	uploaded(service, png, name, fields, { key: app.key, headers });

const remove = (image: Pick<Image, "id">, query = "") =>
	send(service, "DELETE", `/v1/images/${image.id}${query}`, undefined, { key: app.key });

describe("[C] images of an App, for its team", () => {
	test("stand in lists by state: a Viewer reads why moderation has blocked one, which no other list shows", async () => {
		const [plainOne, blocked, locked, failed] = [
			await create("plain.png", { labels: '{"kind":"a"}' }),
			await create("blocked.png", { labels: '{"kind":"a"}', caption: "Never seen" }),
			await create("locked.png", { labels: '{"kind":"b"}' }),
			await create("failed.png"),
		];
		await acted(service, operator, blocked.id, "block", { reason: "dmca" });
		await acted(service, operator, locked.id, "lock");
		await setImageStatus(service.database, failed.id, "failed");
		expect(idsOf(await page())).toEqual([locked.id, plainOne.id]);
		expect(idsOf(await page("?state=ready"))).toEqual([locked.id, plainOne.id]);
		const [only] = (await page("?state=blocked&include=total,facts")).data;
		expect(only).toMatchObject({ id: blocked.id, status: "blocked", blocked_reason: "dmca", locked: false });
		expect((await page("?state=blocked&include=total")).total).toBe(1);
		expect((await page("?state=locked")).data).toMatchObject([{ id: locked.id, locked: true, blocked_reason: null }]);
		expect(idsOf(await page("?state=failed"))).toEqual([failed.id]);
		expect(idsOf(await page("?state=blocked&labels=kind=a&filename_prefix=blo&format=png"))).toEqual([blocked.id]);
		expect(idsOf(await page("?state=blocked&labels=!kind"))).toEqual([]);
		expect(idsOf(await page("?state=blocked&labels=kind=b,kind=c"))).toEqual([]);
		expect(idsOf(await page(`?state=locked&ids=${locked.id},${blocked.id}`))).toEqual([locked.id]);
		const one = await send(service, "GET", `/v1/apps/${app.id}/images/${blocked.id}`, undefined, as(viewer));
		expect([one.status, await one.json()]).toMatchObject([200, { caption: "Never seen", blocked_reason: "dmca" }]);
	});

	test("are those of one connected user where the query names one, and of no other App's", async () => {
		const user = await connectUser(service.database, app);
		const image = await create("theirs.png", {}, { "X-Svc-User": user.id });
		expect(idsOf(await page(`?user_id=${user.id}`))).toEqual([image.id]);
		const path = `/v1/apps/${app.id}/images/${image.id}`;
		expect((await send(service, "GET", path, undefined, as(viewer))).status).toBe(404);
		expect((await send(service, "GET", `${path}?user_id=${user.id}`, undefined, as(viewer))).status).toBe(200);
		const stranger = await connectUser(service.database, await addApp(service.database));
		const refusals = ["user_id=me", `user_id=${stranger.id}`, "state=gone", "cursor=x", "nonsense=1", "format=bmp"];
		const answers = refusals.map((query) =>
			send(service, "GET", `/v1/apps/${app.id}/images?${query}`, undefined, as(viewer)),
		);
		const errors = await Promise.all(answers.map(async (answer) => await errorOf(await answer)));
		expect(errors.map(({ code, fields }) => [code, ...fields])).toEqual([
			["validation_error", "user_id"],
			["user_forbidden"],
			["validation_error", "state"],
			["validation_error", "cursor"],
			["validation_error", "nonsense"],
			["validation_error", "format"],
		]);
	});

	test("that were deleted are listed for a day, the last deleted first, until they are restored", async () => {
		const [one, two, three] = [
			await create("1.png"),
			await create("2.png", { labels: '{"kept":"no"}' }),
			await create("3.png"),
		];
		await remove(three, "?permanent=true");
		await remove(two);
		service.clock.advance(1_000);
		const before = new Date(service.clock.now()).toISOString();
		await remove(one);
		const first = await page<DeletedImage>("/deleted?limit=1&include=total");
		expect(first.data).toMatchObject([{ id: one.id, status: "ready", filename: "1.png", url: one.url, labels: {} }]);
		expect((first.data[0]?.deleted_at ?? "") >= before).toBe(true);
		expect(first.total).toBe(2);
		const next = await service.api(new URL(first.pagination.next_url ?? "").href.replace(/^.*?\/v1/, "/v1"), {
			headers: { Authorization: `Bearer ${viewer.secret}` },
		});
		expect(idsOf((await next.json()) as Page<DeletedImage>)).toEqual([two.id]);
		expect(idsOf(await page("/deleted?order=asc"))).toEqual([two.id, one.id]);
		expect(idsOf(await page("/deleted?labels=kept=no"))).toEqual([two.id]);
		expect(idsOf(await page(`/deleted?ids=${one.id}`))).toEqual([one.id]);
		expect(idsOf(await page("/deleted?published_from=2999-01-01"))).toEqual([]);
		expect((await send(service, "POST", `/v1/images/${two.id}/restore`, {}, { key: app.key })).status).toBe(200);
		expect(idsOf(await page("/deleted"))).toEqual([one.id]);
		service.clock.advance(24 * 3_600_000);
		expect(idsOf(await page("/deleted"))).toEqual([]);
	});
});
