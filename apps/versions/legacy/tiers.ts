import type { Access } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import type { Tier } from "@svc/base/enumerations";
import { Failure, type FailureAction } from "@svc/base/failure";
import { type Allowance, type Quota, type StorageUsage, UNBOUNDED } from "@svc/images/usage/usage";
import { TIERS } from "../until-4.4/tiers.ts";
import { appPlanPath, billingUrl, ownPlanPath } from "./own-cards.ts";

/* Which tier a storage has, and what it refuses. */

const GB = 1_000_000_000;

type AppStorage = Pick<Access, "app" | "storage">;

export function tierOf({ app, storage }: AppStorage): Tier {
	return storage.kind === "app" ? app.tier : storage.tier;
}

/** The tier that it can be moved to; null for the highest. */
function upgradeOf(place: AppStorage): Tier | null {
	return TIERS[tierOf(place)].upgradeTo;
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
	return { ...UNBOUNDED, uploads: uploadsLimit, bytes: bytesLimit };
}

/** Storage is sold in whole units. */
function storageSize(bytes: number): string {
	return bytes >= 1_000 * GB ? `${bytes / (1_000 * GB)} TB` : `${bytes / GB} GB`;
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
	// Its Owner buys it; others see there who that is.
	if (storage.kind === "app") {
		return { type: "upgrade", label: `Upgrade the App to ${name}`, url: `${addresses.web}${appPlanPath(app)}` };
	}
	const own = caller.reach === "user" && storage.kind === "user";
	const url = own ? `${addresses.web}${ownPlanPath(app)}` : billingUrl(access, addresses);
	return { type: "upgrade", label: `Upgrade to ${name}`, url };
}
