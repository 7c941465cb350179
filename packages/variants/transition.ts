import { appAllowance, UNBOUNDED } from "@svc/images/usage";
import * as v from "valibot";
import { current } from "./current.ts";
import { formFields, jsonFields, updateFields } from "./fields.ts";
import { named } from "./shape.ts";
import { encodeStorageStatus, storageStatusEntries } from "./storage-status.ts";
import type { Variant } from "./variant.ts";
import { publicField, visibility } from "./visibility.ts";
import {
	CREATE_IGNORED_NAMES,
	encodeTotals,
	encodeVisibleImage,
	READ_ONLY_NAMES,
	usageEntries,
	visibleImageEntries,
} from "./wire.ts";

const usageSchema = named(
	"Usage",
	v.object({ ...usageEntries, plan: v.literal("free"), limits_enforced: v.boolean() }),
);

/** The interface between 4.2.0 and 4.4.0: it has visibility and page addresses, limits are not enforced. */
export const transition: Variant = {
	...current,
	version: "4.4.0",
	create: {
		json: { ...jsonFields, public: publicField },
		form: { ...formFields, public: publicField },
		ignored: CREATE_IGNORED_NAMES,
	},
	update: { json: { ...updateFields, public: publicField }, ignored: READ_ONLY_NAMES },
	retired: new Set(),
	access: { publicReads: true, anonymousCreates: undefined, personalStorages: false },
	visibility,
	image: { encode: encodeVisibleImage, schema: named("Image", v.object(visibleImageEntries)), listed: ["ready"] },
	billing: {
		...current.billing,
		sellsPlans: false,
		storageStatus: {
			encode: (usage, access, addresses) => ({
				...encodeStorageStatus(access, addresses),
				plan: "free",
				limits_enforced: false,
				usage,
			}),
			schema: named(
				"BillingStatus",
				v.object({
					...storageStatusEntries,
					plan: v.literal("free"),
					limits_enforced: v.literal(false),
					usage: usageSchema,
				}),
			),
		},
	},
	usage: {
		encode: (usage) => ({ object: "usage", ...encodeTotals(usage), plan: "free", limits_enforced: false }),
		schema: usageSchema,
		allowance: appAllowance,
		quota: () => UNBOUNDED,
		quotaRefusal: current.usage.quotaRefusal,
		usersLimited: false,
		limitsEnforced: () => false,
	},
};
