import { describe, expect, test } from "bun:test";
import type { Usage } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, addUserKey, connectUser, setPlan, setStorageState, type TestApp } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

const service = serviceFor();
const file = await plain(6, 6);

async function usageOf(caller: Caller): Promise<Usage> {
	return (await (await send(service, "GET", "/v1/usage", undefined, caller)).json()) as Usage;
}

const HEADERS = [
	"X-Monthly-Uploads-Used",
	"X-Monthly-Uploads-Limit",
	"X-Monthly-Uploads-Remaining",
	"X-Storage-Used",
	"X-Storage-Limit",
	"X-Storage-Remaining",
];

const integers = (response: Response) =>
	HEADERS.map((name) => Number.parseInt(response.headers.get(name) ?? "absent", 10));

describe("GET /v1/usage", () => {
	test("[C] counts what is stored [usage.object, usage.monthly.uploads, usage.monthly.uploads_limit, usage.monthly.uploads_remaining, usage.monthly.resets_at, usage.totals.images_stored, usage.totals.storage_used_bytes, usage.totals.storage_limit_bytes, usage.totals.storage_remaining_bytes, usage.plan.current, usage.limits_enforced, usage.limits.images-shape, usage.limits.users-shape, limits.app-plan.free]", async () => {
		const { key } = await addApp(service.database);
		const image = await uploaded(service, file, "a.png", {}, { key });
		await uploaded(service, file, "b.png", {}, { key });
		const now = new Date();
		const expected = {
			object: "usage",
			monthly: {
				uploads: 2,
				uploads_limit: 5_000,
				uploads_remaining: 4_998,
				resets_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
			},
			totals: {
				images_stored: 2,
				storage_used_bytes: 2 * file.length,
				storage_limit_bytes: 100_000_000_000,
				storage_remaining_bytes: 100_000_000_000 - 2 * file.length,
			},
			plan: "free",
			limits_enforced: true,
			limits: { images: { used: 2, limit: 5_000 }, users: { used: 0, limit: 50 } },
		};
		expect<unknown>(await usageOf({ key })).toEqual(expected);
		await send(service, "DELETE", `/v1/images/${image.id}`, undefined, { key });
		expect(await usageOf({ key })).toMatchObject({
			monthly: { uploads: 2 },
			totals: { images_stored: 1, storage_used_bytes: file.length },
			limits: { images: { used: 1 } },
		});
	});

	test("[C] totals are of the selected storage, limits of the whole App [usage.selected-storage, usage.limits.whole-app, limits.app-plan.counting, usage.limits.used-null-for-user-key]", async () => {
		const app = await addApp(service.database);
		const ann = await connectUser(service.database, app);
		const asAnn: Caller = { key: app.key, headers: { "X-Svc-User": ann.id } };
		await uploaded(service, file, "a.png", {}, { key: app.key });
		await uploaded(service, file, "a.png", {}, asAnn);
		await uploaded(service, file, "a.png", {}, asAnn);
		expect(await usageOf({ key: app.key })).toMatchObject({
			totals: { images_stored: 1 },
			limits: { images: { used: 3 }, users: { used: 1 } },
		});
		expect(await usageOf(asAnn)).toMatchObject({
			totals: { images_stored: 2 },
			limits: { images: { used: 3 }, users: { used: 1 } },
		});
		const own = await addUserKey(service.database, app, ann);
		expect(await usageOf({ key: own })).toMatchObject({
			totals: { images_stored: 2 },
			limits: { images: { used: null }, users: { used: null } },
		});
	});

	test("[C] Pro and Unlimited [usage.limits.null-on-unlimited, limits.app-plan.pro, limits.app-plan.unlimited, limits.header.limits-enforced-c, usage.plan.current]", async () => {
		const { id, key } = await addApp(service.database);
		const enforced = async () => {
			const answers = [
				await send(service, "GET", "/v1/usage", undefined, { key }),
				await upload(service, file, "a.png", {}, { key }),
			];
			return answers.map((answer) => answer.headers.get("X-Limits-Enforced"));
		};
		expect(await enforced()).toEqual(["true", "true"]);
		await setPlan(service.database, id, "pro");
		expect(await usageOf({ key })).toMatchObject({
			plan: "pro",
			limits_enforced: true,
			limits: { images: { limit: 50_000 }, users: { limit: 500 } },
		});
		expect(await enforced()).toEqual(["true", "true"]);
		await setPlan(service.database, id, "unlimited");
		expect(await usageOf({ key })).toMatchObject({
			plan: "unlimited",
			limits_enforced: false,
			limits: { images: { limit: null }, users: { limit: null } },
		});
		expect(await enforced()).toEqual(["false", "false"]);
	});
});

