import type { Access } from "@svc/apps/access";
import { APP_PLANS } from "@svc/apps/app-plan";
import { conflict } from "@svc/apps/authority";
import type { Addresses } from "@svc/base/addresses";
import { type AppPlan, type Interval, TIER_NAMES, type Tier } from "@svc/base/enumerations";
import { Failure, type FailureAction } from "@svc/base/failure";
import { newId } from "@svc/base/ids";
import type { Clock } from "@svc/base/ports";
import { type Allowance, type Quota, type StorageUsage, UNBOUNDED } from "@svc/images/usage";
import type { Payer } from "./billing-card.ts";
import type { Price } from "./plans.ts";
import type { PlanStore } from "./plans-store.ts";
import type { TierPlan, TierPlanStore } from "./tiers-store.ts";

const TERMS: Readonly<Record<Interval, TierTerm>> = { month: "monthly", year: "annual" };

export async function offerTiers(store: TierPlanStore, clock: Clock): Promise<void> {
	await store.offer(PAID_TIERS.map(planOf), clock.now());
}

function planOf(key: PaidTier, place: number): TierPlan {
	const terms = Object.entries(TERMS) as readonly [Interval, TierTerm][];
	return {
		id: newId("pln"),
		key,
		name: TIERS[key].name,
		displayOrder: place + 1,
		prices: terms.map(([interval, term]) => ({
			id: newId("prc"),
			amount: tierAmount(key, term),
			currency: TIER_CURRENCY,
			interval,
		})),
	};
}

/**
 * The price of what was chosen on the card.
 * @throws Failure state_conflict for what is not sold, the free tier above all
 */
export async function getTierPrice(
	room: { readonly plans: Pick<PlanStore, "listOnSale"> },
	payer: Payer,
	chosen: { readonly plan: string | undefined; readonly interval: string | undefined },
): Promise<Price> {
	const plans = await room.plans.listOnSale(payer.seller.pk, { limit: PAID_TIERS.length, afterPk: undefined });
	const plan = plans.find(({ key }) => key === chosen.plan);
	const price = plan?.prices.find(({ interval }) => TERMS[interval] === chosen.interval);
	if (!price) throw conflict("Choose one of the plans, and how it is paid. The free plan is what there is without.");
	return price;
}

export function termOf({ interval }: Pick<Price, "interval">): TierTerm {
	return TERMS[interval];
}

/** The tiers that have a price; a storage has the other one without paying. */
export type PaidTier = Exclude<Tier, "free">;

const PAID_TIERS = TIER_NAMES.filter((tier) => tier !== "free");

export interface TierLimits {
	readonly name: string;
	readonly monthlyUploads: number;
	readonly storageBytes: number;
	/** Whole currency units a month. */
	readonly pricePerMonth: number;
	readonly upgradeTo: Tier | null;
}

const GB = 1_000_000_000;
const SMALLEST_UNITS = 100;

export const TIER_CURRENCY = "usd";

export const TIERS: Readonly<Record<Tier, TierLimits>> = {
	free: { name: "Free", monthlyUploads: 1_000, storageBytes: 10 * GB, pricePerMonth: 0, upgradeTo: "pro" },
	pro: { name: "Pro", monthlyUploads: 10_000, storageBytes: 100 * GB, pricePerMonth: 29, upgradeTo: "scale" },
	scale: { name: "Scale", monthlyUploads: 50_000, storageBytes: 500 * GB, pricePerMonth: 99, upgradeTo: "max" },
	max: { name: "Max", monthlyUploads: 200_000, storageBytes: 2_000 * GB, pricePerMonth: 199, upgradeTo: null },
};

/** How often a tier is paid for, and for how many months each time. */
const TIER_TERMS = { monthly: 1, annual: 12 } as const;

export type TierTerm = keyof typeof TIER_TERMS;

/** The amount in the smallest unit of `TIER_CURRENCY`. A year costs what its months do. */
export function tierAmount(tier: Tier, term: TierTerm): number {
	return TIERS[tier].pricePerMonth * SMALLEST_UNITS * TIER_TERMS[term];
}

/** What an App pays for itself counts for its own storage. */
const TIER_OF_PLAN: Readonly<Record<AppPlan, Tier>> = { free: "free", pro: "pro", unlimited: "max" };

type AppStorage = Pick<Access, "app" | "storage">;

export function tierOf({ app, storage }: AppStorage): Tier {
	return storage.kind === "app" ? TIER_OF_PLAN[app.plan] : storage.tier;
}

