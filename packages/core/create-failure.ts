import type { Access } from "@svc/apps/access";
import { APP_PLANS } from "@svc/apps/plans";
import type { Addresses } from "@svc/base/addresses";
import { Failure, type FailureAction } from "@svc/base/failure";
import type { CommitRefusal } from "./ports-images.ts";
import { billingUrl, ownPlanPath, storageSize, TIERS, tierOf, upgradeOf } from "./tiers.ts";
import { imagesLimit, type StorageUsage } from "./usage.ts";

/* How a create fails. */

export const RETRY_SECONDS = 2;

export function ambiguous(cause?: unknown): Failure {
	return new Failure("create_outcome_ambiguous", undefined, { cause, retryAfterSeconds: RETRY_SECONDS });
}

/** One for want of room says so and no more: the limit that was reached is told by a {@link QuotaRefusal}. */
export function refused(refusal: CommitRefusal): Failure {
	if (refusal === "storage_deleting") return new Failure("workspace_unavailable");
	if (refusal === "quota") return new Failure("quota_exceeded");
	return ambiguous();
}

/** Tells whoever had no room which limit that was, and the way out. */
export type QuotaRefusal = (access: Access, counted: StorageUsage) => Failure;

const PLAN_NAMES = { free: "Free", pro: "Pro", unlimited: "Unlimited" } as const;

/** Where Apps have limits. */
export function appQuotaRefusal(access: Access): Failure {
	// A connected user is not told what the App pays for.
	if (access.caller.reach === "user") return new Failure("quota_exceeded");
	const { plan } = access.app;
	const limit = (imagesLimit(access.app) ?? 0).toLocaleString("en");
	const target = APP_PLANS[plan].upgradeTo;
	const way = target ? `delete images or move to ${PLAN_NAMES[target]}` : "delete images";
	return new Failure("quota_exceeded", undefined, {
		message: `The ${PLAN_NAMES[plan]} plan holds ${limit} images and this App has reached it; ${way}.`,
	});
}

/** Where storages have tiers: each caller sees their own only, so that nobody is told what another one pays for. */
export function tierQuotaRefusal(access: Access, counted: StorageUsage, addresses: Addresses): Failure {
	if (access.storage.kind === "anonymous") {
		return new Failure("quota_exceeded", undefined, {
			message: "There is no room for images without a key at present; send one, or try again later.",
		});
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

/** What its reader can open: a person their own page, an App's backend the card that it sends its user to. */
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

/** What was not refused on purpose could not be stored, or, after a fetch, not be imported. */
export function asCreateFailure(cause: unknown, kind: "upload" | "import"): Failure {
	const own = kind === "upload" ? "upload_failed" : "import_failed";
	if (cause instanceof Failure && (cause.code !== "upload_failed" || kind === "upload")) return cause;
	return new Failure(own, undefined, { cause });
}
