import type { Clock, Log } from "@svc/base/ports";
import type { Processor, ProcessorEvent, SimulatedOutcome, Simulation } from "../ports.ts";
import { type CheckoutDeps, simulatedCheckouts } from "./checkouts.ts";
import { newSimEvent, SIGNATURE_HEADER, sign, verify } from "./events.ts";
import type { SimObject, SimStore } from "./sim-objects-store.ts";
import {
	cancel,
	change,
	nextMs,
	resume,
	type SimPrice,
	type SimSubscription,
	settle,
	snapshotOf,
	tell,
	withdraw,
} from "./subscription.ts";

/* A payment processor without money: subscriptions, invoices and refunds in our own store, renewed by the service's own clock. */

export interface SimulatedDeps {
	readonly store: SimStore;
	readonly clock: Clock;
	readonly log: Log;
	/** The key that signs deliveries. */
	readonly key: CryptoKey;
	/** Origin of the hosted pages. */
	readonly web: string;
	/** Takes a delivery, as an address on the internet would; returns the HTTP status. */
	deliver(raw: string, headers: Readonly<Record<string, string>>): Promise<number>;
}

/** How often a change starts again because its object changed meanwhile. */
const ATTEMPTS = 50;
const DUE_AT_ONCE = 100;
const RETRY_MS = 60_000;

export interface SimulatedProcessor extends Processor {
	readonly simulation: Simulation;
}

export function simulatedProcessor(deps: SimulatedDeps): SimulatedProcessor {
	const { store, clock, key } = deps;

	/** Changes a subscription without interference from others, and sends the event. Renewals that are due come first. */
	async function alter(
		ref: string,
		step: (sub: SimSubscription, nowMs: number) => SimSubscription,
	): Promise<SimSubscription> {
		for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
			const object = await findSubscription(ref);
			const before = object.value as SimSubscription;
			const now = clock.now();
			const after = step(settle(before, now), now);
			if (JSON.stringify(after) === JSON.stringify(before)) return before;
			const saved = await store.save([
				{ ...object, dueMs: nextMs(after), value: after },
				newSimEvent("subscription.updated", ref, now),
			]);
			if (!saved) continue;
			await deliverDue();
			return after;
		}
		throw new Error(`The simulated subscription moved ${ATTEMPTS} times while it was to be changed.`);
	}

	async function findSubscription(ref: string): Promise<SimObject> {
		const object = await store.find("subscription", ref);
		if (!object) throw new Error("The simulated processor knows no such subscription.");
		return object;
	}

	/** The same for calls from outside, which a silent processor does not answer. */
	async function answer(ref: string, step: Parameters<typeof alter>[1]) {
		const { outcome } = (await findSubscription(ref)).value as SimSubscription;
		if (outcome === "silent") throw new Error("The simulated processor was told to be silent.");
		return snapshotOf(await alter(ref, step));
	}

	async function findPrice(ref: string): Promise<SimPrice> {
		const object = await store.find("price", ref);
		if (!object) throw new Error("The simulated processor knows no such price.");
		return object.value as SimPrice;
	}

	/** Sends each delivery until it is taken; the receiver reads for itself what has happened since. */
	async function deliverDue(): Promise<void> {
		for (const object of await store.listDue("event", clock.now(), DUE_AT_ONCE)) {
			const taken = await deliverOne(object.value as ProcessorEvent);
			await store.save([{ ...object, dueMs: taken ? null : clock.now() + RETRY_MS }]);
		}
	}

	async function deliverOne(event: ProcessorEvent): Promise<boolean> {
		const raw = JSON.stringify(event);
		try {
			const status = await deps.deliver(raw, { [SIGNATURE_HEADER]: await sign(key, raw, clock.now()) });
			return status >= 200 && status < 300;
		} catch (cause) {
			deps.log.warn("a delivery of the simulated processor was not taken", { event: event.id, cause });
			return false;
		}
	}

	async function catchUp(): Promise<void> {
		for (const { id } of await store.listDue("subscription", clock.now(), DUE_AT_ONCE)) await alter(id, (sub) => sub);
		await deliverDue();
	}

	async function tellSubscription(ref: string, outcome: SimulatedOutcome): Promise<boolean> {
		if (!(await store.find("subscription", ref))) return false;
		await alter(ref, (sub, now) => tell(sub, outcome, now));
		return true;
	}

	const checkoutDeps: CheckoutDeps = { store, clock, web: deps.web, findPrice, deliverDue, tell: tellSubscription };
	const checkouts = simulatedCheckouts(checkoutDeps);

	return {
		name: "simulated",
		takesPayments: true,
		async ensurePrice(id, price) {
			const ref = `simp_${id}`;
			await store.save([{ kind: "price", id: ref, revision: 0, dueMs: null, value: { ...price, ref } }]);
			return ref;
		},
		ensureCustomer: async (id) => `simu_${id}`,
		checkout: checkouts.open,
		findCompleted: checkouts.findCompleted,
		retrieve: (ref) => answer(ref, (sub) => sub),
		async change(ref, priceRef, when) {
			const price = await findPrice(priceRef);
			return await answer(ref, (sub, now) => change(sub, price, when, now));
		},
		cancel: (ref, when) => answer(ref, (sub, now) => cancel(sub, when, now)),
		resume: (ref) => answer(ref, resume),
		withdraw: (ref) => answer(ref, withdraw),
		paymentMethodUrl: checkouts.openPaymentMethod,
		parseEvent: (raw, headers) => verify(key, raw, headers.get(SIGNATURE_HEADER), clock.now()),
		simulation: {
			findPage: checkouts.findPage,
			submit: checkouts.submit,
			tell: tellSubscription,
			catchUp,
		},
	};
}
