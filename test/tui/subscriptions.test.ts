import { afterAll, beforeAll, expect, test } from "bun:test";
import { createManagement } from "@svc/sdk/management";
import type { ManagedSubscription } from "@svc/sdk/shapes";
import { Browser } from "../support/browser.ts";
import { addCustomer, openShop, type Shop, subscribe } from "../support/subscribers.ts";
import { type Moderated, startModerated } from "./moderated.ts";

/* Those who pay an App, and what operators do for them, in the dashboard. */

const SAVE = "\u0013";
const TAB = "\t";

let world: Moderated;
let shop: Shop;

beforeAll(async () => {
	world = await startModerated([]);
	shop = await openShop(world.service);
});

afterAll(() => world[Symbol.asyncDispose]());

async function subscribed(): Promise<ManagedSubscription> {
	const customer = await addCustomer(world.service, shop);
	const browser = new Browser(world.service, world.service.baseUrl);
	for (const [name, cookie] of customer.browser.cookies) browser.cookies.set(name, cookie);
	await subscribe({ ...customer, browser }, shop.silver);
	return await newest();
}

async function newest(): Promise<ManagedSubscription> {
	const { operator } = createManagement({ baseUrl: world.service.baseUrl, apiKey: world.service.token });
	const [one] = (await operator.subscriptions.list({ app: shop.app.id, limit: 1 })).data;
	if (one === undefined) throw new Error("Nobody has subscribed.");
	return one;
}

const open = () => ({ args: ["--screen", "subscriptions", "--app", shop.app.id] });

test("those who pay stand below what came in by month [C] [tui.subscriptions.money]", async () => {
	await subscribed();
	await using program = world.start({ ...open(), columns: 140 });
	const shown = await program.until(/Σ all +\$5\.00 in \d{4}-\d\d/);
	expect(shown.join("\n")).toMatch(/○ active +\S+ +silver +\$5\.00 a month/);
	expect(shown.join("\n")).toContain("By month, in USD; at most $5.00");
	program.type("j");
	await program.until(/Invoices: 1[\s\S]*\$5\.00 paid/);
});

test("operators give more time, pay back and end a subscription; the payer's reason is asked for [C] [tui.subscriptions.forms]", async () => {
	const { current_period_end: before } = await subscribed();
	await using program = world.start(open());
	await program.until(/○ active +\S+ +silver/);
	program.type("j");
	await program.until(/▸ +○ active/);
	program.type(`t${SAVE}`);
	await program.until("the payer reads it");
	program.type(`sorry${SAVE}`);
	await program.until("has more time now");
	const extended = await newest();
	expect(Date.parse(extended.current_period_end ?? "")).toBe(Date.parse(before ?? "") + 7 * 86_400_000);

	program.type(`m${TAB}1.50${TAB}sorry${SAVE}`);
	await program.until("paid back; its payer has a mail");
	expect((await newest()).invoices.map(({ amount_refunded }) => amount_refunded)).toContain(150);

	program.type(`x${TAB}over${SAVE}`);
	await program.until("cancelled; its payer has a mail");
	await program.until("▣ cancelled");
	expect(await newest()).toMatchObject({ cancel_at_period_end: true });
});
