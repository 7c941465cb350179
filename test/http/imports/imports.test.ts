import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import type { Image, ImportItem, Job } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import { addApp, addKey, addUserKey, connectUser, countOf, setAppState } from "../../support/apps.ts";
import { type Origin, startOrigin } from "../../support/origin.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, send } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { ask, makeTeam } from "../../support/teams.ts";

let service: OpenService;
let origin: Origin;
let picture: Buffer<ArrayBuffer>;
/** What is answered to a path, instead of the picture. */
const answers = new Map<string, (response: ServerResponse) => void>();
let atOnce = 0;
let mostAtOnce = 0;

beforeAll(async () => {
	picture = await plain(8, 6);
	origin = await startOrigin((request, response) => {
		atOnce++;
		mostAtOnce = Math.max(mostAtOnce, atOnce);
		response.once("close", () => atOnce--);
		const path = request.url ?? "";
		const answer = answers.get(path);
		if (answer) answer(response);
		else response.end(picture);
	});
	service = await openService({ SVC_VARIANT: "current", SVC_IMPORT_ALLOW: origin.host });
	service.startJobs();
});
afterAll(async () => {
	await service.close();
	origin.stop();
});

const start = async (items: readonly unknown[], more: object = {}, caller: Caller = {}) =>
	await send(service, "POST", "/v1/imports", { items, ...more }, caller);
const started = async (items: readonly unknown[], more: object = {}, caller: Caller = {}): Promise<Job> => {
	const answer = await start(items, more, caller);
	if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Job;
};
const get = async <T>(path: string, caller: Caller = {}) =>
	(await (await send(service, "GET", `/v1/imports${path}`, undefined, caller)).json()) as T;
const ended = async ({ id }: Pick<Job, "id">, caller: Caller = {}): Promise<Job> => {
	for (;;) {
		const job = await get<Job>(`/${id}`, caller);
		if (job.state === "done" || job.state === "failed") return job;
		await Bun.sleep(20);
	}
};
const itemsOf = async ({ id }: Pick<Job, "id">, query = "", caller: Caller = {}) =>
	(await get<List<ImportItem>>(`/${id}/items?limit=100${query}`, caller)).data;
const image = async (id: string | null, caller: Caller = {}) =>
	(await (await send(service, "GET", `/v1/images/${id}`, undefined, caller)).json()) as Image;

test("images are made of addresses, each with its own fields over those of all", async () => {
	const job = await started(
		[
			{ url: origin.url("/a.png"), caption: "own", labels: { album: "x", only: "a" } },
			{ url: origin.url("/b.png") },
			{ url: origin.url("/a.png") },
		],
		{ fields: { caption: "all", labels: { album: "all" }, metadata: { from: "there" }, ttl: "1h" } },
	);
	expect(job).toMatchObject({ object: "job", kind: "import", total: 3 });
	expect(await ended(job)).toMatchObject({ state: "done", done: 3, total: 3, result: { created: 3, failed: 0 } });
	const items = await itemsOf(job);
	expect(items.map(({ index, state, error }) => [index, state, error])).toEqual(
		[0, 1, 2].map((n) => [n, "created", null]),
	);
	const [first, second] = await Promise.all(items.map(({ image_id }) => image(image_id)));
	expect(first).toMatchObject({ caption: "own", labels: { album: "x", only: "a" } });
	expect(first?.metadata).toEqual({ from: "there", source_url: origin.url("/a.png") });
	expect(second).toMatchObject({ caption: "all", labels: { album: "all" }, expires_at: expect.any(String) });
	expect(new Set(items.map(({ image_id }) => image_id)).size).toBe(3);
	const { data } = await get<List<Job>>("");
	expect(data[0]?.id).toBe(job.id);
});

test("what cannot be made fails by itself, with the error of a create, and leaves the others", async () => {
	answers.set("/gone.png", (response) => response.writeHead(404).end());
	answers.set("/text.png", (response) => response.end("no picture"));
	const job = await started([
		{ url: origin.url("/gone.png") },
		{ url: origin.url("/good.png") },
		{ url: origin.url("/text.png") },
		{ url: "http://10.0.0.1/private.png" },
	]);
	expect(await ended(job)).toMatchObject({ state: "done", result: { created: 1, failed: 3 } });
	const failed = await itemsOf(job, "&state=failed");
	expect(failed.map(({ index, image_id, error }) => [index, image_id, error?.type, error?.code])).toEqual([
		[0, null, "processing_error", "fetch_failed"],
		[2, null, "invalid_request_error", "validation_error"],
		[3, null, "invalid_request_error", "validation_error"],
	]);
	expect(origin.asked.filter((path) => path === "/gone.png")).toHaveLength(1);
});

