import type { Clock, Log } from "@svc/base/ports";
import {
	type ListedSubscription,
	type Processor,
	type ProcessorEvent,
	type Simulated,
	type SimulatedOutcome,
	type Simulation,
	type Snapshot,
	UnknownSubscription,
} from "../ports.ts";
import { change, preview } from "./changes.ts";
import { simulatedCheckouts } from "./checkouts.ts";
import { newSimEvent, SIGNATURE_HEADER, sign, verify } from "./events.ts";
import type { SimObject, SimStore } from "./sim-objects-store.ts";
import { snapshotOf } from "./snapshots.ts";
import { readStored, type SimPrice, type SimSubscription } from "./state.ts";
import { cancel, extend, hold, nextMs, refund, resume, settle, tell, unhold, withdraw } from "./subscription.ts";

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
	const tellOutcome: Simulation["tell"] = (...outcome) => tellSubscription(deps, ...outcome);
	const checkouts = simulatedCheckouts({
		...{ store, clock, web: deps.web, tell: tellOutcome },
		findPrice: (ref) => findPrice(deps, ref),
		deliverDue: () => deliverDue(deps),
	});

	return {
		name: "simulated",
		takesPayments: true,
		mode: null,
		findAccount: async () => null,
		async ensurePrice(id, price) {
			const ref = `simp_${id}`;
			await store.save([{ kind: "price", id: ref, revision: 0, dueMs: null, value: { ...price, ref } }]);
			return ref;
		},
		ensureCustomer: async (id) => `simu_${id}`,
		checkout: checkouts.open,
		closeCheckout: checkouts.close,
		findCompleted: checkouts.findCompleted,
		// Whoever asks knows by the answer: a delivery would wait for them, and they for it.
		retrieve: (ref) => answer(deps, ref, (sub) => sub, { deliver: "later" }),
		listLive: () => listLive(deps),
		listPaidBack: () => listPaidBack(deps),
		async preview(ref, priceRef, when, atMs) {
			const [object, price] = await Promise.all([findSubscription(deps, ref), findPrice(deps, priceRef)]);
			const sub = settle(readStored(object.value), clock.now());
			if (sub.outcome === "silent") throw silent();
			return preview(sub, price, when, atMs);
		},
		async change(ref, priceRef, when, atMs) {
			const price = await findPrice(deps, priceRef);
			return await answer(deps, ref, (sub, now) => change(sub, price, when, now, atMs));
		},
		// What came due since then was not collected either.
		pauseCollection: (ref, atMs) =>
			answer(deps, ref, (sub, now) => settle(hold(sub, Math.min(atMs, now)), now), { untilMs: atMs }),
		resumeCollection: (ref) => answer(deps, ref, unhold),
		extend: (ref, untilMs) => answer(deps, ref, (sub) => extend(sub, untilMs)),
		refund: (ref, intent) => answer(deps, ref, (sub) => refund(sub, intent)),
		cancel: (ref, when) => answer(deps, ref, (sub, now) => cancel(sub, when, now)),
		resume: (ref) => answer(deps, ref, resume),
		withdraw: (ref) => answer(deps, ref, withdraw),
		paymentMethodUrl: checkouts.openPaymentMethod,
		parseEvent: (raw, headers) => verify(key, raw, headers.get(SIGNATURE_HEADER), clock.now()),
		simulation: {
			findPage: checkouts.findPage,
			submit: checkouts.submit,
			tell: tellOutcome,
			catchUp: () => catchUp(deps),
		},
	};
}

interface Altering {
	/** Only renewals that were due by then come first. */
	readonly untilMs?: number;
	readonly deliver?: "at_once" | "later";
	readonly audited?: Parameters<SimStore["save"]>[1];
}

