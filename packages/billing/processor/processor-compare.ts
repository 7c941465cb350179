import { attempt } from "../patience.ts";
import { takeOverAll } from "../payers/checkouts.ts";
import type { Bought } from "../plans/plan.ts";
import type { ListedSubscription, Snapshot } from "../ports.ts";
import type { Billing } from "../room.ts";
import type { Subscription } from "../subscription.ts";
import { readSubscription, retrieve } from "../subscriptions/subscription-readings.ts";
import { followDispute } from "./disputes.ts";

/*
 * Rule D (decision 0053): what the processor has is compared with what we have, since a delivery that never came is told of by nothing else.
 * Every minute checkouts that are open here are asked for, every hour what is live, and what was paid back.
 */

/** Something in which the processor and we differ. */
interface BillingDrift {
	readonly kind: "unknown" | "changed" | "refund" | "dispute" | "missing";
	/** Public id; null for one of which we know nothing but its checkout. */
	readonly subscription: string | null;
	readonly checkout: string | null;
	/** In words; null where there is nothing. */
	readonly ours: string | null;
	readonly processor: string | null;
}

export interface Comparison {
	/** How many subscriptions and checkouts were looked at. */
	readonly checked: number;
	readonly drifts: readonly BillingDrift[];
	readonly repaired: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How far back an hourly comparison looks for refunds: a process may have been off for a day. */
const HOURLY_LOOKS_BACK_MS = 2 * DAY_MS;
/** Longer than banks take to ask a payment back. */
const LOOKS_BACK_MS = 120 * DAY_MS;
const PAGE = 500;
const DRIFTS_MAX = 1_000;

/** What the clock has due: a processor that does not answer is asked again at the next round. */
export async function compareWhenDue(room: Billing): Promise<void> {
	const nowMs = room.clock.now();
	if (room.rounds.due("checkouts", MINUTE_MS, nowMs)) await takeOverAll(room);
	if (!room.rounds.due("comparison", HOUR_MS, nowMs)) return;
	await attempt(room, async () => {
		const { drifts } = await compareWithProcessor(room, { repair: true, sinceMs: nowMs - HOURLY_LOOKS_BACK_MS });
		if (drifts.length > 0) room.log.warn("the payment processor had what we did not know", { drifts });
	});
}

/**
 * Compares everything that may have changed; with `repair` what differs is read anew.
 * @throws Failure server_error, or Error, when the processor does not answer
 */
export async function compareWithProcessor(
	room: Billing,
	{ repair, sinceMs = room.clock.now() - LOOKS_BACK_MS }: { readonly repair: boolean; readonly sinceMs?: number },
): Promise<Comparison> {
	const comparing = new Comparing(room, repair);
	await comparing.live();
	await comparing.paidBack(sinceMs);
	await comparing.disputed();
	const { checked, drifts, repaired } = comparing;
	room.rounds.drifts = drifts.length;
	return { checked, drifts: drifts.slice(0, DRIFTS_MAX), repaired };
}

class Comparing {
	readonly #room: Billing;
	readonly #repair: boolean;
	/** The processor's ids of what was looked at closely already. */
	readonly #seen = new Set<string>();
	/** Our names of the processor's prices. */
	readonly #prices = new Map<string, string | undefined>();
	readonly drifts: BillingDrift[] = [];
	checked = 0;
	repaired = 0;

	constructor(room: Billing, repair: boolean) {
		this.#room = room;
		this.#repair = repair;
	}

