import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { connectUser } from "../../support/apps.ts";
import { acted } from "../../support/moderation.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { openPurgeReceiver, type PurgeReceiver } from "../../support/purges.ts";
import { form, send, upload, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { ask, makeKey, makeTeam, type Team } from "../../support/teams.ts";
import { addUser } from "../../support/users.ts";

/* What the caches in front are told of each change, by a service that purges one. */

let receiver: PurgeReceiver;
let service: OpenService;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	receiver = await openPurgeReceiver();
	service = await openService({ SVC_PURGE: receiver.origin.url("/purge") });
	file = await plain(40, 30, "jpeg");
});
afterAll(async () => {
	await service.close();
	await receiver[Symbol.asyncDispose]();
});
afterEach(() => {
	receiver.answer = () => ({ status: 200 });
});

interface Shop extends Team {
	readonly key: string;
	add(caller?: Readonly<Record<string, string>>): Promise<Image>;
}

async function openShop(): Promise<Shop> {
	const team = await makeTeam(service);
	const { secret: key } = await makeKey(service, team.owner, team.path);
	return { ...team, key, add: (headers = {}) => uploaded(service, file, "a.jpg", {}, { key, headers }) };
}

/** What is sent because of a change, and nothing that was before. */
async function purgedBy(change: () => Promise<unknown>): Promise<readonly string[]> {
	await service.sendPurges();
	receiver.calls.length = 0;
	await change();
	await service.sendPurges();
	return receiver.calls.flatMap(({ tags }) => tags).sort();
}

async function ok(response: Promise<Response>): Promise<void> {
	const { status } = await response;
	expect([200, 201, 202, 204]).toContain(status);
}

const storageTag = ({ url }: Image) => `t-${new URL(url).pathname.split("/")[1]}`;

describe("the caches in front are told", () => {
	test("nothing of a create, of what changes no picture, and of processing", async () => {
		const shop = await openShop();
		const image = await shop.add();
		expect(
			await purgedBy(async () => {
				await shop.add();
				await ok(send(service, "PATCH", `/v1/images/${image.id}`, { caption: "b" }, { key: shop.key }));
				await service.runJobs();
			}),
		).toEqual([]);
	});

	test.each(["", "[C] ?permanent=true"])("of an image that is deleted (%p)", async (how) => {
		const query = how.replace("[C] ", "");
		const shop = await openShop();
		const image = await shop.add();
		await shop.add();
		const remove = () => ok(send(service, "DELETE", `/v1/images/${image.id}${query}`, undefined, { key: shop.key }));
		expect(await purgedBy(remove)).toEqual([image.id]);
		expect((await service.open(image.url)).status).toBe(404);
	});

	test("of each image of a batch", async () => {
		const shop = await openShop();
		const ids = [await shop.add(), await shop.add(), await shop.add()].map(({ id }) => id);
		const remove = () => ok(send(service, "DELETE", "/v1/images/batch", { ids }, { key: shop.key }));
		expect(await purgedBy(remove)).toEqual([...ids].sort());
		expect(receiver.calls).toHaveLength(1);
	});

	test("[C] of one that gets other bytes", async () => {
		const shop = await openShop();
		const image = await shop.add();
		const other = form(await plain(20, 20, "jpeg"), "b.jpg");
		const replace = () =>
			ok(
				service.api(`/v1/images/${image.id}/replace`, {
					method: "POST",
					headers: { Authorization: `Bearer ${shop.key}` },
					body: other,
				}),
			);
		expect(await purgedBy(replace)).toEqual([image.id]);
	});

	test("[C] of one that moves to a user", async () => {
		const shop = await openShop();
		const user = await connectUser(service.database, { id: shop.appId });
		const image = await shop.add();
		const move = () =>
			ok(send(service, "POST", `/v1/images/${image.id}/move`, { user_id: user.id }, { key: shop.key }));
		expect(await purgedBy(move)).toEqual([image.id]);
	});

	test("of one that is blocked, and of its release", async () => {
		const shop = await openShop();
		const { id } = await shop.add();
		const operator = { secret: service.token };
		expect(await purgedBy(() => acted(service, operator, id, "block", { reason: "spam" }))).toEqual([id]);
		expect(await purgedBy(() => acted(service, operator, id, "unblock"))).toEqual([id]);
	});

	test("of one whose time is over", async () => {
		const shop = await openShop();
		const image = await uploaded(service, file, "a.jpg", { ttl: "5m" }, { key: shop.key });
		service.clock.advance(400_000);
		expect(await purgedBy(() => service.expire())).toEqual([image.id]);
	});

	test("of the whole storage of a user who leaves, not of each image", async () => {
		const shop = await openShop();
		const user = await addUser(service.database, { id: shop.appId });
		const theirs = { "X-Svc-User": user.id };
		const [image] = [await shop.add(theirs), await shop.add(theirs), await shop.add()];
		const tags = await purgedBy(async () => {
			await ok(send(service, "DELETE", `/v1/me/connections/${shop.appId}`, undefined, as(user)));
			await service.runJobs();
		});
		expect(tags).toEqual([storageTag(image)]);
	});

	test("of all storages of an App that is deleted", async () => {
		const shop = await openShop();
		const user = await connectUser(service.database, { id: shop.appId });
		const images = [await shop.add(), await shop.add({ "X-Svc-User": user.id }), await shop.add()];
		const tags = await purgedBy(async () => {
			expect((await ask(service, shop.owner, "DELETE", `${shop.path}?confirm_name=Pictures`)).status).toBe(202);
			await service.runJobs();
		});
		expect([...new Set(tags)]).toEqual([...new Set(images.map(storageTag))].sort());
	});

	test("of the storages of an account that is deleted", async () => {
		const shop = await openShop();
		const user = await addUser(service.database, { id: shop.appId });
		const image = await shop.add({ "X-Svc-User": user.id });
		await shop.add();
		const tags = await purgedBy(async () => {
			const answer = await send(service, "DELETE", "/v1/me", { confirm: user.email }, as(user));
			expect([answer.status, await answer.text()]).toEqual([202, expect.any(String)]);
			await service.runJobs();
		});
		expect([...new Set(tags)]).toEqual([storageTag(image)]);
	});

	test("[C] of the App's storages with images, where it changes which addresses are answered, with what", async () => {
		const shop = await openShop();
		const user = await connectUser(service.database, { id: shop.appId });
		await connectUser(service.database, { id: shop.appId });
		const wide = [await shop.add(), await shop.add({ "X-Svc-User": user.id })].map(storageTag).sort();
		const change = (method: string, at: string, body?: unknown) => async () => {
			const made = await ask(service, shop.admin, method, `${shop.path}${at}`, body);
			expect(made.status).toBeLessThan(300);
			return String(made.body.id);
		};
		const told = async (make: () => Promise<string>) => {
			let id = "";
			const tags = await purgedBy(async () => {
				id = await make();
			});
			expect(tags).toEqual(wide);
			return id;
		};
		await told(change("PATCH", "", { delivery: "presets" }));
		const preset = await told(change("POST", "/presets", { name: "thumb", parameters: { w: "30" } }));
		await told(change("PATCH", `/presets/${preset}`, { parameters: { w: "40" } }));
		await told(change("DELETE", `/presets/${preset}`));
		const key = await told(change("POST", "/signing_keys", { name: "web" }));
		await told(change("DELETE", `/signing_keys/${key}`));
		expect(await purgedBy(change("PATCH", "", { delivery: "presets" }))).toEqual([]);
		expect(await purgedBy(change("PATCH", "", { name: "Another name" }))).toEqual([]);
	});
});

