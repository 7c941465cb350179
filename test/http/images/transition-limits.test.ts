import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, connectUser, countOf, setPlan } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { addConnectApp, connectLink, exchanged, returned, SIGN_IN_UNLIMITED, signInTo } from "../../support/connect.ts";
import { plain } from "../../support/pictures.ts";
import { send, upload } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { addCustomer, openCard, openShop } from "../../support/subscribers.ts";
import { setBytes, setUploads } from "../../support/tiers.ts";

const service = serviceFor({ SVC_VARIANT: "transition", ...SIGN_IN_UNLIMITED });
const file = await plain(6, 6);

test("far beyond every limit creates are stored, and each answer says that nothing is enforced [errors.type.quota_error-reserved, versioning.t.limits-off, limits.header.limits-enforced-t, usage.plan.transition, usage.limits_enforced]", async () => {
	for (const plan of ["free", "pro", "unlimited"]) {
		const app = await addApp(service.database);
		const user = await connectUser(service.database, app);
		await setPlan(service.database, app.id, plan, 0);
		for (const [storageId, caller] of [
			[app.storageId, { key: app.key }],
			[user.storageId, { key: app.key, headers: { "X-Svc-User": user.id } }],
		] as const) {
			await setUploads(service.database, storageId, Number.MAX_SAFE_INTEGER - 10);
			await setBytes(service.database, storageId, 4_000_000_000_000_000);
			for (let more = 0; more < 3; more++) {
				const created = await upload(service, file, "a.png", {}, caller);
				expect([created.status, created.headers.get("X-Limits-Enforced")]).toEqual([201, "false"]);
			}
			const keyed = { ...caller, headers: { ...("headers" in caller && caller.headers), "Idempotency-Key": "k" } };
			expect((await upload(service, file, "a.png", {}, keyed)).status).toBe(201);
			const usage = await send(service, "GET", "/v1/usage", undefined, caller);
			expect(usage.headers.get("X-Limits-Enforced")).toBe("false");
			expect(await usage.json()).toMatchObject({ plan: "free", limits_enforced: false, totals: { images_stored: 4 } });
		}
	}
});

test("an App beyond its users limit takes new users, and counts them [versioning.t.limits-off]", async () => {
	const app = await addConnectApp(service.database);
	await service.database.write([{ run: sql`UPDATE apps SET users_limit = 1 WHERE id = ${app.id}` }]);
	for (let n = 1; n <= 3; n++) {
		const browser = new Browser(service);
		const back = returned(await signInTo(service, browser, connectLink(app), `person${n}@example.com`));
		expect((await exchanged(service, app, back.code ?? "")).user.email).toBe(`person${n}@example.com`);
		// Coming back is no second user.
		await signInTo(service, new Browser(service), connectLink(app), `person${n}@example.com`);
		const users = sql`SELECT users FROM app_usage WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})`;
		expect(await countOf(service.database, users)).toBe(n);
	}
});

test("the card sells what the App sells; free, or any other plan of the service, is nothing to be bought [billing.old.free-not-checkout]", async () => {
	const shop = await openShop(service);
	const customer = await addCustomer(service, shop);
	for (const plan of ["free", "pro"]) {
		const shown = await openCard(customer, { plan, interval: "monthly" });
		expect([shown.status, shown.location, shown.html.includes("Silver")]).toEqual([200, "", true]);
		expect(shown.forms.every(({ fields }) => fields.price_id?.startsWith("prc_"))).toBe(true);
		expect((await customer.browser.submit(shown, "/billing/checkout", { price_id: plan })).status).toBe(409);
	}
	expect(await countOf(service.database, sql`SELECT count(*) FROM checkouts`)).toBe(0);
});