describe("usage headers", () => {
	test("are on every answer to a key, errors too, and agree with the body [endpoints.usage-headers-on-success, usage.sets-headers, limits.header.uploads-used, limits.header.uploads-limit, limits.header.uploads-remaining, limits.header.storage-used, limits.header.storage-limit, limits.header.storage-remaining]", async () => {
		const { key } = await addApp(service.database);
		const created = await upload(service, file, "a.png", {}, { key });
		const { id } = (await created.clone().json()) as { id: string };
		const usage = await usageOf({ key });
		const expected = [
			usage.monthly.uploads,
			usage.monthly.uploads_limit,
			usage.monthly.uploads_remaining,
			usage.totals.storage_used_bytes,
			usage.totals.storage_limit_bytes,
			usage.totals.storage_remaining_bytes,
		];
		const answers = [created];
		for (const path of [
			`/v1/images/${id}`,
			"/v1/images",
			"/v1/usage",
			"/v1/key",
			"/v1/images/img_none",
			"/v1/images?limit=0",
		]) {
			answers.push(await send(service, "GET", path, undefined, { key }));
		}
		answers.push(await upload(service, file, "a.png", { ttl: "1" }, { key }));
		for (const answer of answers) expect(integers(answer)).toEqual(expected);
		const deleted = await send(service, "DELETE", `/v1/images/${id}`, undefined, { key });
		expect(deleted.headers.get("X-Storage-Used")).toBe("0");
		expect((await send(service, "GET", "/v1/usage", undefined, { key: "x" })).headers.has("X-Storage-Used")).toBe(
			false,
		);
	});

	test("X-Processing-Time is on every answer to a create, refused ones too [limits.header.processing-time]", async () => {
		const answers = [
			await upload(service, file),
			await upload(service, "nothing"),
			await upload(service, file, "a.png", {}, { key: "x" }),
		];
		for (const answer of answers) expect(answer.headers.get("X-Processing-Time")).toMatch(/^\d+$/);
		expect((await service.api("/v1/usage")).headers.has("X-Processing-Time")).toBe(false);
	});

	test("every one of them may be read by another origin, which may send what it needs [limits.header.cors-exposed]", async () => {
		const exposed = (await service.api("/v1/usage")).headers.get("Access-Control-Expose-Headers") ?? "";
		for (const name of [...HEADERS, "X-Limits-Enforced", "Retry-After", "Idempotent-Replayed", "X-Processing-Time"])
			expect(exposed).toContain(name);
		const preflight = await service.api("/v1/images", {
			method: "OPTIONS",
			headers: { Origin: "https://a.example", "Access-Control-Request-Method": "POST" },
		});
		expect(preflight.status).toBe(204);
		expect(preflight.headers.get("Access-Control-Allow-Origin")).toBe("*");
		expect(preflight.headers.get("Access-Control-Allow-Headers")).toContain("Idempotency-Key");
	});
});