test("a cache that is down slows no change, and is told of all when it is back", async () => {
	const shop = await openShop();
	const images = [await shop.add(), await shop.add()];
	await service.sendPurges();
	receiver.answer = () => undefined;
	const remove = ({ id }: Image) => send(service, "DELETE", `/v1/images/${id}`, undefined, { key: shop.key });
	const [first, second] = images as [Image, Image];
	await remove(first);
	const sending = service.sendPurges();
	const startMs = performance.now();
	expect((await remove(second)).status).toBe(200);
	expect((await service.open(second.url)).status).toBe(404);
	expect(performance.now() - startMs).toBeLessThan(5_000);
	const metrics = await (await service.open("http://localhost:3000/metrics")).text();
	expect(metrics).toMatch(/^svc_purge_waiting 2$/m);
	await sending;
	const failed = await (await service.open("http://localhost:3000/metrics")).text();
	expect(failed).toMatch(/^svc_purge_failures_total [1-9]/m);
	expect(failed).toMatch(/^svc_purge_oldest_seconds [1-9]/m);
	receiver.answer = () => ({ status: 200 });
	service.clock.advance(61_000);
	await service.sendPurges();
	expect(receiver.taken()).toEqual(expect.arrayContaining([first.id, second.id]));
	const told = await (await service.open("http://localhost:3000/metrics")).text();
	expect(told).toMatch(/^svc_purge_waiting 0$/m);
	expect(told).toMatch(/^svc_purge_oldest_seconds 0$/m);
}, 30_000);

test("where nothing is purged nothing is written", async () => {
	const quiet = await openService({ SVC_PURGE: "off" });
	try {
		const image = (await (await upload(quiet, file, "a.jpg")).json()) as Image;
		expect((await send(quiet, "DELETE", `/v1/images/${image.id}`)).status).toBe(200);
		const rows = await quiet.database.rows(
			"SELECT (SELECT count(*) FROM waiting_purges), (SELECT count(*) FROM purge_target)",
			[],
		);
		expect(rows[0]?.map(Number)).toEqual([0, 0]);
		const { headers } = await quiet.open(image.url);
		expect(headers.get("cdn-cache-control")).toBeNull();
	} finally {
		await quiet.close();
	}
});
