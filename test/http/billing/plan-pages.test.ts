import { describe, expect, test } from "bun:test";
import { setAppState } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { errorOf, send } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { addCustomer, type Customer, openShop, subscribe, subscriptionOf } from "../../support/subscribers.ts";

/* The pages on which people see what they pay for, stop it, and take it back. */

const service = serviceFor();
const shop = madeBefore(() => openShop(service));

async function subscriber(): Promise<{ customer: Customer; path: string }> {
	const customer = await addCustomer(service, shop);
	await subscribe(customer, shop.silver);
	return { customer, path: `/account/plans/${(await subscriptionOf(service, customer)).id}` };
}

describe("one's own plans", () => {
	test("are listed with their price and next charge, and each leads to its receipts", async () => {
		const { customer, path } = await subscriber();
		const list = await customer.browser.open("/account/plans");
		expect(list.html).toContain("$5.00");
		expect(list.html).toContain("Next charge");
		expect([...list.links.values()]).toContain(path);
		const plan = await customer.browser.open(path);
		expect(plan.html).toContain("Receipts");
		const [invoice = ""] = [...plan.links.values()].filter((link) => link.startsWith("/account/invoices/"));
		const receipt = await customer.browser.open(invoice);
		expect([receipt.status, receipt.title]).toEqual([200, expect.stringMatching(/^Invoice \w+-\d{6} · Svc$/)]);
		for (const text of ["Shop", "Silver", "Subtotal", "Tax", "Paid on"]) expect(receipt.html).toContain(text);
	});

	test("stand on the account's page while they are paid for", async () => {
		const { customer, path } = await subscriber();
		const shown = async () => [...(await customer.browser.open("/account")).links.values()];
		expect(await shown()).toContain(path);
		await customer.browser.submit(await customer.browser.open(`${path}/withdraw`), `${path}/withdraw`);
		expect(await shown()).not.toContain(path);
		expect(await shown()).toContain("/account/plans");
	});

	test("a cancellation is asked about first, with the day until which access lasts", async () => {
		const { customer, path } = await subscriber();
		const asked = await customer.browser.open(`${path}/cancel`);
		expect(asked.html).toContain("You keep it until");
		expect((await customer.browser.open(path)).html).not.toContain("Cancelled:");
		const cancelled = await customer.browser.submit(asked, `${path}/cancel`);
		expect(cancelled.location).toBe(path);
		const shown = await customer.browser.follow(cancelled);
		expect(shown.html).toContain("Cancelled: you keep it until");
		expect((await customer.browser.follow(await customer.browser.submit(shown, `${path}/resume`))).html).toContain(
			"Next charge",
		);
	});

	test("a withdrawal says what comes back, and the receipt shows it, also while the App is blocked", async () => {
		const own = await openShop(service);
		const customer = await addCustomer(service, own);
		await subscribe(customer, own.silver);
		const path = `/account/plans/${(await subscriptionOf(service, customer)).id}`;
		await setAppState(service.database, own.app.id, "blocked");
		const asked = await customer.browser.open(`${path}/withdraw`);
		expect(asked.html).toContain("Withdraw and get $5.00 back");
		const shown = await customer.browser.follow(await customer.browser.submit(asked, `${path}/withdraw`));
		expect(shown.html).toContain("$5.00 paid back");
		const [invoice = ""] = [...shown.links.values()].filter((link) => link.startsWith("/account/invoices/"));
		expect((await customer.browser.open(invoice)).html).toContain("Paid back on");
	});

	test("are nobody else's, and the signed out are asked to sign in", async () => {
		const [{ customer, path }, other] = [await subscriber(), await subscriber()];
		const plan = await customer.browser.open(path);
		const [invoice = ""] = [...plan.links.values()].filter((link) => link.startsWith("/account/invoices/"));
		for (const address of [path, `${path}/cancel`, invoice]) {
			expect((await other.customer.browser.open(address)).status).toBe(404);
		}
		const stranger = await new Browser(service).open(invoice);
		expect(stranger.forms.map(({ action }) => action)).toContain(`/account/sign-in?to=${encodeURIComponent(invoice)}`);
		expect(stranger.html).not.toContain("Silver");
	});

	test("speak the language of the person", async () => {
		const { customer } = await subscriber();
		const german = await customer.browser.open("/account/plans", { headers: { "Accept-Language": "de" } });
		expect(german.html).toContain("Nächste Abbuchung");
		expect(german.html).toContain("5,00\u00a0$");
	});
});

test("a plan cannot be bought, and is no 500, without the way that is not there", async () => {
	const { customer } = await subscriber();
	expect((await customer.browser.open("/account/plans/sub_none")).status).toBe(404);
	expect((await errorOf(await send(service, "GET", "/v1/me/plans"))).code).toBe("forbidden");
});
