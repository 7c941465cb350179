import { randomBase62 } from "@svc/base/ids";
import type { Clock } from "@svc/base/ports";
import type { CheckoutIntent, SimulatedCard, SimulatedOutcome, SimulatedPage } from "../ports.ts";
import { newSimEvent } from "./events.ts";
import type { SimObject, SimStore } from "./sim-objects-store.ts";
import type { SimPrice } from "./state.ts";
import { begin, nextMs } from "./subscription.ts";
import { termOf } from "./tax.ts";

/* The pages of the simulated processor: one to subscribe, one to leave another card. The hosted pages decide how they look. */

export interface CheckoutDeps {
	readonly store: SimStore;
	readonly clock: Clock;
	readonly web: string;
	findPrice(ref: string): Promise<SimPrice>;
	deliverDue(): Promise<void>;
	tell(subscription: string, outcome: SimulatedOutcome): Promise<boolean>;
}

interface SimCheckout extends Omit<SimulatedPage, "term"> {
	readonly price: SimPrice | null;
	readonly customer: string;
}

type CheckoutStep = { readonly card: SimulatedCard } | { readonly confirmed: boolean };
interface Stepped<Page = SimCheckout> {
	readonly page: Page;
	readonly declined: boolean;
}

const ATTEMPTS = 20;

export function simulatedCheckouts(deps: CheckoutDeps) {
	const { store, web } = deps;

	async function add(page: SimCheckout): Promise<string> {
		// A second call with one intent finds it there already, which is as good.
		await store.save([{ kind: "checkout", id: page.ref, revision: 0, dueMs: null, value: page }]);
		return `${web}/checkout/${page.ref}`;
	}

	async function find(ref: string): Promise<SimCheckout | undefined> {
		return (await store.find("checkout", ref))?.value as SimCheckout | undefined;
	}

	async function attempt(object: SimObject, step: CheckoutStep): Promise<Stepped | undefined> {
		const page = object.value as SimCheckout;
		// The second of two clicks finds it done.
		if (page.state === "done" || page.state === "closed") return { page, declined: false };
		const state = after(page.state, step);
		if (state === "done") {
			const done = await finish(deps, object, page);
			return done && { page: done, declined: false };
		}
		const declined = "confirmed" in step || step.card === "declines";
		const moved: SimCheckout = { ...page, state };
		return (await store.save([{ ...object, value: moved }])) ? { page: moved, declined } : undefined;
	}

	return {
		async open(intent: CheckoutIntent): Promise<{ ref: string; url: string }> {
			const ref = `simc_${intent.id.slice(intent.id.indexOf("_") + 1)}`;
			const { id: checkout, price: priceRef, ...facts } = intent;
			const price = await deps.findPrice(priceRef);
			const page = { ...facts, ref, checkout, price, subscription: null };
			return { ref, url: await add({ ...page, purpose: "subscribe", state: "open" }) };
		},
		async openPaymentMethod(subscription: string, returnUrl: string): Promise<string> {
			const nothing = { price: null, trialDays: 0, customer: "", checkout: "" };
			const page = { ...nothing, successUrl: returnUrl, cancelUrl: returnUrl };
			const ref = `simc_${randomBase62(22)}`;
			const facts = { title: "Payment method", seller: "", purpose: "payment_method", state: "open" } as const;
			return await add({ ...page, ...facts, ref, subscription });
		},
		async findCompleted(ref: string): Promise<string | undefined> {
			const page = await find(ref);
			return page?.state === "done" ? (page.subscription ?? undefined) : undefined;
		},
		async close(ref: string): Promise<boolean> {
			for (let tries = 0; tries < ATTEMPTS; tries++) {
				const object = await store.find("checkout", ref);
				if (!object) return true;
				const page = object.value as SimCheckout;
				if (page.state === "done" || page.state === "closed") return page.state === "closed";
				const closed: SimCheckout = { ...page, state: "closed" };
				if (await store.save([{ ...object, value: closed }])) return true;
			}
			throw new Error(`The simulated checkout moved ${ATTEMPTS} times while it was to be closed.`);
		},
		async findPage(ref: string): Promise<SimulatedPage | undefined> {
			const page = await find(ref);
			return page && shown(page);
		},
		async submit(ref: string, step: CheckoutStep): Promise<Stepped<SimulatedPage> | undefined> {
			for (let tries = 0; tries < ATTEMPTS; tries++) {
				const object = await store.find("checkout", ref);
				if (!object) return undefined;
				const stepped = await attempt(object, step);
				if (stepped) return { ...stepped, page: shown(stepped.page) };
			}
			throw new Error(`The simulated checkout moved ${ATTEMPTS} times during one step.`);
		},
	};
}

/** Undefined when another request was faster. */
async function finish(
	{ store, clock, tell, deliverDue }: CheckoutDeps,
	object: SimObject,
	page: SimCheckout,
): Promise<SimCheckout | undefined> {
	const { price } = page;
	if (!price) {
		const done: SimCheckout = { ...page, state: "done" };
		if (!(await store.save([{ ...object, value: done }]))) return undefined;
		await tell(page.subscription ?? "", "pay");
		return done;
	}
	const now = clock.now();
	const ref = `sims_${randomBase62(22)}`;
	const { customer, checkout, trialDays } = page;
	const sub = begin({ ref, customer, checkout, price, trialDays, outcome: "pay" }, now);
	const done: SimCheckout = { ...page, state: "done", subscription: ref };
	const saved = await store.save([
		{ ...object, value: done },
		{ kind: "subscription", id: ref, revision: 0, dueMs: nextMs(sub), value: sub },
		newSimEvent("checkout.completed", ref, now),
	]);
	if (!saved) return undefined;
	await deliverDue();
	return done;
}

function shown(page: SimCheckout): SimulatedPage {
	return { ...page, term: page.price && termOf(page.price) };
}

/** Confirming at the bank is a separate step, and comes only after a card that asks for it. */
function after(state: SimulatedPage["state"], step: CheckoutStep): SimulatedPage["state"] {
	if ("confirmed" in step) return state === "confirming" && step.confirmed ? "done" : "open";
	if (step.card === "pays") return "done";
	return step.card === "needs_bank" ? "confirming" : "open";
}
