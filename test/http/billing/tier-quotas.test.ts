import { describe, expect, test } from "bun:test";
import type { Image, Usage } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, addUserKey, connectUser, countOf, setPlan, type TestApp, type TestUser } from "../../support/apps.ts";
import { startOrigin } from "../../support/origin.ts";
import { noise, plain } from "../../support/pictures.ts";
import { type Caller, errorOf, importImage, send, upload, uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";
import { setBytes, setTier, setUploads } from "../../support/tiers.ts";

const GB = 1_000_000_000;

const service = serviceFor({ SVC_VARIANT: "legacy" });
const file = await plain(6, 6);

interface UserPlace {
	readonly app: TestApp;
	readonly user: TestUser;
	/** Reaches the user's storage. */
	readonly caller: Caller;
}

async function place(): Promise<UserPlace> {
	const app = await addApp(service.database, "Shop");
	const user = await connectUser(service.database, app);
	return { app, user, caller: { key: app.key, headers: { "X-Svc-User": user.id } } };
}

async function usageOf(caller: Caller): Promise<Usage> {
	return (await (await send(service, "GET", "/v1/usage", undefined, caller)).json()) as Usage;
}

const TIERS = [
	["free", 1_000, 10 * GB],
	["pro", 10_000, 100 * GB],
	["scale", 50_000, 500 * GB],
	["max", 200_000, 2_000 * GB],
] as const;

describe("tiers", () => {
	test.each(TIERS)(
		"%s takes %i uploads a month and %i bytes, and says so [usage.plan.legacy, legacy.tier.free, legacy.tier.pro, legacy.tier.scale, legacy.tier.max]",
		async (tier, uploads, bytes) => {
			const { user, caller } = await place();
			await setTier(service.database, user.storageId, tier);
			const { expires_at } = await uploaded(service, file, "a.png", {}, caller);
			expect(expires_at).toBeNull();
			const answer = await send(service, "GET", "/v1/usage", undefined, caller);
			expect(answer.headers.has("X-Limits-Enforced")).toBe(false);
			expect(await answer.json()).toMatchObject({
				plan: tier,
				monthly: { uploads: 1, uploads_limit: uploads, uploads_remaining: uploads - 1 },
				totals: { storage_limit_bytes: bytes, storage_remaining_bytes: bytes - file.length },
			});
			await setUploads(service.database, user.storageId, uploads - 1);
			await uploaded(service, file, "a.png", {}, caller);
			const refusal = await errorOf(await upload(service, file, "a.png", {}, caller));
			expect([refusal.status, refusal.code]).toEqual([403, "quota_exceeded"]);
			await setUploads(service.database, user.storageId, 0);
			await setBytes(service.database, user.storageId, bytes - file.length);
			await uploaded(service, file, "a.png", {}, caller);
			expect((await upload(service, file, "a.png", {}, caller)).status).toBe(403);
		},
	);

	test("the App's own storage has the tier of what the App pays for itself [usage.plan.legacy]", async () => {
		const { id, key } = await addApp(service.database);
		for (const [plan, tier] of [
			["free", "free"],
			["pro", "pro"],
			["unlimited", "max"],
		] as const) {
			await setPlan(service.database, id, plan);
			expect((await usageOf({ key })).plan).toBe(tier);
		}
	});
});

describe("a quota that is reached", () => {
	test("the month's uploads: 403 with the limit, the next tier and where it is bought; the next month takes more [errors.code.quota_exceeded-legacy, errors.legacy-upgrade-action, errors.type.quota_error]", async () => {
		const { app, user, caller } = await place();
		await setUploads(service.database, user.storageId, 1_000);
		const refusal = await errorOf(await upload(service, file, "a.png", {}, caller));
		expect(refusal).toMatchObject({
			status: 403,
			type: "quota_error",
			code: "quota_exceeded",
			action: { type: "upgrade", label: "Upgrade to Pro", url: `http://localhost:3000/billing?app=${app.id}` },
		});
		expect(refusal.message).toBe(
			"The Free plan takes 1,000 uploads a month, and this storage has reached them; wait for the next month or move to Pro, which takes 10,000.",
		);
		expect((await usageOf(caller)).totals.images_stored).toBe(0);
		// Of one storage only: the App's own has its own month.
		await uploaded(service, file, "a.png", {}, { key: app.key });
		await setUploads(service.database, user.storageId, 0);
		await setUploads(service.database, user.storageId, 1_000, Date.now() - 32 * 86_400_000);
		expect((await upload(service, file, "a.png", {}, caller)).status).toBe(201);
	});

	test("the storage: what fits is taken to the last byte, what does not is refused whole, and a delete makes room [errors.code.quota_exceeded-legacy, errors.legacy-upgrade-action]", async () => {
		const { user, caller } = await place();
		const large = await noise(200, 200);
		await setBytes(service.database, user.storageId, 10 * GB - file.length - 100);
		const refusal = await errorOf(await upload(service, large, "a.jpg", {}, caller));
		expect(refusal).toMatchObject({ status: 403, code: "quota_exceeded", action: { type: "upgrade" } });
		expect(refusal.message).toBe(
			"The Free plan holds 10 GB, and this image does not fit into what is left of them; delete images or move to Pro, which holds 100 GB.",
		);
		await setBytes(service.database, user.storageId, 10 * GB - file.length);
		const last = await uploaded(service, file, "a.png", {}, caller);
		const full = await usageOf(caller);
		expect(full.totals).toMatchObject({ storage_used_bytes: 10 * GB, storage_remaining_bytes: 0 });
		expect((await upload(service, file, "a.png", {}, caller)).status).toBe(403);
		await send(service, "DELETE", `/v1/images/${last.id}`, undefined, caller);
		expect((await upload(service, file, "a.png", {}, caller)).status).toBe(201);
	});

	test("Max has nothing above it; a user is told of their own tier, an App of its plan [errors.legacy-upgrade-action]", async () => {
		const { app, user } = await place();
		await setTier(service.database, user.storageId, "max");
		await setUploads(service.database, user.storageId, 200_000);
		const write = await addUserKey(service.database, app, user);
		const highest = await errorOf(await upload(service, file, "a.png", {}, { key: write }));
		expect(highest.message).toBe(
			"The Max plan takes 200,000 uploads a month, and this storage has reached them; wait for the next month.",
		);
		expect(highest.action).toBeUndefined();
		await setPlan(service.database, app.id, "pro");
		await setUploads(service.database, app.storageId, 10_000);
		const own = await errorOf(await upload(service, file, "a.png", {}, { key: app.key }));
		expect(own.message).toContain("Pro plan takes 10,000");
		expect(own.message).toContain("Scale, which takes 50,000");
		expect(own.action).toEqual({
			type: "upgrade",
			label: "Upgrade the App to Scale",
			url: `http://localhost:3000/account/apps/${app.id}/own-plan`,
		} as never);
	});

	test("20 creates at once at either edge: never one too many, and nothing is left behind by the refused [errors.code.quota_exceeded-legacy]", async () => {
		const stray = sql`SELECT count(*) FROM blobs WHERE NOT EXISTS (SELECT 1 FROM images WHERE images.blob_key = blobs.blob_key)`;
		const strays = await countOf(service.database, stray);
		for (const edge of ["uploads", "bytes"] as const) {
			const { user, caller } = await place();
			if (edge === "uploads") await setUploads(service.database, user.storageId, 1_000 - 5);
			else await setBytes(service.database, user.storageId, 10 * GB - 5 * file.length - 1);
			const before = await usageOf(caller);
			const answers = await Promise.all(Array.from({ length: 20 }, () => upload(service, file, "a.png", {}, caller)));
			expect(answers.map(({ status }) => status).filter((status) => status === 201)).toHaveLength(5);
			for (const answer of answers) {
				if (answer.status !== 201) expect((await errorOf(answer)).code).toBe("quota_exceeded");
			}
			const after = await usageOf(caller);
			expect(after.monthly.uploads - before.monthly.uploads).toBe(5);
			expect(after.totals.images_stored).toBe(5);
			expect(after.totals.storage_used_bytes - before.totals.storage_used_bytes).toBe(5 * file.length);
		}
		expect(await countOf(service.database, stray)).toBe(strays);
	});

	test("the refusal is no answer of an Idempotency-Key: with room the same request stores the image [idem.quota-not-stored, errors.code.quota_exceeded-legacy]", async () => {
		for (const edge of ["early", "commit"] as const) {
			const { user, caller } = await place();
			const keyed = { ...caller, headers: { ...caller.headers, "Idempotency-Key": "once" } };
			await setBytes(service.database, user.storageId, edge === "early" ? 10 * GB : 10 * GB - 1);
			expect((await upload(service, file, "a.png", {}, keyed)).status).toBe(403);
			expect((await upload(service, file, "a.png", {}, keyed)).status).toBe(403);
			await setTier(service.database, user.storageId, "pro");
			const stored = await upload(service, file, "a.png", {}, keyed);
			expect([stored.status, stored.headers.has("Idempotent-Replayed")]).toEqual([201, false]);
			const again = await upload(service, file, "a.png", {}, keyed);
			expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([201, "true"]);
			expect(((await again.json()) as Image).id).toBe(((await stored.json()) as Image).id);
		}
	});

	test("expired images make room at once, also for a file that is larger than what is left", async () => {
		const own = await openService({ SVC_VARIANT: "legacy" });
		const app = await addApp(own.database);
		await uploaded(own, file, "a.png", { ttl: "5m" }, { key: app.key });
		await setBytes(own.database, app.storageId, 10 * GB - 1);
		expect((await upload(own, file, "b.png", {}, { key: app.key })).status).toBe(403);
		own.clock.advance(300_001);
		expect((await upload(own, file, "b.png", {}, { key: app.key })).status).toBe(201);
		await own.close();
	});

	test("nor need an import wait for the sweep: it makes the same room once its size is known", async () => {
		const origin = await startOrigin((_, response) => response.end(file));
		const own = await openService({ SVC_VARIANT: "legacy", SVC_IMPORT_ALLOW: origin.host });
		const app = await addApp(own.database);
		const caller = { key: app.key };
		const url = origin.url("/a.png");
		await uploaded(own, file, "a.png", { ttl: "5m" }, caller);
		await setBytes(own.database, app.storageId, 10 * GB - 1);
		expect((await importImage(own, { url }, caller)).status).toBe(403);
		own.clock.advance(300_001);
		const keyed = { ...caller, headers: { "Idempotency-Key": "once" } };
		expect((await importImage(own, { url }, keyed)).status).toBe(201);
		await own.close();
		origin.stop();
	});

	test("the pool of those who come without a key has no tier's bound, but the deployment's [legacy.tier.free]", async () => {
		const pool = await service.rooms.apps.ownApp.find();
		if (!pool) throw new Error("there is no pool");
		const access = { app: pool.app, storage: pool.pool };
		expect(service.rooms.images.quotaOf(access)).toEqual({
			appImages: null,
			images: null,
			uploads: null,
			bytes: 10 * 1_024 ** 3,
			ofUser: false,
		});
	});
});