test("a server that is busy, or breaks off, is asked three times", async () => {
	let busy = 0;
	answers.set("/busy.png", (response) => (++busy < 3 ? response.writeHead(503).end() : response.end(picture)));
	answers.set("/down.png", (response) => response.writeHead(500).end());
	answers.set("/cut.png", (response) => response.destroy());
	const job = await started(["/busy.png", "/down.png", "/cut.png"].map((path) => ({ url: origin.url(path) })));
	expect(await ended(job)).toMatchObject({ result: { created: 1, failed: 2 } });
	for (const path of ["/busy.png", "/down.png", "/cut.png"]) {
		expect([path, origin.asked.filter((asked) => asked === path).length]).toEqual([path, 3]);
	}
}, 120_000);

test("at most four at once are asked of one host", async () => {
	mostAtOnce = 0;
	answers.set("/slow.png", (response) => void setTimeout(() => response.end(picture), 50));
	const job = await started(Array.from({ length: 20 }, () => ({ url: origin.url("/slow.png") })));
	expect(await ended(job)).toMatchObject({ result: { created: 20, failed: 0 } });
	expect(mostAtOnce).toBe(4);
}, 60_000);

test("422 names each fault by its place, and there is no job", async () => {
	const before = await countOf(service.database, sql`SELECT count(*) FROM imports`);
	const faults = async (items: unknown, more: object = {}) => {
		const answer = await send(service, "POST", "/v1/imports", { items, ...more });
		const { error } = (await answer.json()) as { error: { details?: object } };
		return [answer.status, ...Object.keys(error.details ?? {})];
	};
	const good = { url: origin.url("/a.png") };
	expect(await faults([])).toEqual([422, "items"]);
	expect(await faults(undefined)).toEqual([422, "items"]);
	expect(await faults(Array.from({ length: 1_001 }, () => good))).toEqual([422, "items"]);
	expect(await faults([good, {}, { url: "nowhere" }, "x", { ...good, colour: "red", ttl: "soon" }])).toEqual([
		...[422, "items[1].url", "items[2].url", "items[3]", "items[4].colour", "items[4].ttl"],
	]);
	expect(await faults([good], { fields: { url: "https://x.example/", labels: "x" } })).toEqual([
		...[422, "fields.url", "fields.labels"],
	]);
	expect(await faults([good], { fields: [] })).toEqual([422, "fields"]);
	expect(await faults([good], { more: 1 })).toEqual([422, "more"]);
	expect(await countOf(service.database, sql`SELECT count(*) FROM imports`)).toBe(before);
});

test("a body of eight megabytes is taken, and a larger one is not", async () => {
	const item = { url: origin.url("/a.png"), metadata: { long: "x".repeat(500) } };
	const many = Array.from({ length: 1_000 }, () => item);
	const job = await started(many);
	expect(job.total).toBe(1_000);
	await send(service, "POST", `/v1/imports/${job.id}/cancel`);
	expect(await ended(job)).toMatchObject({ state: "done" });
	const large = await start([{ ...item, caption: "y".repeat(8_000_000) }]);
	expect(large.status).toBe(400);
}, 60_000);