/** Changes a subscription without interference from others, and sends the event. Renewals that are due by `untilMs` come first. */
async function alter(
	deps: SimulatedDeps,
	ref: string,
	step: (sub: SimSubscription, nowMs: number) => SimSubscription,
	{ untilMs = Number.POSITIVE_INFINITY, deliver = "at_once", audited }: Altering = {},
): Promise<SimSubscription> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const object = await findSubscription(deps, ref);
		const before = readStored(object.value);
		const now = deps.clock.now();
		const after = step(settle(before, Math.min(now, untilMs)), now);
		if (!audited && JSON.stringify(after) === JSON.stringify(object.value)) return before;
		const changed = { ...object, dueMs: nextMs(after), value: after };
		const saved = await deps.store.save([changed, newSimEvent("subscription.updated", ref, now)], audited);
		if (!saved) continue;
		if (deliver === "at_once") await deliverDue(deps);
		return after;
	}
	throw new Error(`The simulated subscription moved ${ATTEMPTS} times while it was to be changed.`);
}

async function findSubscription(deps: SimulatedDeps, ref: string): Promise<SimObject> {
	const object = await deps.store.find("subscription", ref);
	if (!object) throw new UnknownSubscription(ref);
	return object;
}

/** The same for calls from outside, which a silent processor does not answer. */
async function answer(
	deps: SimulatedDeps,
	ref: string,
	step: Parameters<typeof alter>[2],
	altering?: Altering,
): Promise<Snapshot> {
	const { outcome } = (await findSubscription(deps, ref)).value as SimSubscription;
	if (outcome === "silent") throw silent();
	return snapshotOf(await alter(deps, ref, step, altering));
}

function silent(): Error {
	return new Error("The simulated processor was told to be silent.");
}

async function* listLive(deps: SimulatedDeps): AsyncGenerator<ListedSubscription> {
	for await (const sub of subscriptionsOf(deps)) {
		if (sub.endedMs === null && sub.outcome !== "silent") yield snapshotOf(sub);
	}
}

async function* listPaidBack(deps: SimulatedDeps): AsyncGenerator<string> {
	for await (const { ref, invoices, dispute } of subscriptionsOf(deps)) {
		if (dispute || invoices.some(({ amountRefunded }) => amountRefunded > 0)) yield ref;
	}
}

async function* subscriptionsOf({ store, clock }: SimulatedDeps): AsyncGenerator<SimSubscription> {
	for (let afterId = ""; ; ) {
		const page = await store.list("subscription", afterId, DUE_AT_ONCE);
		for (const { value } of page) yield settle(readStored(value), clock.now());
		const last = page.at(-1);
		if (!last) return;
		afterId = last.id;
	}
}

async function findPrice(deps: SimulatedDeps, ref: string): Promise<SimPrice> {
	const object = await deps.store.find("price", ref);
	if (!object) throw new Error("The simulated processor knows no such price.");
	return object.value as SimPrice;
}

/** Sends each delivery until it is taken; the receiver reads for itself what has happened since. */
async function deliverDue(deps: SimulatedDeps): Promise<void> {
	for (const object of await deps.store.listDue("event", deps.clock.now(), DUE_AT_ONCE)) {
		const taken = await deliverOne(deps, object.value as ProcessorEvent);
		await deps.store.save([{ ...object, dueMs: taken ? null : deps.clock.now() + RETRY_MS }]);
	}
}

async function deliverOne(deps: SimulatedDeps, event: ProcessorEvent): Promise<boolean> {
	const raw = JSON.stringify(event);
	try {
		const status = await deps.deliver(raw, { [SIGNATURE_HEADER]: await sign(deps.key, raw, deps.clock.now()) });
		return status >= 200 && status < 300;
	} catch (cause) {
		deps.log.warn("a delivery of the simulated processor was not taken", { event: event.id, cause });
		return false;
	}
}

async function catchUp(deps: SimulatedDeps): Promise<void> {
	for (const { id } of await deps.store.listDue("subscription", deps.clock.now(), DUE_AT_ONCE))
		await alter(deps, id, (sub) => sub);
	await deliverDue(deps);
}

async function tellSubscription(
	deps: SimulatedDeps,
	ref: string,
	outcome: SimulatedOutcome,
	audited?: Simulated,
): Promise<boolean> {
	if (!(await deps.store.find("subscription", ref))) return false;
	const entry = audited && { ...audited, outcome };
	await alter(deps, ref, (sub, now) => tell(sub, outcome, now), { audited: entry });
	return true;
}
