import type { TaxBehavior } from "@svc/base/enumerations";
import { withinRequest } from "../patience.ts";
import { taxBehaviorOf } from "../plans/bought.ts";
import type { PlanPrice, SoldPlan } from "../plans/plan.ts";
import type { ProcessorPreview } from "../ports.ts";
import type { Billing } from "../room.ts";
import { isUnpaid, type Subscription } from "../subscription.ts";
import type { Payer } from "./payers.ts";
import { changesWhen, ensureOfferRef, findOffer, getUserBilling, hasPlan, type Offer } from "./user-billing.ts";

/* What a change of plan costs, before it is made: what is charged is what was shown. */

/** A price is charged at once where a payer moves up to it; any other change costs nothing yet. */
function isCharged(subscription: Subscription, price: PlanPrice): boolean {
	const { bought, status, cancelAtPeriodEnd, collectionPaused } = subscription;
	if (bought.subject !== "user" || status === "trialing" || isUnpaid(subscription)) return false;
	if (cancelAtPeriodEnd || collectionPaused) return false;
	if (bought.priceId === price.id || bought.terms.currency !== price.currency) return false;
	return changesWhen(subscription, bought.terms, price) === "when_paid";
}

async function previewOf(
	room: Billing,
	{ ref, bought }: Subscription,
	offer: Offer,
	atMs: number,
): Promise<ProcessorPreview> {
	const price = await ensureOfferRef(room, offer, taxBehaviorOf(bought));
	return await withinRequest(room.processor.preview(ref, price, "when_paid", atMs));
}

/** More changes than that are asked about one by one. */
const PREVIEWED = 12;

/**
 * What each change that is charged at once costs at that time, by the id of its price; null where the processor did not tell. Prices that
 * cost nothing yet are left out.
 */
export async function previewChanges(
	room: Billing,
	subscription: Subscription | undefined,
	plans: readonly SoldPlan[],
	atMs: number,
): Promise<ReadonlyMap<string, ProcessorPreview | null>> {
	if (!subscription || subscription.endedMs !== null || subscription.withdrawnMs !== null) return new Map();
	const offers = plans.flatMap((plan) => plan.prices.map((price) => ({ plan, price })));
	const charged = offers.filter(({ price }) => isCharged(subscription, price));
	const previews = charged.map(async (offer, place) => {
		const asked = place < PREVIEWED ? previewOf(room, subscription, offer, atMs) : Promise.resolve(null);
		return [offer.price.id, await asked.catch(() => null)] as const;
	});
	return new Map(await Promise.all(previews));
}

export interface PreviewedChange {
	readonly offer: Offer;
	readonly preview: ProcessorPreview;
	readonly taxBehavior: TaxBehavior | null;
}

/** The same for one price; undefined where nothing is charged at once. @throws Failure server_error while the processor does not answer */
export async function previewChange(
	room: Billing,
	payer: Payer,
	priceId: string,
	atMs: number,
): Promise<PreviewedChange | undefined> {
	const billing = await getUserBilling(room, payer);
	const { subscription } = billing;
	const offer = await findOffer(room, payer, priceId);
	if (!subscription || !hasPlan(billing) || !offer || !isCharged(subscription, offer.price)) return undefined;
	const preview = await previewOf(room, subscription, offer, atMs);
	return { offer, preview, taxBehavior: taxBehaviorOf(subscription.bought) };
}
