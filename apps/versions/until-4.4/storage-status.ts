import { USER_HEADER } from "@svc/api/images/images-document";
import type { BillingStatus } from "@svc/api/version";
import type { Access } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import { TIER_NAMES, type Tier } from "@svc/base/enumerations";
import type { Usage } from "@svc/sdk/shapes";
import { integer, named, oneOf, uri } from "@svc/variants/shape";
import type { GenericSchema } from "valibot";
import * as v from "valibot";
import { TIER_CURRENCY, TIERS, type TierTerm, tierAmount } from "./tiers.ts";

/* The older billing status: a storage's limits, and the tier that it could be moved to (specification, "Billing status [T][L]"). */

const price = named("TierPrice", v.object({ amount_cents: integer, currency: v.string() }));

const tierNames = oneOf("Tier", TIER_NAMES);

const availablePlan = named(
	"AvailablePlan",
	v.object({
		object: v.literal("plan"),
		id: tierNames,
		name: v.string(),
		prices: named("TierPrices", v.object({ monthly: price, annual: price })),
		limits: named("TierLimits", v.object({ monthly_uploads: integer, storage_bytes: integer })),
	}),
);

/** All fields but the plan and the usage, which differ between the interfaces. */
export const storageStatusEntries = {
	object: v.literal("billing_status"),
	billing_url: uri,
	available_plans: v.array(availablePlan),
};

const shared = v.object(storageStatusEntries);

interface StorageStatus extends v.InferOutput<typeof shared> {
	readonly plan: string;
	/** Present where the interface has limits that can be switched off. */
	readonly limits_enforced?: boolean;
	readonly usage: Usage;
}

export const AVAILABLE_PLANS = TIER_NAMES.map(encodeTier);

function encodeTier(tier: Tier): v.InferOutput<typeof availablePlan> {
	const { name, monthlyUploads, storageBytes } = TIERS[tier];
	const priceOf = (term: TierTerm) => ({ amount_cents: tierAmount(tier, term), currency: TIER_CURRENCY });
	return {
		object: "plan",
		id: tier,
		name,
		prices: { monthly: priceOf("monthly"), annual: priceOf("annual") },
		limits: { monthly_uploads: monthlyUploads, storage_bytes: storageBytes },
	};
}

/** `GET /v1/billing/status` of a storage. It only reads: the tier of a storage changes when the payment processor reports an event. */
export function storageStatus(
	schema: GenericSchema,
	encode: (usage: Usage, access: Access, addresses: Addresses) => StorageStatus,
): BillingStatus {
	return {
		summary: "The plan and the usage of the selected storage, and the plans that there are",
		parameters: USER_HEADER,
		schema,
		async read({ variant, addresses }, { access, usage }) {
			const counted = variant.usage.encode(await usage(), access);
			return encode(counted, access, addresses);
		},
	};
}
