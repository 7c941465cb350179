import { beforeAll, describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { runImageJob } from "@svc/image-jobs/run-image-job";
import { JobStopped } from "@svc/jobs/jobs";
import type { Image, Job } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, connectUser, type TestApp } from "../../support/apps.ts";
import { acted } from "../../support/moderation.ts";
import { addMember, addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { readZip } from "../../support/zip-file.ts";

/* One change of all images that a filter finds, and their pictures as one file. */

const service = serviceFor({ SVC_VARIANT: "current" });
const png = await plain(8, 6);
let operator: TestPerson;

beforeAll(async () => {
	operator = await addPerson(service.database, { operator: true });
});

interface Stage {
	readonly app: TestApp;
	readonly editor: TestPerson;
}

async function stage(): Promise<Stage> {
	const app = await addApp(service.database);
	const editor = await addPerson(service.database);
	await addMember(service.database, app, editor, "editor");
	return { app, editor };
}

const create = ({ app }: Stage, name: string, fields: Record<string, string> = {}, headers = {}) =>
	uploaded(service, png, name, fields, { key: app.key, headers });

const ask = ({ app, editor }: Stage, method: string, path: string, body?: unknown, person = editor) =>
	send(service, method, `/v1/apps/${app.id}${path}`, body, as(person));

async function started(at: Stage, filter: object, act: object): Promise<Job> {
	const answer = await ask(at, "POST", "/image_jobs", { filter, act });
	if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Job;
}

const jobOf = async ({ editor }: Stage, { id }: Job) =>
	(await (await send(service, "GET", `/v1/jobs/${id}`, undefined, as(editor))).json()) as Job;

async function done(at: Stage, filter: object, act: object): Promise<Job> {
	const job = await started(at, filter, act);
	await service.runJobs();
	return await jobOf(at, job);
}

const imagesOf = async (at: Stage, query = "") =>
	((await (await ask(at, "GET", `/images${query}`)).json()) as { data: readonly Image[] }).data;

const imageOf = ({ app }: Stage, { id }: Image) =>
	send(service, "GET", `/v1/images/${id}`, undefined, { key: app.key });

describe("[C] a change of all images that a filter finds", () => {
	test("labels those that fitted at its start, each once; the rest is counted by the reason", async () => {
		const at = await stage();
		const [plainOne, locked, gone, same] = [
			await create(at, "a.png", { labels: '{"kind":"x"}' }),
			await create(at, "b.png", { labels: '{"kind":"x"}' }),
			await create(at, "c.png", { labels: '{"kind":"x"}' }),
			await create(at, "d.png", { labels: '{"kind":"x","seen":"yes"}' }),
		];
		const other = await create(at, "e.png", { labels: '{"kind":"y"}' });
		await acted(service, operator, locked.id, "lock");
		const job = await started(at, { labels: "kind=x" }, { labels: { seen: "yes" } });
		expect(job).toMatchObject({ object: "job", kind: "image_job", state: "queued", total: null });
		const late = await create(at, "f.png", { labels: '{"kind":"x"}' });
		const noted = service.rooms.imageJobs.store.listItems;
		Object.assign(service.rooms.imageJobs.store, {
			listItems: async (...asked: Parameters<typeof noted>) => {
				await send(service, "DELETE", `/v1/images/${gone.id}`, undefined, { key: at.app.key });
				return await noted(...asked);
			},
		});
		await service.runJobs();
		Object.assign(service.rooms.imageJobs.store, { listItems: noted });
		expect(await jobOf(at, job)).toMatchObject({
			state: "done",
			done: 4,
			total: 4,
			result: { changed: 1, skipped: { gone: 1, locked: 1, unchanged: 1 } },
		});
		const labelled = (await imagesOf(at, "?labels=seen=yes")).map(({ id }) => id);
		expect(labelled.sort()).toEqual([plainOne.id, same.id].sort());
		for (const image of [late, other])
			expect(await (await imageOf(at, image)).json()).toMatchObject({ labels: image.labels });
		const listed = (await (await ask(at, "GET", "/jobs?state=done")).json()) as { data: readonly Job[] };
		expect(listed.data.map(({ id }) => id)).toEqual([job.id]);
	});

	test("deletes, restores and moves, in the storage that is named", async () => {
		const at = await stage();
		const user = await connectUser(service.database, at.app);
		const made = [await create(at, "a.png"), await create(at, "b.png"), await create(at, "keep.gif.png")];
		expect((await done(at, { q: "keep" }, { move: { user_id: user.id } })).result).toEqual({ changed: 1, skipped: {} });
		expect((await imagesOf(at, `?user_id=${user.id}`)).map(({ id }) => id)).toEqual([made[2]?.id ?? ""]);
		expect((await done(at, {}, { delete: true })).result).toEqual({ changed: 2, skipped: {} });
		expect(await imagesOf(at)).toEqual([]);
		await send(service, "POST", `/v1/images/${made[0]?.id}/restore`, {}, { key: at.app.key });
		expect((await done(at, {}, { restore: true })).result).toEqual({ changed: 1, skipped: {} });
		expect(await imagesOf(at)).toHaveLength(2);
		const back = await done(at, { user_id: user.id }, { move: { user_id: null } });
		expect([back.result, (await imagesOf(at)).length]).toEqual([{ changed: 1, skipped: {} }, 3]);
		expect((await done(at, {}, { move: { user_id: null } })).result).toEqual({ changed: 0, skipped: { unchanged: 3 } });
		expect((await done(at, { format: "png" }, { ttl: "1h" })).result).toEqual({ changed: 3, skipped: {} });
		expect((await imagesOf(at)).every(({ expires_at }) => expires_at !== null)).toBe(true);
	});

	test("changes each image once, although the process dies after any of its strides", async () => {
		const at = await stage();
		const template = await create(at, "a.png");
		const numbers = Array.from({ length: 249 }, (_, n) => n);
		const copies = sql`INSERT INTO images (id, app_pk, storage_pk, status, filename, format, width, height, bytes, sha256, blob_key, published_ms, created_ms)
			SELECT 'img_' || substr(hex(randomblob(11)), 1, 22), app_pk, storage_pk, status, filename, format, width, height, bytes, sha256,
				'copy_' || n.value || blob_key, published_ms, created_ms
			FROM images, json_each(${JSON.stringify(numbers)}) AS n WHERE images.id = ${template.id}`;
		const counted = sql`UPDATE storages SET images = 250 WHERE pk = (SELECT storage_pk FROM images WHERE id = ${template.id})`;
		await service.database.write([{ run: copies }, { run: counted }]);
		const job = await started(at, {}, { labels: { seen: "yes" } });
		const { jobs } = service.rooms;
		let cuts = 0;
		for (;;) {
			const now = service.clock.now();
			const claimed = await jobs.store.claim(newId("job"), now + 60_000, now);
			if (claimed?.id !== job.id) break;
			let steps = 0;
			const yieldToRequests = () => {
				steps += 1;
				// The first try ends while the images are noted, each later one after some strides.
				return steps > (cuts === 0 ? 0 : 2) ? Promise.reject(new JobStopped("cut off")) : Promise.resolve();
			};
			const cutOff = (cause: unknown) => expect(cause).toBeInstanceOf(JobStopped);
			await runImageJob(service.rooms.imageJobs, { job: claimed, yieldToRequests } as never).catch(cutOff);
			cuts += 1;
			if (cuts > 2) break;
			await jobs.store.giveBack(claimed.lease, service.clock.now());
		}
		service.clock.advance(61_000);
		await service.runJobs();
		expect(await jobOf(at, job)).toMatchObject({ state: "done", result: { changed: 250, skipped: {} } });
		const [row] = await service.database.read(() =>
			service.database.queries.values(sql`SELECT count(*), sum(revision), (SELECT count(*) FROM events WHERE type = 'image.updated'
				AND app_pk = images.app_pk), (SELECT count(*) FROM image_job_items), (SELECT count(*) FROM image_jobs) FROM images
				WHERE app_pk = (SELECT app_pk FROM images WHERE id = ${template.id}) AND labels ->> 'seen' = 'yes'`),
		);
		expect(row).toEqual([250, 500, 250, 0, 0]);
	});

	test("ends where it is cancelled, and where who began it may not change images any more", async () => {
		const at = await stage();
		await create(at, "a.png");
		const job = await started(at, {}, { delete: true });
		expect((await ask(at, "POST", `/image_jobs/${job.id}/cancel`)).status).toBe(200);
		await service.runJobs();
		expect((await jobOf(at, job)).result).toEqual({ changed: 0, skipped: { cancelled: 1 } });
		expect((await ask(at, "POST", `/image_jobs/${job.id}/cancel`)).status).toBe(200);
		const other = await stage();
		expect((await ask(other, "POST", `/image_jobs/${job.id}/cancel`)).status).toBe(404);
		const second = await started(at, {}, { delete: true });
		const viewer = sql`UPDATE members SET role = 'viewer' WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${at.editor.id})`;
		await service.database.write([{ run: viewer }]);
		await service.runJobs();
		expect((await jobOf(at, second)).result).toEqual({ changed: 0, skipped: { forbidden: 1 } });
		expect((await ask(at, "POST", "/image_jobs", { filter: {}, act: { delete: true } })).status).toBe(403);
		expect(await imagesOf(at)).toHaveLength(1);
	});

	test("422 names what is wrong with the filter and the deed, and one more than five at once", async () => {
		const at = await stage();
		for (const [body, fields] of [
			[{ filter: { format: "bmp", order: "asc" }, act: { delete: true } }, ["filter.order"]],
			[{ filter: { format: "bmp" }, act: { delete: true } }, ["filter.format"]],
			[{ filter: { limit: "5" }, act: { delete: true } }, ["filter.limit"]],
			[{ filter: { state: "locked" }, act: { restore: true } }, ["filter.state"]],
			[{ filter: { user_id: "me" }, act: { delete: true } }, ["filter.user_id"]],
			[{ filter: {}, act: {} }, ["act"]],
			[{ filter: {}, act: { delete: true, ttl: "1h" } }, ["act"]],
			[{ filter: {}, act: { delete: false } }, ["act"]],
			[{ filter: {}, act: { move: { user_id: "me" } } }, ["act"]],
			[{ act: { delete: true } }, ["filter"]],
		] as const) {
			expect(await errorOf(await ask(at, "POST", "/image_jobs", body))).toMatchObject({ status: 422, fields });
		}
		for (let count = 0; count < 5; count++) await started(at, {}, { delete: true });
		const sixth = await errorOf(await ask(at, "POST", "/image_jobs", { filter: {}, act: { delete: true } }));
		expect(sixth).toMatchObject({ status: 422, fields: ["filter"] });
		await service.runJobs();
	});
});

describe("[C] pictures of a filter as one file", () => {
	test("have their own names, told apart by the id where two are alike, without what is deleted or blocked meanwhile", async () => {
		const at = await stage();
		const viewer = await addPerson(service.database);
		await addMember(service.database, at.app, viewer, "viewer");
		const [first, second, blocked, gone] = [
			await create(at, "a.png", { published_at: "2020-01-02" }),
			await create(at, "A.png", { published_at: "2020-01-01" }),
			await create(at, "b.png"),
			await create(at, "c.png"),
		];
		await acted(service, operator, blocked.id, "block", { reason: "spam" });
		const answer = await ask(at, "GET", "/images.zip?format=png&order=desc", undefined, viewer);
		expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")]).toEqual([
			200,
			"application/zip",
			"no-store",
		]);
		await send(service, "DELETE", `/v1/images/${gone.id}`, undefined, { key: at.app.key });
		const files = await readZip(await answer.arrayBuffer());
		expect([...files.keys()]).toEqual([first.filename, `${second.id}-${second.filename}`]);
		const refused = await errorOf(await ask(at, "GET", "/images.zip?state=blocked", undefined, viewer));
		expect(refused).toMatchObject({ status: 422, fields: ["state"] });
		const storage = sql`(SELECT storage_pk FROM images WHERE id = ${first.id})`;
		const large = sql`UPDATE images SET bytes = 9999999999 WHERE storage_pk = ${storage} AND status = 'ready'`;
		await service.database.write([{ run: large }]);
		expect(await errorOf(await ask(at, "GET", "/images.zip", undefined, viewer))).toMatchObject({
			status: 422,
			fields: ["filter"],
		});
	});
});
