import type { Base } from "@svc/base/base";
import type { Processor } from "../ports.ts";
import { accessOf, type SubscriptionAccess } from "../subscription.ts";
import type { BillingHealthStore } from "./billing-health-store.ts";
import type { DeliveryLog } from "./delivery-log.ts";
import type { DueRounds } from "./rounds.ts";

/*
 * Whether payments reach us. Pictures do not depend on it, and a wrong secret of the webhook shows nowhere else. Deliveries that were refused
 * are counted in the process that refused them.
 */

interface BillingHealth {
	readonly processor: string;
	readonly state: "ok" | "failing";
	readonly lastDeliveryMs: number | null;
	readonly deliveriesWaiting: number;
	readonly refusedSignatures: number;
	readonly withdrawalsWaiting: number;
	readonly disputesOpen: number;
	/** In how many things the last comparison of this process found the processor to differ. */
	readonly drifts: number;
}

export interface BillingHealthReader {
	read(): Promise<BillingHealth>;
	/** The same state, without what counting every subscription costs. */
	readState(): Promise<BillingHealth["state"]>;
}

interface HealthParts {
	readonly processor: Processor;
	readonly deliveries: DeliveryLog;
	readonly rounds: DueRounds;
	readonly graceMs: number;
}

type AccessCounts = Record<SubscriptionAccess["status"], number>;

const WAITS_MS = 10 * 60_000;
/** Counting how all subscriptions stand reads every one that has not ended. */
const COUNTED_EVERY_MS = 60_000;

/** Also gives the meters what was read last: whoever serves them reads first. */
export function openBillingHealth(
	{ clock, meters }: Base,
	store: BillingHealthStore,
	{ processor, deliveries, rounds, graceMs }: HealthParts,
): BillingHealthReader {
	let waiting = 0;
	let deliveryMs: number | null = null;
	let access: AccessCounts = { inactive: 0, trialing: 0, active: 0, grace: 0, unconfirmed: 0 };
	meters.gauge("svc_billing_waiting", () => waiting);
	meters.gauge("svc_billing_last_delivery_seconds", () =>
		deliveryMs === null ? 0 : Math.max(0, (clock.now() - deliveryMs) / 1_000),
	);
	for (const state of Object.keys(access) as (keyof AccessCounts)[]) {
		meters.gauge("svc_billing_subscriptions", () => access[state], { access: state });
	}

	async function readWaiting() {
		const now = clock.now();
		const [events, withdrawals] = await Promise.all([
			store.readEvents(processor.name),
			store.readWithdrawals(processor.name),
		]);
		waiting = events.waiting + withdrawals.waiting;
		deliveryMs = events.lastMs;
		const { refused, signed } = deliveries.lastHour(now);
		const oldestMs = Math.min(events.oldestMs ?? now, withdrawals.oldestMs ?? now);
		const failing = (refused > 0 && !signed) || now - oldestMs > WAITS_MS;
		return { events, withdrawals, refused, state: failing ? ("failing" as const) : ("ok" as const) };
	}

	async function countStates(): Promise<void> {
		const now = clock.now();
		if (!rounds.due("states", COUNTED_EVERY_MS, now)) return;
		const counts: AccessCounts = { inactive: 0, trialing: 0, active: 0, grace: 0, unconfirmed: 0 };
		for (const { count, ...mirror } of await store.listStates(processor.name)) {
			counts[accessOf(mirror, now, graceMs).status] += count;
		}
		access = counts;
	}

	return {
		async read() {
			const { events, withdrawals, refused, state } = await readWaiting();
			await countStates();
			return {
				processor: processor.name,
				state,
				lastDeliveryMs: events.lastMs,
				deliveriesWaiting: events.waiting,
				refusedSignatures: refused,
				withdrawalsWaiting: withdrawals.waiting,
				disputesOpen: await store.countDisputes(processor.name),
				drifts: rounds.drifts,
			};
		},
		readState: async () => (await readWaiting()).state,
	};
}