describe("the images limit", () => {
	async function limited(images: number): Promise<TestApp> {
		const app = await addApp(service.database);
		await setPlan(service.database, app.id, "free", images);
		return app;
	}

	test("[C] refuses at the limit, and is freed by a delete or a higher plan [create.quota-images-limit, create.quota-stores-nothing, errors.type.quota_error, limits.images-limit-serving, limits.quota-freed-delete, limits.quota-freed-upgrade, usage.only-images-limit-refuses]", async () => {
		const { id, key } = await limited(1);
		const image = await uploaded(service, file, "a.png", {}, { key });
		expect(await errorOf(await upload(service, file, "b.png", {}, { key }))).toMatchObject({
			status: 403,
			type: "quota_error",
			code: "quota_exceeded",
		});
		expect(await usageOf({ key })).toMatchObject({
			totals: { images_stored: 1 },
			limits: { images: { used: 1, limit: 1 } },
		});
		expect((await service.open(image.url)).status).toBe(200);
		expect((await send(service, "GET", `/v1/images/${image.id}`, undefined, { key })).status).toBe(200);
		await send(service, "DELETE", `/v1/images/${image.id}`, undefined, { key });
		expect((await upload(service, file, "b.png", {}, { key })).status).toBe(201);
		expect((await upload(service, file, "c.png", {}, { key })).status).toBe(403);
		await setPlan(service.database, id, "pro");
		expect((await upload(service, file, "c.png", {}, { key })).status).toBe(201);
	});

	test("[C] a refusal says whose limit it is, the plan's or one of the App's own, and that limits are enforced [limits.header.limits-enforced-c]", async () => {
		const app = await addApp(service.database);
		await service.database.write([
			{ run: sql`UPDATE app_usage SET images = 5000 WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})` },
		]);
		const refused = await upload(service, file, "a.png", {}, { key: app.key });
		expect(refused.headers.get("x-limits-enforced")).toBe("true");
		const { message } = await errorOf(refused);
		expect(message).toBe("The Free plan holds 5,000 images and this App has reached it; delete images or move to Pro.");
		for (const [images, words] of [
			[1, "1 image"],
			[4_000, "4,000 images"],
		] as const) {
			await setPlan(service.database, app.id, "free", images);
			const own = await upload(service, file, "a.png", {}, { key: app.key });
			expect([own.status, own.headers.get("x-limits-enforced")]).toEqual([403, "true"]);
			expect((await errorOf(own)).message).toStartWith(
				`An operator has limited this App to ${words}, whatever its plan`,
			);
		}
	});

	test("[C] expired images make room at once, before any sweep", async () => {
		const limitedService = await openService();
		const app = await addApp(limitedService.database);
		await setPlan(limitedService.database, app.id, "free", 1);
		await uploaded(limitedService, file, "a.png", { ttl: "5m" }, { key: app.key });
		expect((await upload(limitedService, file, "b.png", {}, { key: app.key })).status).toBe(403);
		limitedService.clock.advance(300_001);
		expect((await upload(limitedService, file, "b.png", {}, { key: app.key })).status).toBe(201);
		await limitedService.close();
	});

	test("[C] says the limit and the way up, but not to a user's own key [errors.quota-message.limit, errors.quota-message.upgrade-target, errors.quota-message.user-key]", async () => {
		const app = await limited(0);
		const ann = await connectUser(service.database, app);
		const { message } = await errorOf(await upload(service, file, "a.png", {}, { key: app.key }));
		expect(message).toContain("Free");
		expect(message).toContain("Pro");
		const own = await addUserKey(service.database, app, ann);
		const toUser = await errorOf(await upload(service, file, "a.png", {}, { key: own }));
		expect(toUser.message).toBe("This App takes no new uploads.");
	});

	test("[C] 30 creates at once at the edge: never one too many, and nothing left behind by the refused", async () => {
		const { key } = await limited(7);
		const answers = await Promise.all(Array.from({ length: 30 }, () => upload(service, file, "a.png", {}, { key })));
		expect(answers.filter((answer) => answer.status === 201)).toHaveLength(7);
		expect(answers.filter((answer) => answer.status === 403)).toHaveLength(23);
		expect(await usageOf({ key })).toMatchObject({
			totals: { images_stored: 7, storage_used_bytes: 7 * file.length },
			limits: { images: { used: 7 } },
		});
	});

	test("a storage that is being deleted takes no create, without a word to wait [errors.code.workspace_unavailable]", async () => {
		const app = await addApp(service.database);
		await setStorageState(service.database, app.storageId, "deleting");
		const answer = await upload(service, file, "a.png", {}, { key: app.key });
		expect(answer.headers.has("Retry-After")).toBe(false);
		expect(await errorOf(answer)).toMatchObject({ status: 409, code: "workspace_unavailable", action: undefined });
	});
});
