import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Processor, ProcessorInvoice, ProcessorPrice, Snapshot } from "@svc/billing/ports";

type Payer = "pays" | "declines";

type Deliveries = readonly { readonly raw: string; readonly headers: Headers }[];

export interface OpenProcessor {
	readonly processor: Processor;
	/** What a payer does at the checkout of this reference. */
	complete(checkout: string, payer: Payer): Promise<void>;
	/** From now on the payments of a subscription go like this. */
	tell(subscription: string, payer: Payer): Promise<void>;
	/** Lets time pass, for the processor too. */
	advanceTo(ms: number): Promise<void>;
	now(): number;
	/** The deliveries that came since the last call, as they came. */
	deliveries(): Deliveries | Promise<Deliveries>;
	close(): Promise<void>;
}

const MONTHLY: ProcessorPrice = { amount: 500, currency: "usd", interval: "month", taxBehavior: null, title: "Silver" };
const DEARER: ProcessorPrice = { ...MONTHLY, amount: 1_500, title: "Gold" };
const YEARLY: ProcessorPrice = { ...MONTHLY, amount: 5_000, interval: "year" };
const DAY_MS = 86_400_000;

/** What every payment processor promises, whoever it is. */
export function processorContract(name: string, open: () => Promise<OpenProcessor>): void {
	describe(`${name} as a payment processor`, () => {
		let world: OpenProcessor;
		let processor: Processor;
		let serial = 0;

		beforeAll(async () => {
			world = await open();
			processor = world.processor;
		});
		afterAll(() => world.close());

		const priceOf = (price: ProcessorPrice) =>
			processor.ensurePrice(`prc_${price.amount}${price.interval}${price.taxBehavior ?? ""}`, price);

		async function checkout(price: ProcessorPrice = MONTHLY, trialDays = 0) {
			const id = `chk_${String(++serial).padStart(22, "0")}`;
			const intent = {
				id,
				customer: await processor.ensureCustomer(`con_${serial}`, { email: `a${serial}@example.com`, name: "A" }),
				price: await priceOf(price),
				trialDays,
				title: price.title,
				seller: "Shop",
				taxBehavior: price.taxBehavior,
				promotionCodes: false,
				successUrl: "https://web.example/back?checkout=1",
				cancelUrl: "https://web.example/back",
			};
			return { id, intent, ...(await processor.checkout(intent)) };
		}

		async function subscribe(price: ProcessorPrice = MONTHLY, trialDays = 0): Promise<Snapshot> {
			const { ref } = await checkout(price, trialDays);
			await world.complete(ref, "pays");
			return await processor.retrieve((await processor.findCompleted(ref)) ?? "");
		}

		const paid = (invoices: readonly ProcessorInvoice[]) => invoices.map(({ amountPaid }) => amountPaid);

		/** A change whose answer was lost is asked for again: the second asking changes nothing. */
		async function twice(act: () => Promise<Snapshot>): Promise<Snapshot> {
			const first = await act();
			expect(await act()).toEqual(first);
			return first;
		}

		test("one price, customer and checkout for one id, however often it is asked for", async () => {
			expect(await priceOf(MONTHLY)).toBe(await priceOf(MONTHLY));
			expect(await priceOf(MONTHLY)).not.toBe(await priceOf(DEARER));
			const customer = { email: "a@example.com", name: "A" };
			expect(await processor.ensureCustomer("app_1", customer)).toBe(await processor.ensureCustomer("app_1", customer));
			const { intent, ref, url } = await checkout();
			expect(await processor.checkout(intent)).toEqual({ ref, url });
			expect(URL.canParse(url)).toBeTrue();
		});

		test("a checkout that is closed cannot be paid; one that was paid stays", async () => {
			const { ref } = await checkout();
			for (let time = 0; time < 2; time++) expect(await processor.closeCheckout(ref)).toBeTrue();
			await world.complete(ref, "pays").catch(() => undefined);
			expect(await processor.findCompleted(ref)).toBeUndefined();
			const paid = await checkout();
			await world.complete(paid.ref, "pays");
			expect(await processor.closeCheckout(paid.ref)).toBeFalse();
			expect(await processor.findCompleted(paid.ref)).toBeString();
		});

		test("a checkout begins nothing until it is paid, and one subscription then", async () => {
			const { id, ref } = await checkout();
			expect(await processor.findCompleted(ref)).toBeUndefined();
			await world.complete(ref, "declines");
			expect(await processor.findCompleted(ref)).toBeUndefined();
			await world.complete(ref, "pays");
			const subscription = (await processor.findCompleted(ref)) ?? "";
			const snapshot = await processor.retrieve(subscription);
			expect(snapshot).toMatchObject({
				ref: subscription,
				checkout: id,
				price: await priceOf(MONTHLY),
				status: "active",
				trialEndMs: null,
				cancelAtPeriodEnd: false,
				cancelAtMs: null,
				pending: null,
				endedMs: null,
			});
			expect(snapshot.periodEndMs - snapshot.periodStartMs).toBeWithin(28 * DAY_MS, 31 * DAY_MS + 1);
			expect(snapshot.invoices).toMatchObject([
				{ status: "paid", amountDue: 500, amountPaid: 500, amountRefunded: 0, currency: "usd" },
			]);
		});

		test("a year lasts a year", async () => {
			const { periodStartMs, periodEndMs } = await subscribe(YEARLY);
			expect(periodEndMs - periodStartMs).toBeWithin(365 * DAY_MS, 366 * DAY_MS + 1);
		});

		test("a trial needs a card, costs nothing, and renews by itself", async () => {
			const { ref } = await checkout(MONTHLY, 7);
			await world.complete(ref, "declines");
			expect(await processor.findCompleted(ref)).toBeUndefined();
			const trial = await subscribe(MONTHLY, 7);
			expect(trial.status).toBe("trialing");
			expect((trial.trialEndMs ?? 0) - trial.startedMs).toBe(7 * DAY_MS);
			expect(paid(trial.invoices).reduce((sum, one) => sum + one, 0)).toBe(0);
			await world.advanceTo((trial.trialEndMs ?? 0) + 60_000);
			const after = await processor.retrieve(trial.ref);
			expect([after.status, paid(after.invoices).at(-1)]).toEqual(["active", 500]);
		});

		test("a switch in a trial keeps the trial's end", async () => {
			const trial = await subscribe(MONTHLY, 7);
			const switched = await twice(async () => processor.change(trial.ref, await priceOf(DEARER), "when_paid"));
			expect(switched).toMatchObject({
				status: "trialing",
				trialEndMs: trial.trialEndMs,
				price: await priceOf(DEARER),
			});
			expect(paid(switched.invoices).reduce((sum, one) => sum + one, 0)).toBe(0);
		});

		test("a renewal that fails is past_due with an open invoice; one that is paid later is active again", async () => {
			const { ref, periodEndMs } = await subscribe();
			await world.tell(ref, "declines");
			await world.advanceTo(periodEndMs + 60_000);
			const unpaid = await processor.retrieve(ref);
			expect([unpaid.status, unpaid.periodStartMs, unpaid.endedMs]).toEqual(["past_due", periodEndMs, null]);
			expect(unpaid.invoices.at(-1)).toMatchObject({ status: "open", amountDue: 500, amountPaid: 0 });
			await world.tell(ref, "pays");
			const again = await processor.retrieve(ref);
			expect([again.status, again.invoices.at(-1)?.status]).toEqual(["active", "paid"]);
		});

		test("a dearer price holds once it is paid, and is charged once", async () => {
			const { ref, periodEndMs } = await subscribe();
			const after = await twice(async () => processor.change(ref, await priceOf(DEARER), "when_paid"));
			expect([after.price, after.status, after.periodEndMs]).toEqual([await priceOf(DEARER), "active", periodEndMs]);
			expect(after.invoices).toHaveLength(2);
			expect(after.invoices[1]?.amountPaid).toBeWithin(900, 1_001);
		});

		test("until it is paid the old price holds", async () => {
			const { ref, price } = await subscribe();
			await world.tell(ref, "declines");
			const before = await twice(async () => processor.change(ref, await priceOf(DEARER), "when_paid"));
			expect([before.price, before.status]).toEqual([price, "active"]);
			await world.tell(ref, "pays");
			expect((await processor.retrieve(ref)).price).toBe(await priceOf(DEARER));
		});

		test("a cheaper price comes with the renewal", async () => {
			const { ref, price, periodEndMs } = await subscribe(DEARER);
			const pending = await twice(async () => processor.change(ref, await priceOf(MONTHLY), "renewal"));
			expect(pending).toMatchObject({ price, pending: { price: await priceOf(MONTHLY), atMs: periodEndMs } });
			await world.advanceTo(periodEndMs + 60_000);
			const after = await processor.retrieve(ref);
			expect([after.price, after.pending, paid(after.invoices)]).toEqual([await priceOf(MONTHLY), null, [1_500, 500]]);
		});

		/** Each invoice as it was paid: subtotal, tax, total. Lines and sums always add up. */
		function sumsOf({ invoices }: Snapshot) {
			return invoices.map(({ lines, subtotal, tax, total, amountPaid }) => {
				expect(lines.reduce((sum, { amount }) => sum + amount, 0)).toBe(subtotal);
				expect(subtotal + tax).toBe(total);
				expect(amountPaid).toBeLessThanOrEqual(Math.max(0, total));
				return [subtotal, tax, total];
			});
		}

		test("tax comes on top of a price, or is held by it; the next term is announced with it", async () => {
			const onTop = await subscribe({ ...MONTHLY, taxBehavior: "exclusive" });
			expect([sumsOf(onTop), onTop.nextTotal]).toEqual([[[500, 100, 600]], 600]);
			const within = await subscribe({ ...MONTHLY, taxBehavior: "inclusive" });
			expect([sumsOf(within), within.nextTotal]).toEqual([[[417, 83, 500]], null]);
			const untaxed = await subscribe();
			expect([sumsOf(untaxed), untaxed.nextTotal]).toEqual([[[500, 0, 500]], null]);
			await world.advanceTo(onTop.periodEndMs + 60_000);
			expect(sumsOf(await processor.retrieve(onTop.ref))).toEqual([
				[500, 100, 600],
				[500, 100, 600],
			]);
		});

		test.each(["exclusive", "inclusive"] as const)(
			"a change costs with tax (%s) what its preview said, and is paid back whole",
			async (taxBehavior) => {
				const { ref, periodStartMs } = await subscribe({ ...MONTHLY, taxBehavior });
				await world.advanceTo(periodStartMs + 7 * DAY_MS);
				const dearer = await priceOf({ ...DEARER, taxBehavior });
				const atMs = world.now();
				const preview = await processor.preview(ref, dearer, "when_paid", atMs);
				expect(preview.nextAmount).toBe(taxBehavior === "exclusive" ? 1_800 : 1_500);
				const changed = await processor.change(ref, dearer, "when_paid", atMs);
				sumsOf(changed);
				const [, made] = changed.invoices;
				expect([made?.amountPaid, made?.lines.length]).toEqual([preview.amountNow, preview.lines.length]);
				expect(made?.tax).toBeGreaterThan(100);
				const { invoices } = await processor.withdraw(ref);
				expect(invoices.map(({ amountRefunded }) => amountRefunded)).toEqual(
					invoices.map(({ amountPaid }) => amountPaid),
				);
			},
		);

		test("a cheaper price that waits for the renewal is announced with its tax", async () => {
			const { ref, nextTotal } = await subscribe({ ...DEARER, taxBehavior: "exclusive" });
			const waiting = await processor.change(ref, await priceOf({ ...MONTHLY, taxBehavior: "exclusive" }), "renewal");
			expect([nextTotal, waiting.nextTotal]).toEqual([1_800, 600]);
		});

		test("cancelled at the period's end it stays until then; resumed it renews", async () => {
			const { ref, periodEndMs } = await subscribe();
			const cancelled = await twice(() => processor.cancel(ref, "period_end"));
			expect(cancelled).toMatchObject({ status: "active", cancelAtPeriodEnd: true, cancelAtMs: periodEndMs });
			expect(await twice(() => processor.resume(ref))).toMatchObject({ cancelAtPeriodEnd: false, cancelAtMs: null });
			await processor.cancel(ref, "period_end");
			await world.advanceTo(periodEndMs + 60_000);
			expect(await processor.retrieve(ref)).toMatchObject({ status: "canceled", endedMs: periodEndMs });
		});

		test("cancelling takes a cheaper price to come back", async () => {
			const { ref } = await subscribe(DEARER);
			await processor.change(ref, await priceOf(MONTHLY), "renewal");
			expect(await processor.cancel(ref, "period_end")).toMatchObject({ pending: null, cancelAtPeriodEnd: true });
		});

		test("cancelled now it ends now: what is open is void, what is paid stays paid", async () => {
			const { ref, periodEndMs } = await subscribe();
			await world.tell(ref, "declines");
			await world.advanceTo(periodEndMs + 60_000);
			const ended = await twice(() => processor.cancel(ref, "now"));
			expect(ended.status).toBe("canceled");
			expect(ended.endedMs).not.toBeNull();
			expect(ended.invoices.map(({ status, amountRefunded }) => [status, amountRefunded])).toEqual([
				["paid", 0],
				["void", 0],
			]);
			expect((await processor.resume(ref)).status).toBe("canceled");
		});

		test("withdrawn it ends now, and everything that was paid is paid back once", async () => {
			const { ref } = await subscribe();
			await processor.change(ref, await priceOf(DEARER), "when_paid");
			const withdrawn = await twice(() => processor.withdraw(ref));
			expect(withdrawn.status).toBe("canceled");
			expect(withdrawn.invoices).toHaveLength(2);
			for (const { status, amountPaid, amountRefunded } of withdrawn.invoices) {
				expect([status, amountRefunded]).toEqual(["paid", amountPaid]);
			}
		});

		test("a withdrawal voids what is open", async () => {
			const { ref } = await subscribe();
			await world.tell(ref, "declines");
			await processor.change(ref, await priceOf(DEARER), "when_paid");
			const { invoices } = await processor.withdraw(ref);
			expect(invoices.map(({ status }) => status)).toEqual(["paid", "void"]);
		});

		test("20 withdrawals, changes and cancellations at once leave one end, and nothing paid back twice", async () => {
			const { ref } = await subscribe();
			const dearer = await priceOf(DEARER);
			await Promise.all(
				Array.from({ length: 20 }, (_, n) => {
					if (n % 3 === 0) return processor.withdraw(ref);
					return n % 3 === 1 ? processor.change(ref, dearer, "when_paid") : processor.cancel(ref, "period_end");
				}),
			);
			const { status, invoices } = await processor.withdraw(ref);
			expect(status).toBe("canceled");
			for (const one of invoices) expect(one.amountRefunded).toBe(one.amountPaid);
		});

		test("every change is delivered, signed, and read as what it is about", async () => {
			await world.deliveries();
			const { ref } = await subscribe();
			await processor.cancel(ref, "now");
			const delivered = await world.deliveries();
			const events = await Promise.all(delivered.map(({ raw, headers }) => processor.parseEvent(raw, headers)));
			expect(events.filter((event) => event?.subscription === ref).length).toBeGreaterThanOrEqual(2);
			expect(new Set(events.map((event) => event?.id)).size).toBe(events.length);
			const [first] = delivered;
			if (!first) throw new Error("nothing was delivered");
			for (const [raw, headers] of [
				[`${first.raw} `, first.headers],
				[first.raw, new Headers()],
			] as const) {
				await expect(processor.parseEvent(raw, headers)).rejects.toMatchObject({ code: "unauthorized" });
			}
		});

		test("a payer can leave another card", async () => {
			const { ref } = await subscribe();
			expect(URL.canParse(await processor.paymentMethodUrl(ref, "https://web.example/back"))).toBeTrue();
		});

		test("what it does not know is an error", async () => {
			await expect(processor.retrieve("unknown")).rejects.toThrow();
			await expect(processor.withdraw("unknown")).rejects.toThrow();
		});
	});
}
