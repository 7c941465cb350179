import type { Access } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import { appAllowance, UNBOUNDED } from "@svc/images/usage/usage";
import { formFields, jsonFields, updateFields } from "@svc/variants/fields";
import { named } from "@svc/variants/shape";
import type { Variant, VariantParts } from "@svc/variants/variant";
import { CREATE_IGNORED_NAMES, encodeTotals, READ_ONLY_NAMES, usageEntries } from "@svc/variants/wire";
import * as v from "valibot";
import { current } from "../current.ts";
import { publicReads } from "../until-4.4/public-reads.ts";
import { AVAILABLE_PLANS, storageStatus, storageStatusEntries } from "../until-4.4/storage-status.ts";
import { publicField, visibility } from "../until-4.4/visibility.ts";
import { encodeVisibleImage, visibleImageEntries } from "../until-4.4/visible-image.ts";
import { visibleImageStore } from "../until-4.4/visible-images-store.ts";
import type { Version } from "../version.ts";

const usageSchema = named(
	"Usage",
	v.object({ ...usageEntries, plan: v.literal("free"), limits_enforced: v.boolean() }),
);

const statusSchema = named(
	"BillingStatus",
	v.object({
		...storageStatusEntries,
		plan: v.literal("free"),
		limits_enforced: v.literal(false),
		usage: usageSchema,
	}),
);

/** The interface between 4.2.0 and 4.4.0: it has visibility and page addresses, limits are not enforced. */
export function transition({ database }: VariantParts): Version {
	const { variant, api } = current();
	return {
		variant: variantOf(variant),
		api: { ...api, reads: publicReads, billingStatus: STATUS, routes: [] },
		async pages() {
			const [{ imagePages }, pages] = await Promise.all([import("../until-4.4/image-pages.ts"), current().pages()]);
			return { ...pages, routes: (rooms) => imagePages(rooms, visibleImageStore(database)) };
		},
	};
}

function variantOf(base: Variant): Variant {
	return {
		...base,
		// By SemVer before 4.4.0, which has neither `public` nor `page_url`.
		version: "4.4.0-transition",
		create: {
			json: { ...jsonFields, public: publicField },
			form: { ...formFields, public: publicField },
			ignored: CREATE_IGNORED_NAMES,
		},
		update: { json: { ...updateFields, public: publicField }, ignored: READ_ONLY_NAMES },
		deletes: "final",
		retired: new Set(),
		visibility,
		lists: { unknownParameters: "ignored", filters: "labels" },
		delivery: undefined,
		image: {
			encode: encodeVisibleImage,
			schema: named("Image", v.object(visibleImageEntries)),
			includes: [],
			listed: ["ready"],
		},
		billing: {
			...base.billing,
			unsold: ["tier", "app_plan"],
			// Apps are sold nothing for themselves: it would give nothing.
			appPlans: {
				...base.billing.appPlans,
				listed: base.billing.appPlans.listed.filter(({ key }) => key === "free"),
				watched: [],
				findOffer: async () => undefined,
			},
		},
		usage: {
			...base.usage,
			encode: (usage) => ({ object: "usage", ...encodeTotals(usage), plan: "free", limits_enforced: false }),
			schema: usageSchema,
			allowance: appAllowance,
			quota: () => UNBOUNDED,
		},
		limits: { users: undefined, headers: () => ({ "X-Limits-Enforced": "false" }) },
	};
}

const STATUS = storageStatus(statusSchema, (usage, access, addresses) => ({
	object: "billing_status",
	billing_url: billingUrl(access, addresses),
	available_plans: AVAILABLE_PLANS,
	plan: "free",
	limits_enforced: false,
	usage,
}));

/** What people have in no App they see where all plans are that they pay for. */
function billingUrl({ app, storage }: Access, { web }: Addresses): string {
	if (storage.kind === "personal") return `${web}/account/plans`;
	return `${web}/billing?${new URLSearchParams({ app: app.id })}`;
}
