import { tierAllowance, tierQuota } from "@svc/core/tiers";
import * as v from "valibot";
import { formFields, jsonFields, updateFields } from "./fields.ts";
import type { Variant } from "./variant.ts";
import { visibility } from "./visibility.ts";
import {
	CREATE_IGNORED_NAMES,
	encodeTotals,
	encodeVisibleImage,
	READ_ONLY_NAMES,
	usageEntries,
	visibleImageEntries,
} from "./wire.ts";

/** Interface 4.2.0. It spreads nothing, so that a new behaviour of `current` can never leak into it. */
export const legacy: Variant = {
	version: "4.2.0",
	files: {
		maxBytes: 70_000_000,
		formats: new Set(["jpg", "png", "gif", "webp", "avif", "heic", "svg", "bmp", "ico"]),
	},
	create: { json: jsonFields, form: formFields, ignored: new Set([...CREATE_IGNORED_NAMES, "transformable"]) },
	update: { json: updateFields, ignored: new Set([...READ_ONLY_NAMES, "transformable"]) },
	access: {
		publicReads: true,
		anonymousCreates: { maxBytes: 20_000_000, ttlSeconds: 30 * 86_400, perHour: 20 },
		personalStorages: true,
	},
	visibility,
	image: {
		encode: (image, addresses) => ({
			...encodeVisibleImage(image, addresses),
			transformable: isTransformable(image.format),
		}),
		schema: v.object({ ...visibleImageEntries, transformable: v.boolean() }),
	},
	billing: { sellsPlans: false },
	usage: {
		encode: (usage) => ({ object: "usage", ...encodeTotals(usage), plan: usage.plan }),
		schema: v.object({ ...usageEntries, plan: v.string() }),
		allowance: tierAllowance,
		quota: tierQuota,
		usersLimited: false,
		limitsEnforced: () => undefined,
	},
};

function isTransformable(format: string): boolean {
	return format !== "svg" && format !== "bmp" && format !== "ico";
}
