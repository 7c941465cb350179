import type { Apps } from "@svc/apps/room";
import type { Actor } from "@svc/base/actor";
import type { Base } from "@svc/base/base";
import type { Keyring } from "@svc/base/crypto/keyring";
import { hmac, type Mac } from "@svc/base/crypto/macs";
import type { Database } from "@svc/base/database/client";
import { keptKey } from "@svc/base/database/secrets/deployment-secret-store";
import type { Connect } from "@svc/connect/room";
import { limitNoticeStore } from "./mails/limit-notices-store.ts";
import { grantStore } from "./operators/grants-store.ts";
import { operatorDeedStore } from "./operators/operator-deeds-store.ts";
import { checkoutStore } from "./payers/checkouts-store.ts";
import { ownPlanStore } from "./payers/own-plans-store.ts";
import { payerStore, type SellerKind } from "./payers/payers-store.ts";
import { refStore } from "./payers/processor-refs-store.ts";
import type { AppPlans } from "./plans/app-plans.ts";
import type { OwnGoods } from "./plans/bought.ts";
import { planStore } from "./plans/plans-store.ts";
import type { Processor, ProcessorIdentity } from "./ports.ts";
import { openBillingHealth } from "./processor/billing-health.ts";
import { billingHealthStore } from "./processor/billing-health-store.ts";
import { deliveryStore } from "./processor/deliveries-store.ts";
import { deliveryLog } from "./processor/delivery-log.ts";
import { rounds } from "./processor/rounds.ts";
import { sharedRuns } from "./processor/shared-runs.ts";
import type { MovableClock } from "./simulated/movable-clock-store.ts";
import type { ReadingOutcome } from "./subscription.ts";
import { publishedStatusStore } from "./subscriptions/published-statuses-store.ts";
import { subscriptionStore } from "./subscriptions/subscriptions-store.ts";
import { unsoldStore } from "./subscriptions/unsold-store.ts";

export type Billing = Awaited<ReturnType<typeof openBilling>>;

interface BillingParts {
	readonly apps: Apps;
	readonly connect: Connect;
	readonly processor: Processor;
	/** Whose subscriptions those of the database are. */
	readonly identity: ProcessorIdentity;
	/** Undefined where payments are real. */
	readonly movableClock: MovableClock | undefined;
	/** How long a subscription goes on while its payment fails. */
	readonly graceMs: number;
	/** What of its own the service does not sell at present. */
	readonly unsold: readonly OwnGoods[];
	/** The own plans of Apps. */
	readonly appPlans: AppPlans;
	/** Who sells on the hosted card. */
	readonly seller: SellerKind;
}

/** Digests of who may have one trial only. */
export async function trialMac(database: Database, keyring: Keyring): Promise<Mac> {
	return await hmac(await keptKey(database, keyring, "trials"));
}

export async function openBilling(base: Base, database: Database, { seller, unsold, ...parts }: BillingParts) {
	const about = { processor: parts.processor, deliveries: deliveryLog(), rounds: rounds() };
	const health = openBillingHealth(base, billingHealthStore(database), { ...about, graceMs: parts.graceMs });
	const trials = await trialMac(database, base.keyring);
	const { takesPayments } = parts.processor;
	const published = publishedStatusStore(database, { graceMs: parts.graceMs, takesPayments, trialMac: trials });
	return {
		...base,
		...parts,
		...about,
		health,
		refs: refStore(database),
		published,
		subscriptions: subscriptionStore(database, published),
		checkouts: checkoutStore(database),
		received: deliveryStore(database),
		payers: payerStore(database, seller, takesPayments),
		plans: planStore(database),
		unsold: unsoldStore(database, unsold),
		unsoldGoods: unsold,
		readings: sharedRuns<ReadingOutcome>(),
		/** By the processor's id of a subscription: who is just changing it. */
		deeds: new Map<string, Actor>(),
		ownPlans: ownPlanStore(database),
		limits: limitNoticeStore(database),
		grants: grantStore(database, published),
		operatorDeeds: operatorDeedStore(database),
		trialMac: trials,
	};
}
