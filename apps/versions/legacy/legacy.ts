import type { ApiVersion } from "@svc/api/version";
import { newApp } from "@svc/apps/apps";
import { TIER_NAMES } from "@svc/base/enumerations";
import type { QuotaOf } from "@svc/images/usage/usage";
import { formFields, jsonFields, updateFields } from "@svc/variants/fields";
import { named, oneOf } from "@svc/variants/shape";
import type { Variant, VariantParts } from "@svc/variants/variant";
import { CREATE_IGNORED_NAMES, encodeTotals, READ_ONLY_NAMES, usageEntries } from "@svc/variants/wire";
import * as v from "valibot";
import { publicReads } from "../until-4.4/public-reads.ts";
import { AVAILABLE_PLANS, storageStatus, storageStatusEntries } from "../until-4.4/storage-status.ts";
import { publicField, visibility } from "../until-4.4/visibility.ts";
import { visibleImageStore } from "../until-4.4/visible-images-store.ts";
import type { Version } from "../version.ts";
import { anonymousCreates } from "./anonymous-creates.ts";
import { tierAppPlans } from "./app-tiers.ts";
import { encodeLegacyImage, legacyImageEntries } from "./legacy-image.ts";
import { billingUrl } from "./own-cards.ts";
import { ownKeyRoute } from "./own-keys.ts";
import { ownStorages } from "./own-storages.ts";
import { tierCard } from "./tier-card.ts";
import { offerTiers } from "./tier-plans.ts";
import { tierPlanStore } from "./tier-plans-store.ts";
import { tierAllowance, tierOf, tierQuota, tierQuotaRefusal } from "./tiers.ts";

const tierNames = oneOf("Tier", TIER_NAMES);
const usageSchema = named("Usage", v.object({ ...usageEntries, plan: tierNames }));

const statusSchema = named("BillingStatus", v.object({ ...storageStatusEntries, plan: tierNames, usage: usageSchema }));

/** Interface 4.2.0. It spreads nothing, so that a new behaviour of `current` can never leak into it. */
export function legacy(parts: VariantParts): Version {
	return {
		variant: variantOf(parts),
		api: API,
		pages: async () => (await import("./pages/legacy-pages.ts")).legacyPages(visibleImageStore(parts.database)),
	};
}

function variantOf({ database, anonymousMaxBytes }: VariantParts): Variant {
	return {
		version: "4.2.0",
		files: {
			maxBytes: 70_000_000,
			maxBytesOf: { svg: 10_000_000 },
			formats: new Set(["jpg", "png", "gif", "webp", "avif", "heic", "svg", "bmp", "ico"]),
			queued: new Set(["avif", "heic", "svg", "bmp", "ico"]),
		},
		create: {
			json: { ...jsonFields, public: publicField },
			form: { ...formFields, public: publicField },
			ignored: new Set([...CREATE_IGNORED_NAMES, "transformable"]),
		},
		update: {
			json: { ...updateFields, public: publicField },
			ignored: new Set([...READ_ONLY_NAMES, "transformable"]),
		},
		/** The service's own App holds the pool and people's own storages, and sells the tiers. */
		async prepare({ ownApp, clock, name }) {
			if (!(await ownApp.find())) await ownApp.create(newApp(name), clock.now());
			await offerTiers(tierPlanStore(database), clock);
		},
		deletes: "final",
		retired: new Set(),
		// A key of a person is a bearer of its own storage, whichever that is (specification, "Authentication" 3).
		keys: { userPrefix: () => "svc_live_", userIgnored: new Set(["user"]) },
		storages: ownStorages,
		visibility,
		lists: { unknownParameters: "ignored", filters: "labels" },
		delivery: undefined,
		image: {
			encode: encodeLegacyImage,
			schema: named("Image", v.object(legacyImageEntries)),
			includes: [],
			listed: ["ready", "processing"],
		},
		billing: {
			unsold: ["app_plan"],
			appPlans: tierAppPlans,
			card: tierCard,
		},
		usage: {
			encode: (usage) => ({ object: "usage", ...encodeTotals(usage), plan: usage.plan }),
			schema: usageSchema,
			allowance: tierAllowance,
			quota: withPoolBound(tierQuota, anonymousMaxBytes),
			quotaRefusal: tierQuotaRefusal,
		},
		limits: { users: undefined, headers: () => ({}) },
	};
}

const API: ApiVersion = {
	creates: anonymousCreates({ maxBytes: 20_000_000, ttlSeconds: 30 * 86_400, perHour: 20 }),
	reads: publicReads,
	billingStatus: storageStatus(statusSchema, (usage, access, addresses) => ({
		object: "billing_status",
		billing_url: billingUrl(access, addresses),
		available_plans: AVAILABLE_PLANS,
		plan: tierOf(access),
		usage,
	})),
	routes: [ownKeyRoute],
};

/** Adds a limit, in bytes, for the pool of creates without a key: every caller may fill it, and none pays for it. */
function withPoolBound(quotaOf: QuotaOf, maxBytes: number): QuotaOf {
	return (access) => {
		const quota = quotaOf(access);
		return access.storage.kind === "anonymous" ? { ...quota, bytes: maxBytes } : quota;
	};
}