describe("who may", () => {
	test("sees and cancels what is of the selected storage, and nothing else", async () => {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		const asUser = { key: app.key, headers: { "X-Svc-User": user.id } };
		const job = await started([{ url: origin.url("/a.png") }], {}, asUser);
		await ended(job, asUser);
		const [item] = await itemsOf(job, "", asUser);
		expect((await image(item?.image_id ?? "", asUser)).id).toBe(item?.image_id as string);
		for (const caller of [{ key: app.key }, {}]) {
			for (const path of ["", "/items"]) {
				const answer = await send(service, "GET", `/v1/imports/${job.id}${path}`, undefined, caller);
				expect(answer.status).toBe(404);
			}
			expect((await send(service, "POST", `/v1/imports/${job.id}/cancel`, undefined, caller)).status).toBe(404);
		}
		const own = { key: await addUserKey(service.database, app, user) };
		expect((await start([{ url: origin.url("/a.png") }], {}, own)).status).toBe(403);
		const readOnly = { key: await addKey(service.database, app, { permissions: ["read"] }) };
		expect((await start([{ url: origin.url("/a.png") }], {}, readOnly)).status).toBe(403);
	});

	test("is looked at again for each item: what a paused App or a key that ended would be told", async () => {
		const app = await addApp(service.database);
		const held: (() => void)[] = [];
		answers.set("/held.png", (response) => void held.push(() => response.end(picture)));
		const items = Array.from({ length: 6 }, () => ({ url: origin.url("/held.png") }));
		const job = await started(items, {}, { key: app.key });
		while (held.length < 4) await Bun.sleep(5);
		await setAppState(service.database, app.id, "paused");
		for (let released = 0; released < 4; released++) held[released]?.();
		for (let state = "running"; state !== "done"; ) {
			const row = await service.database.rows("SELECT state FROM jobs WHERE id = ?", [job.id]);
			state = String(row[0]?.[0]);
			await Bun.sleep(20);
		}
		const rows = await service.database.rows(
			"SELECT item.state, item.error ->> 'code' FROM import_items AS item JOIN imports ON imports.pk = import_pk WHERE imports.id = ? ORDER BY place",
			[job.id],
		);
		expect(rows.map((row) => [...row])).toEqual(Array.from({ length: 6 }, () => ["failed", "app_suspended"]));
	}, 60_000);

	test("an Editor may for the App that X-Svc-App names, a Viewer only looks", async () => {
		const team = await makeTeam(service);
		const caller = (secret: string) => ({ key: secret, headers: { "X-Svc-App": team.appId } });
		const job = await started([{ url: origin.url("/a.png") }], {}, caller(team.editor.secret));
		expect(await ended(job, caller(team.viewer.secret))).toMatchObject({ result: { created: 1, failed: 0 } });
		expect((await start([{ url: origin.url("/a.png") }], {}, caller(team.viewer.secret))).status).toBe(403);
		expect((await ask(service, team.editor, "GET", `/v1/jobs/${job.id}`)).status).toBe(200);
	});
});

test("what is queued is cancelled, what was made stays, and five unfinished ones are the most", async () => {
	const app = await addApp(service.database);
	const caller = { key: app.key };
	const held: (() => void)[] = [];
	answers.set("/wait.png", (response) => void held.push(() => response.end(picture)));
	const items = Array.from({ length: 6 }, () => ({ url: origin.url("/wait.png") }));
	const jobs = [await started(items, {}, caller)];
	while (held.length < 4) await Bun.sleep(5);
	while (jobs.length < 5) jobs.push(await started([{ url: origin.url("/a.png") }], {}, caller));
	const sixth = await start([{ url: origin.url("/a.png") }], {}, caller);
	expect([sixth.status, await sixth.json()]).toMatchObject([422, { error: { details: { items: expect.any(Array) } } }]);
	const [first] = jobs as [Job];
	for (let again = 0; again < 2; again++) {
		expect((await send(service, "POST", `/v1/imports/${first.id}/cancel`, undefined, caller)).status).toBe(200);
	}
	for (const release of held) release();
	expect(await ended(first, caller)).toMatchObject({ state: "done", result: { created: 4, failed: 0 } });
	expect((await itemsOf(first, "", caller)).map(({ state }) => state)).toEqual([
		...["created", "created", "created", "created", "cancelled", "cancelled"],
	]);
	for (const job of jobs) await ended(job, caller);
	expect((await start([{ url: origin.url("/a.png") }], {}, caller)).status).toBe(202);
}, 60_000);

test("pages of items follow the order in which they were sent", async () => {
	const job = await started(Array.from({ length: 25 }, (_, n) => ({ url: origin.url(`/${n}.png`) })));
	await ended(job);
	const seen: number[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const page: List<ImportItem> = await get(`/${job.id}/items?limit=10${cursor && `&cursor=${cursor}`}`);
		seen.push(...page.data.map(({ index }) => index));
		cursor = page.pagination.next_cursor;
	}
	expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => n));
});

test("its end is one event of the feed, and shows the job as it then is", async () => {
	const job = await started([{ url: origin.url("/a.png") }]);
	const done = await ended(job);
	const answer = await send(service, "GET", "/v1/events?types=import.done&limit=100");
	const { data } = (await answer.json()) as { data: { data: { object: Job } }[] };
	expect(data.map((event) => event.data.object).filter(({ id }) => id === job.id)).toEqual([done]);
});