/** The tier that it can be moved to; null for the highest. */
function upgradeOf({ app, storage }: AppStorage): Tier | null {
	if (storage.kind !== "app") return TIERS[storage.tier].upgradeTo;
	const plan = APP_PLANS[app.plan].upgradeTo;
	return plan && TIER_OF_PLAN[plan];
}

export function tierAllowance(place: AppStorage): Allowance {
	const plan = tierOf(place);
	const { monthlyUploads, storageBytes } = TIERS[plan];
	return { plan, uploadsLimit: monthlyUploads, bytesLimit: storageBytes, imagesLimit: null, usersLimit: null };
}

/** The anonymous pool has no tier: each caller has a limit, nothing in it stays for long, and the deployment limits the whole of it. */
export function tierQuota(place: AppStorage): Quota {
	if (place.storage.kind === "anonymous") return UNBOUNDED;
	const { uploadsLimit, bytesLimit } = tierAllowance(place);
	return { appImages: null, uploads: uploadsLimit, bytes: bytesLimit };
}

/** Storage is sold in whole units. */
export function storageSize(bytes: number): string {
	return bytes >= 1_000 * GB ? `${bytes / (1_000 * GB)} TB` : `${bytes / GB} GB`;
}

/** The page to which people return after paying for a storage without an App that sent them. */
export function accountUrl({ web }: Pick<Addresses, "web">): string {
	return `${web}/account`;
}

/** The page on which people change the plan of what they have in an App, without the App sending them. */
export function ownPlanPath({ id }: Pick<AppStorage["app"], "id">): string {
	return `/account/apps/${id}/plan`;
}

/** The page for what people have in no App. */
export const PERSONAL_PLAN_PATH = "/account/plan";

/**
 * The page on which its user changes a storage's plan. For an App's users that is the hosted billing card, to which the App adds its
 * `redirect_uri`, and may add `state`; what belongs to no App has a page that needs nothing more.
 */
export function billingUrl({ app, storage }: AppStorage, { web }: Pick<Addresses, "web">): string {
	if (storage.kind === "personal") return `${web}${PERSONAL_PLAN_PATH}`;
	return `${web}/billing?${new URLSearchParams({ app: app.id })}`;
}

/** For deployments with storage tiers: each caller sees only their own storage, so that they never learn what another one pays for. */
export function tierQuotaRefusal(access: Access, counted: StorageUsage, addresses: Addresses): Failure {
	if (access.storage.kind === "anonymous") {
		return Failure.saying(
			"quota_exceeded",
			"There is no room for images without a key at present; send one, or try again later.",
		);
	}
	const { name, monthlyUploads, storageBytes } = TIERS[tierOf(access)];
	const next = upgradeOf(access);
	const uploads = counted.uploadsThisMonth >= monthlyUploads;
	const limit = uploads
		? `takes ${monthlyUploads.toLocaleString("en")} uploads a month, and this storage has reached them`
		: `holds ${storageSize(storageBytes)}, and this image does not fit into what is left of them`;
	const ways = [
		uploads ? "wait for the next month" : "delete images",
		...(next ? [`move to ${TIERS[next].name}, which ${uploads ? uploadsOf(next) : bytesOf(next)}`] : []),
	];
	return new Failure("quota_exceeded", undefined, {
		message: `The ${name} plan ${limit}; ${ways.join(" or ")}.`,
		...(next && { action: upgradeAction(access, TIERS[next].name, addresses) }),
	});
}

function uploadsOf(tier: keyof typeof TIERS): string {
	return `takes ${TIERS[tier].monthlyUploads.toLocaleString("en")}`;
}

function bytesOf(tier: keyof typeof TIERS): string {
	return `holds ${storageSize(TIERS[tier].storageBytes)}`;
}

/** The action fits its reader: a person opens their own page, an App's backend the card that it sends its user to. */
function upgradeAction(access: Access, name: string, addresses: Addresses): FailureAction {
	const { caller, app, storage } = access;
	// It follows from the App's plan, which its Owner changes over the API.
	if (storage.kind === "app") {
		return { type: "upgrade", label: `Upgrade the App to ${name}`, url: `${addresses.base}/docs` };
	}
	const own = caller.reach === "user" && storage.kind === "user";
	const url = own ? `${addresses.web}${ownPlanPath(app)}` : billingUrl(access, addresses);
	return { type: "upgrade", label: `Upgrade to ${name}`, url };
}
