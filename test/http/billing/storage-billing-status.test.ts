import { beforeAll, describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import {
	addApp,
	addKey,
	addUserKey,
	connectUser,
	setPlan,
	setStorageState,
	type TestApp,
	type TestUser,
} from "../../support/apps.ts";
import { placeholdersMade } from "../../support/background.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, send, uploaded } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";
import { contentsOf, setTier, setUploads } from "../../support/tiers.ts";

/* The older billing status: of a storage, in two of the interfaces. */

interface StorageStatus {
	readonly object: string;
	readonly plan: string;
	readonly limits_enforced?: boolean;
	readonly billing_url: string;
	readonly usage: object;
	readonly available_plans: readonly { readonly id: string }[];
}

const FREE = plan("free", "Free", 0, 1_000, 10);
const AVAILABLE = [
	FREE,
	plan("pro", "Pro", 29, 10_000, 100),
	plan("scale", "Scale", 99, 50_000, 500),
	plan("max", "Max", 199, 200_000, 2_000),
];

function plan(id: string, name: string, price: number, uploads: number, gigabytes: number) {
	return {
		object: "plan",
		id,
		name,
		prices: {
			monthly: { amount_cents: price * 100, currency: "usd" },
			annual: { amount_cents: price * 1_200, currency: "usd" },
		},
		limits: { monthly_uploads: uploads, storage_bytes: gigabytes * 1_000_000_000 },
	};
}

describe.each(["transition", "legacy"] as const)("%s", (variant) => {
	const service = serviceFor({ SVC_VARIANT: variant });
	let app: TestApp;
	let user: TestUser;
	beforeAll(async () => {
		app = await addApp(service.database, "Shop");
		user = await connectUser(service.database, app);
		const file = await plain(6, 6);
		await uploaded(service, file, "a.png", {}, { key: app.key });
		await uploaded(service, file, "a.png", {}, asUser());
		await uploaded(service, file, "a.png", {}, asUser());
	});

	const asUser = (): Caller => ({ key: app.key, headers: { "X-Svc-User": user.id } });
	const read = (caller: Caller) => send(service, "GET", "/v1/billing/status", undefined, caller);
	const usageOf = (caller: Caller) => made<object>(send(service, "GET", "/v1/usage", undefined, caller));

	test("tells the plan, the usage and all plans, and nothing else [billing.old.object, billing.old.limits_enforced, billing.old.billing_url, billing.old.usage, billing.old.available_plans.fields, billing.old.available_plans.prices, billing.old.available_plans.limits, billing.old.available_plans.free-listed]", async () => {
		for (const caller of [asUser(), { key: app.key }]) {
			expect(await made<StorageStatus>(read(caller))).toEqual({
				object: "billing_status",
				plan: "free",
				...(variant === "transition" && { limits_enforced: false }),
				billing_url: `http://localhost:3000/billing?app=${app.id}`,
				usage: await usageOf(caller),
				available_plans: AVAILABLE,
			} as never);
		}
	});

	test("the plan is the storage's tier, where there are any [billing.old.plan-legacy, billing.old.plan-transition]", async () => {
		const own = await addApp(service.database);
		const reader = await connectUser(service.database, own);
		for (const tier of ["free", "pro", "scale", "max"]) {
			await setTier(service.database, reader.storageId, tier);
			const caller = { key: own.key, headers: { "X-Svc-User": reader.id } };
			const status = await made<StorageStatus>(read(caller));
			expect(status.plan).toBe(variant === "legacy" ? tier : "free");
			expect(status.usage).toMatchObject({ object: "usage", plan: status.plan });
		}
		await setPlan(service.database, own.id, "unlimited");
		const status = await made<StorageStatus>(read({ key: own.key }));
		expect(status.plan).toBe(variant === "legacy" ? "max" : "free");
	});

	test("any secret of the App with read, of the storage that image requests with it reach [billing.old.auth, billing.old.bucket]", async () => {
		const bucket = { key: await addKey(service.database, app, { reach: "bucket", permissions: ["read"] }) };
		const users = { key: await addUserKey(service.database, app, user) };
		for (const [caller, images] of [
			[asUser(), 2],
			[{ key: app.key }, 1],
			[bucket, 1],
			[users, 2],
		] as const) {
			const { usage } = await made<StorageStatus>(read(caller));
			expect(usage).toMatchObject({ totals: { images_stored: images } });
			expect(usage).toEqual(await usageOf(caller));
		}
	});

	test("401 for nobody, 403 without read and for a user who is not connected, 422 for no user at all [billing.old.auth, billing.old.user-forbidden]", async () => {
		const refused = async (caller: Caller) => {
			const { status, code } = await errorOf(await read(caller));
			return [status, code];
		};
		expect(await errorOf(await service.api("/v1/billing/status", { headers: {} }))).toMatchObject({
			status: 401,
			code: "unauthorized",
		});
		expect(await refused({ key: "x" })).toEqual([401, "unauthorized"]);
		const writing = await addKey(service.database, app, { permissions: ["write"] });
		expect(await refused({ key: writing })).toEqual([403, "forbidden"]);
		const stranger = await connectUser(service.database, await addApp(service.database));
		const left = await connectUser(service.database, app);
		await service.database.write([
			{ run: sql`UPDATE connections SET state = 'disconnecting' WHERE user_id = ${left.id}` },
		]);
		for (const id of [stranger.id, left.id, "usr_0000000000000000000000"]) {
			expect(await refused({ key: app.key, headers: { "X-Svc-User": id } })).toEqual([403, "user_forbidden"]);
		}
		await setStorageState(service.database, left.storageId, "deleting");
		for (const id of ["", " ", "x y"]) {
			expect(await refused({ key: app.key, headers: { "X-Svc-User": id } })).toEqual([422, "validation_error"]);
		}
	});

	test("however often it is read, in whatever state, no table gains, loses or changes a row [billing.old.no-writes]", async () => {
		await setUploads(service.database, user.storageId, 5_000);
		await placeholdersMade(service);
		const before = await contentsOf(service.database);
		expect(Object.keys(before)).toEqual(
			expect.arrayContaining(["subscriptions", "checkouts", "invoices", "processor_refs", "sim_objects", "audit"]),
		);
		for (let n = 0; n < 20; n++) {
			for (const caller of [asUser(), { key: app.key }]) await made(read(caller));
		}
		expect(await contentsOf(service.database)).toEqual(before);
	});

	test("what Apps sell is not listed [versioning.460-plans]", async () => {
		expect((await send(service, "GET", "/v1/billing/plans", undefined, { key: app.key })).status).toBe(404);
	});
});
