import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@svc/server/config/config";
import { forgetProcessor } from "@svc/server/wire/commands/forget-processor";
import { sql } from "drizzle-orm";
import { countOf } from "../../support/apps.ts";
import { dataDirectory } from "../../support/data-directory.ts";
import { removeData } from "../../support/process.ts";
import { type OpenService, openService, TestClock, TestLog } from "../../support/service.ts";
import { type FakeStripe, fakeStripe } from "../../support/stripe.ts";
import { sessionOf } from "../../support/stripe-service.ts";
import { addCustomer, openCard, openShop, subscribe } from "../../support/subscribers.ts";

/* A data directory whose subscriptions are those of another payment processor than the one that is configured. */

let dataDir: string;
let stripe: FakeStripe;
beforeAll(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "svc-processor-"));
	stripe = await fakeStripe();
});
afterAll(async () => {
	await stripe.close();
	await removeData(dataDir);
});

const start = (env: Readonly<Record<string, string>> = {}): Promise<OpenService> =>
	openService({ SVC_DATA_DIR: dataDir, ...env });
const forget = (isMeant: boolean) =>
	forgetProcessor(readConfig({ SVC_DATA_DIR: dataDir }), { clock: new TestClock(), log: new TestLog() }, isMeant);

async function restarted(env: Readonly<Record<string, string>>): Promise<void> {
	await (await start(env)).close();
}

async function subscribed(service: OpenService): Promise<void> {
	const customer = await addCustomer(service, await openShop(service));
	await subscribe(customer, customer.shop.silver);
}

test("nothing is refused before something is bought, whichever processor was there first", async () => {
	await restarted({});
	await restarted(stripe.env);
	await restarted({});
});

test("the start fails where the subscriptions are another processor's: it names both, and what to do", async () => {
	const service = await start();
	await subscribed(service);
	await service.close();
	const refused = restarted(stripe.env);
	expect(refused).rejects.toThrow(
		/payment processor simulated, and the service is configured for stripe \(account acct_first, test mode\).*svc server forget-processor/,
	);
	await refused.catch(() => undefined);
	await restarted({});
});

test("looking forgets nothing; meant, the other's subscriptions end on our side, and the next processor starts", async () => {
	expect(await forget(false)).toMatchObject({ forgotten: false, processor: { name: "simulated" }, subscriptions: 1 });
	expect(restarted(stripe.env)).rejects.toThrow("forget-processor");
	expect(await forget(true)).toMatchObject({ forgotten: true, processor: { name: "simulated" }, subscriptions: 1 });
	expect(await forget(true)).toMatchObject({ forgotten: false, processor: null });
	const service = await start(stripe.env);
	const ended = sql`SELECT count(*) FROM subscriptions WHERE ended_ms IS NOT NULL AND status = 'canceled'`;
	expect(await countOf(service.database, ended)).toBe(1);
	const audited = sql`SELECT count(*) FROM audit WHERE event IN ('operator.processor_forgotten', 'subscription.lost')`;
	expect(await countOf(service.database, audited)).toBe(2);
	await service.close();
});

test("another account, and the other mode, of one processor are others too; an account that is not told decides nothing", async () => {
	const service = await start(stripe.env);
	const value = JSON.stringify({ name: "stripe", account: "acct_first", mode: "test" });
	await service.database.write([{ run: sql`INSERT INTO meta (key, value) VALUES ('processor', ${value})` }]);
	await service.close();
	await restarted(stripe.env);
	stripe.state.account = "acct_second";
	await expect(restarted(stripe.env)).rejects.toThrow(/account acct_first, test mode.*account acct_second, test mode/);
	stripe.fail({ kind: "refuse", status: 500 }, 1_000, /account/);
	await restarted(stripe.env);
	stripe.heal();
	stripe.fail({ kind: "refuse", status: 403, error: { type: "invalid_request_error" } }, 1_000, /account/);
	await restarted(stripe.env);
	const live = {
		...stripe.env,
		SVC_MODE: "live",
		SVC_STRIPE_SECRET_KEY: "sk_live_0123456789",
		SVC_SMTP_URL: "smtp://127.0.0.1:1",
		SVC_MAIL_FROM: "Svc <svc@example.com>",
	};
	await expect(restarted(live)).rejects.toThrow(/test mode.*live mode/);
});

test("an account that the processor did not tell at the start is kept from the next start on", async () => {
	await using data = await dataDirectory();
	stripe.fail({ kind: "refuse", status: 500 }, 100, /account/);
	const silent = await data.serve(stripe.env);
	const customer = await addCustomer(silent, await openShop(silent));
	const session = sessionOf(await openCard(customer, { price_id: customer.shop.silver.id }));
	expect(stripe.complete(session)).toBeTrue();
	await customer.browser.open(stripe.state.sessions.get(session)?.success_url ?? "");
	const kept = async ({ database }: OpenService) =>
		(await database.rows("SELECT value FROM meta WHERE key = 'processor'", [])).map(([value]) =>
			JSON.parse(String(value)),
		);
	expect(await kept(silent)).toEqual([{ name: "stripe", account: null, mode: "test" }]);
	stripe.heal();
	expect(await kept(await data.serve(stripe.env))).toEqual([
		{ name: "stripe", account: expect.stringMatching(/^acct_/), mode: "test" },
	]);
});
