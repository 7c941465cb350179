import { tierAllowance, tierOf, tierQuota, tierQuotaRefusal } from "@svc/billing/tiers";
import * as v from "valibot";
import { formFields, jsonFields, updateFields } from "./fields.ts";
import { encodeLegacyImage, legacyImageEntries } from "./legacy-image.ts";
import { named } from "./shape.ts";
import { encodeStorageStatus, storageStatusEntries, tierNames } from "./storage-status.ts";
import type { Variant } from "./variant.ts";
import { publicField, visibility } from "./visibility.ts";
import { CREATE_IGNORED_NAMES, encodeTotals, READ_ONLY_NAMES, usageEntries } from "./wire.ts";

const usageSchema = named("Usage", v.object({ ...usageEntries, plan: tierNames }));

/** Interface 4.2.0. It spreads nothing, so that a new behaviour of `current` can never leak into it. */
export const legacy: Variant = {
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
	retired: new Set(),
	access: {
		publicReads: true,
		anonymousCreates: { maxBytes: 20_000_000, ttlSeconds: 30 * 86_400, perHour: 20 },
		personalStorages: true,
	},
	visibility,
	image: {
		encode: encodeLegacyImage,
		schema: named("Image", v.object(legacyImageEntries)),
		listed: ["ready", "processing"],
	},
	billing: {
		sellsPlans: false,
		sellsTiers: true,
		storageStatus: {
			encode: (usage, access, addresses) => ({
				...encodeStorageStatus(access, addresses),
				plan: tierOf(access),
				usage,
			}),
			schema: named("BillingStatus", v.object({ ...storageStatusEntries, plan: tierNames, usage: usageSchema })),
		},
	},
	usage: {
		encode: (usage) => ({ object: "usage", ...encodeTotals(usage), plan: usage.plan }),
		schema: usageSchema,
		allowance: tierAllowance,
		quota: tierQuota,
		quotaRefusal: tierQuotaRefusal,
		usersLimited: false,
		limitsEnforced: () => undefined,
	},
};
