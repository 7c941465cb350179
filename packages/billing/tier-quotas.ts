import type { Access } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import { Failure, type FailureAction } from "@svc/base/failure";
import type { StorageUsage } from "@svc/images/usage";
import { billingUrl, ownPlanPath, storageSize, TIERS, tierOf, upgradeOf } from "./tiers.ts";

/** Where storages have tiers: each caller sees their own only, so that nobody is told what another one pays for. */
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
