import { UNBOUNDED } from "@svc/core/quotas";
import { appAllowance } from "@svc/core/usage";
import * as v from "valibot";
import { current } from "./current.ts";
import type { Variant } from "./variant.ts";
import { visibility } from "./visibility.ts";
import { encodeTotals, encodeVisibleImage, usageEntries, visibleImageEntries } from "./wire.ts";

/** Interface 4.4.0 before its date: visibility and page addresses are there, limits are not enforced. */
export const transition: Variant = {
	...current,
	version: "4.4.0",
	access: { publicReads: true, anonymousCreates: undefined, personalStorages: false },
	visibility,
	image: { encode: encodeVisibleImage, schema: v.object(visibleImageEntries) },
	billing: { sellsPlans: false },
	usage: {
		encode: (usage) => ({ object: "usage", ...encodeTotals(usage), plan: "free", limits_enforced: false }),
		schema: v.object({ ...usageEntries, plan: v.literal("free"), limits_enforced: v.boolean() }),
		allowance: appAllowance,
		quota: () => UNBOUNDED,
		usersLimited: false,
		limitsEnforced: () => false,
	},
};