	/** Lists of both sides, and a close look at what differs in them. */
	async live(): Promise<void> {
		const ours = await this.#listOurs();
		for await (const listed of this.#room.processor.listLive()) {
			this.checked++;
			const known = ours.get(listed.ref);
			ours.delete(listed.ref);
			if (!known) await this.#look(() => this.#unknown(listed));
			else if (await this.#differs(known, listed)) await this.#look(() => this.#known(known));
		}
		// What the processor does not list has ended there, or is not there at all.
		for (const one of ours.values()) {
			this.checked++;
			await this.#look(() => this.#known(one));
		}
	}

	async paidBack(sinceMs: number): Promise<void> {
		const { processor, subscriptions } = this.#room;
		for await (const ref of processor.listPaidBack(sinceMs)) {
			if (this.#seen.has(ref)) continue;
			this.checked++;
			const known = await subscriptions.findByRef(processor.name, ref);
			if (known) await this.#look(() => this.#known(known));
		}
	}

	/** A dispute may be decided months after it was opened. */
	async disputed(): Promise<void> {
		const { processor, subscriptions } = this.#room;
		for (let after = 0; ; ) {
			const page = await subscriptions.listDisputed(processor.name, after, PAGE);
			for (const one of page.filter(({ ref }) => !this.#seen.has(ref))) {
				this.checked++;
				await this.#look(() => this.#known(one));
			}
			const last = page.at(-1);
			if (!last) return;
			after = last.pk;
		}
	}

	async #listOurs(): Promise<Map<string, Subscription>> {
		const { processor, subscriptions } = this.#room;
		const ours = new Map<string, Subscription>();
		for (let after = 0; ; ) {
			const page = await subscriptions.listLive(processor.name, after, PAGE);
			for (const one of page) ours.set(one.ref, one);
			const last = page.at(-1);
			if (!last) return ours;
			after = last.pk;
		}
	}

	/** One subscription about which the processor does not answer does not keep the others from being looked at. */
	async #look(work: () => Promise<void>): Promise<void> {
		await attempt(this.#room, work);
	}

	async #unknown({ ref, checkout, status, price }: ListedSubscription): Promise<void> {
		const { processor, subscriptions } = this.#room;
		// It may have become known while the list was read.
		if (this.#seen.has(ref) || (await subscriptions.findByRef(processor.name, ref))) return;
		this.#seen.add(ref);
		if (!(await this.#room.checkouts.find(checkout))) return;
		const name = (await this.#nameOf(price)) ?? price;
		const drift = {
			kind: "unknown",
			subscription: null,
			checkout,
			ours: null,
			processor: `${status} ${name}`,
		} as const;
		await this.#found(drift, ref);
	}

	async #known({ ref, id }: Subscription): Promise<void> {
		const { processor, subscriptions } = this.#room;
		this.#seen.add(ref);
		const snapshot = await retrieve(this.#room, ref);
		// Read after the processor was asked: a delivery may have told us of it meanwhile.
		const ours = await subscriptions.findByRef(processor.name, ref);
		if (!ours) return;
		const drift = { subscription: id, checkout: null, ours: wordsOf(ours, nameOf(ours.bought)) };
		if (!snapshot) {
			if (ours.endedMs === null) await this.#found({ ...drift, kind: "missing", processor: null }, ref, ours);
			return;
		}
		const name = (await this.#nameOf(snapshot.price)) ?? snapshot.price;
		const refunded = sum(snapshot) !== ours.amountRefunded;
		const changed = wordsOf(snapshot, name) !== drift.ours;
		const processorHas = wordsOf(snapshot, name);
		if (changed) await this.#found({ ...drift, kind: "changed", processor: processorHas }, ref);
		else if (snapshot.dispute?.state !== ours.dispute?.state) {
			const dispute = { ours: stateOf(ours), processor: stateOf(snapshot) };
			await this.#found({ ...drift, kind: "dispute", ...dispute }, ref);
		} else if (refunded) {
			const refund = { ours: `${ours.amountRefunded} paid back`, processor: `${sum(snapshot)} paid back` };
			await this.#found({ ...drift, kind: "refund", ...refund }, ref);
		}
	}

	async #found(drift: BillingDrift, ref: string, lost?: Subscription): Promise<void> {
		this.drifts.push(drift);
		if (!this.#repair) return;
		const by = { actor: "billing", requestId: null, nowMs: this.#room.clock.now() };
		if (lost) await this.#room.subscriptions.endLost(lost, by);
		else {
			const found = await readSubscription(this.#room, ref);
			if (found.is === "ours") await followDispute(this.#room, found.subscription);
		}
		this.repaired++;
	}

	async #differs(ours: Subscription, listed: ListedSubscription): Promise<boolean> {
		const { status, periodEndMs, cancelAtPeriodEnd } = ours;
		if (status !== listed.status || periodEndMs !== listed.periodEndMs) return true;
		return cancelAtPeriodEnd !== listed.cancelAtPeriodEnd || nameOf(ours.bought) !== (await this.#nameOf(listed.price));
	}

	async #nameOf(price: string): Promise<string | undefined> {
		if (!this.#prices.has(price)) {
			const bought = await this.#room.refs.findPrice(this.#room.processor.name, price);
			this.#prices.set(price, bought && nameOf(bought));
		}
		return this.#prices.get(price);
	}
}

function nameOf(bought: Bought): string {
	return bought.subject === "user" ? bought.priceId : bought.appPlan;
}

function wordsOf(
	{ status, periodEndMs, cancelAtPeriodEnd }: Pick<Snapshot, "status" | "periodEndMs" | "cancelAtPeriodEnd">,
	name: string,
): string {
	const end = new Date(periodEndMs).toISOString();
	return `${status} ${name}, ${cancelAtPeriodEnd ? "ends" : "until"} ${end}`;
}

function stateOf({ dispute }: { readonly dispute: { readonly state: string } | null }): string {
	return `dispute ${dispute?.state ?? "none"}`;
}

function sum({ invoices }: Snapshot): number {
	return invoices.reduce((total, { amountRefunded }) => total + amountRefunded, 0);
}
