import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AppBilling, AppCheckout, PaymentMethodPage } from "@svc/sdk/shapes";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";
import { type FakeStripe, fakeStripe } from "../support/stripe.ts";
import { held } from "../support/stripe-state.ts";

/* An App's own plan from the command line, with Stripe as the payment processor. */

let stripe: FakeStripe;
let service: StartedService;
let owner: Program;

beforeAll(async () => {
	stripe = await fakeStripe();
	service = await startService(stripe.env);
	stripe.useClock(service.clock);
	owner = await openProgram(service);
});

afterAll(async () => {
	await owner.close();
	await service.stop();
	await stripe.close();
});

const billing = <T>(...argv: string[]) => owner.json<T>("billing", ...argv);

async function deliver(): Promise<void> {
	for (const event of stripe.takeEvents()) {
		const { raw, signature } = await stripe.sign(event);
		const headers = { "Stripe-Signature": signature };
		const taken = await fetch(`${service.baseUrl}/v1/processor/events`, { method: "POST", body: raw, headers });
		expect(taken.status).toBe(200);
	}
}

test("the plan is paid, and the payment method changed, at Stripe's addresses; both lead back [cli.billing.stripe]", async () => {
	const unpaid = await owner.svc("billing", "payment-method");
	expect([unpaid.exit, unpaid.err]).toEqual([6, expect.stringContaining("pays for no plan")]);

	const { url } = await billing<AppCheckout>("checkout", "pro");
	const session = String(url).split("/").at(-1) ?? "";
	expect(stripe.complete(session)).toBe(true);
	const { success_url } = held(stripe.state.sessions.get(session), "a session");
	expect(await (await fetch(success_url)).text()).toContain("Thank you");
	expect(await billing<AppBilling>("status")).toMatchObject({ plan: "pro", status: "active" });

	const portal = await billing<PaymentMethodPage>("payment-method");
	expect(portal).toEqual({ object: "payment_method", url: expect.stringContaining("https://billing.stripe.com/") });
	const { path, form } = held(stripe.seen.at(-1), "a call");
	expect(path).toBe("/v1/billing_portal/sessions");
	const back = await fetch(form.get("return_url") ?? "");
	expect([back.status, await back.text()]).toEqual([200, expect.stringContaining("Payment method")]);

	// A dearer plan that the card does not pay is paid there, with another one.
	const [subscription = ""] = stripe.state.subscriptions.keys();
	stripe.setCard(subscription, "declines");
	const dearer = await billing<AppCheckout>("checkout", "unlimited", "--yes");
	expect(dearer).toMatchObject({ effective: "after_payment", url: expect.stringContaining("billing.stripe.com") });
	expect(await billing<AppBilling>("status")).toMatchObject({ plan: "pro", status: "active" });
	stripe.leaveCard(subscription, "pays");
	await deliver();
	expect(await billing<AppBilling>("status")).toMatchObject({ plan: "unlimited", status: "active" });
});
