import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate, readMigrations } from "@svc/base/database/migrations/migrate";
import { openDatabase } from "@svc/base/database/open";
import { signingKey } from "@svc/billing/simulated/events";
import { simulatedProcessor } from "@svc/billing/simulated/processor";
import { simStore } from "@svc/billing/simulated/sim-objects-store";
import { stripeProcessor } from "@svc/billing/stripe/processor";
import { TestClock, TestLog } from "../support/service.ts";
import { fakeStripe } from "../support/stripe.ts";
import { processorContract } from "./processor.ts";

processorContract("simulated", async () => {
	const dir = await mkdtemp(join(tmpdir(), "svc-processor-"));
	const clock = new TestClock();
	const database = await openDatabase({ url: `file:${join(dir, "svc.db")}` });
	await migrate(database, await readMigrations(), clock);
	let delivered: { raw: string; headers: Headers }[] = [];
	const processor = simulatedProcessor({
		store: simStore(database),
		clock,
		log: new TestLog(),
		key: await signingKey(crypto.getRandomValues(new Uint8Array(32))),
		web: "https://web.example",
		async deliver(raw, headers) {
			delivered.push({ raw, headers: new Headers(headers) });
			return 200;
		},
	});
	const { simulation } = processor;
	return {
		processor,
		async complete(checkout, payer) {
			await simulation.submit(checkout, { card: payer });
		},
		async tell(subscription, payer) {
			await simulation.tell(subscription, payer === "pays" ? "pay" : "decline");
		},
		async advanceTo(ms) {
			clock.set(ms);
			await simulation.catchUp();
		},
		now: () => clock.now(),
		deliveries() {
			const since = delivered;
			delivered = [];
			return since;
		},
		async close() {
			await database.close();
			await rm(dir, { recursive: true });
		},
	};
});

processorContract("stripe", async () => {
	const clock = new TestClock();
	// Not at the turn of an hour, where keys change.
	clock.set(Date.UTC(2026, 10, 22, 12, 20));
	const stripe = await fakeStripe();
	stripe.useClock(clock);
	const processor = stripeProcessor({ ...stripe.address, clock, log: new TestLog() });
	let delivered: { raw: string; headers: Headers }[] = [];

	/** As the service does with what is delivered to it. */
	async function deliver(): Promise<void> {
		for (const event of stripe.takeEvents()) {
			const { raw, signature } = await stripe.sign(event);
			const headers = new Headers({ "Stripe-Signature": signature });
			delivered.push({ raw, headers });
			const parsed = await processor.parseEvent(raw, headers);
			if (parsed) await processor.settle?.(parsed);
		}
	}

	return {
		processor,
		async complete(checkout, payer) {
			stripe.complete(checkout, payer);
			await deliver();
		},
		async tell(subscription, payer) {
			if (payer === "pays") stripe.leaveCard(subscription, payer);
			else stripe.setCard(subscription, payer);
			await deliver();
		},
		async advanceTo(ms) {
			clock.set(ms);
			stripe.advance();
			await deliver();
		},
		now: () => clock.now(),
		async deliveries() {
			await deliver();
			const since = delivered;
			delivered = [];
			return since;
		},
		close: () => stripe.close(),
	};
});
