import { deliverySent, deliveryShown } from "@svc/api/apps/delivery-terms";
import { billingPlans } from "@svc/api/billing/billing-plans";
import { userStatus } from "@svc/api/billing/billing-status";
import { presets } from "@svc/api/delivery/presets";
import { signingKeys } from "@svc/api/delivery/signing-keys";
import { events } from "@svc/api/events/events";
import { appImages } from "@svc/api/images/app-images";
import { storageLabels } from "@svc/api/images/app-usage";
import { appZip } from "@svc/api/images/app-zip";
import { dailyUsage } from "@svc/api/images/daily-usage";
import { imageJobs } from "@svc/api/images/image-jobs";
import { imageMoves } from "@svc/api/images/image-moves";
import { signedAddresses } from "@svc/api/images/sign";
import { imports } from "@svc/api/imports/imports";
import { storageRoute } from "@svc/api/kit/call";
import { consoleTickets } from "@svc/api/people/console-tickets";
import { uploadTickets } from "@svc/api/tickets/upload-tickets";
import { uploads } from "@svc/api/tickets/uploads";
import type { ApiVersion } from "@svc/api/version";
import { webhookDeliveries } from "@svc/api/webhooks/webhook-deliveries";
import { webhookEndpoints } from "@svc/api/webhooks/webhook-endpoints";
import { APP_PLANS } from "@svc/apps/profile/app-plan";
import { monthlyAppPlans } from "@svc/billing/plans/app-plans";
import { appQuotaRefusal } from "@svc/images/create/create-failure";
import { appAllowance, appQuota } from "@svc/images/usage/usage";
import { formFields, ifRevision, jsonFields, ownId, ownIdChange, updateFields } from "@svc/variants/fields";
import { about, appPlan, dateTime, integer, named, uri } from "@svc/variants/shape";
import type { Variant } from "@svc/variants/variant";
import {
	CREATE_IGNORED_NAMES,
	encodeImage,
	encodeTotals,
	imageEntries,
	limitsSchema,
	READ_ONLY_NAMES,
	usageEntries,
} from "@svc/variants/wire";
import * as v from "valibot";
import type { Version } from "./version.ts";

/** Interface 4.6.0: no visibility, App plans with enforced image and user limits. */
export function current(): Version {
	return { variant: CURRENT, api: API, pages: async () => (await import("@svc/pages/current")).CURRENT_PAGES };
}

const ownIdShown = v.optional(about(v.string(), "The App's own name for it; only where one was given."));

const factsSchema = named(
	"Facts",
	v.object({
		thumbhash: about(v.nullable(v.string()), "ThumbHash in base64; null until computed, seconds after the create."),
		colors: about(v.nullable(v.array(v.string())), "Up to five, as #rrggbb, most of the picture first; null likewise."),
		taken_at: about(v.nullable(dateTime), "By the EXIF data; read as UTC where that names no offset."),
		hdr: v.optional(
			about(
				v.boolean(),
				"True for a photo with a gain map (Ultra HDR); left out of others, and until it was looked at.",
			),
		),
		sha256: about(v.string(), "Of the bytes as they were sent or fetched, in hexadecimal."),
	}),
	"What is known of the picture itself.",
);
const factsShown = v.optional(about(factsSchema, "With `include=facts`."));

const previewShown = v.optional(
	about(
		v.nullable(named("Preview", v.object({ url: uri, expires_at: dateTime }))),
		"With `include=preview`: an address of `size=s` alone that is answered under every delivery policy, for five to ten minutes.",
	),
);
const revisionShown = v.optional(
	about(integer, "With `include=revision`: the number of its last change, for `if_revision`."),
);
/** What is read only when it is asked for; a client may send it back. */
const INCLUDED = ["facts", "preview", "revision"] as const;

const CURRENT: Variant = {
	version: "4.6.0",
	files: { maxBytes: 20_000_000, formats: new Set(["jpg", "png", "gif", "webp", "avif", "heic"]) },
	create: {
		json: { ...jsonFields, ...ownId },
		form: { ...formFields, ...ownId },
		ignored: new Set([...CREATE_IGNORED_NAMES, ...INCLUDED]),
	},
	update: {
		json: { ...updateFields, ...ownIdChange, ...ifRevision },
		ignored: new Set([...READ_ONLY_NAMES, ...INCLUDED]),
	},
	deletes: "restorable",
	retired: new Set(["public"]),
	prepare: async () => undefined,
	keys: {
		userPrefix: (mode) => (mode === "live" ? "svc_live_" : "svc_test_"),
		userIgnored: new Set(),
	},
	storages: { keyrings: [], find: async () => undefined },
	visibility: { initial: () => null },
	lists: { unknownParameters: "refused", filters: "all" },
	delivery: { shown: deliveryShown, sent: deliverySent },
	image: {
		encode: (image, addresses) => ({
			...encodeImage(image, addresses),
			...(image.externalId === null ? {} : { external_id: image.externalId }),
		}),
		schema: named(
			"Image",
			v.object({
				...imageEntries,
				external_id: ownIdShown,
				facts: factsShown,
				preview: previewShown,
				revision: revisionShown,
			}),
		),
		includes: INCLUDED,
		listed: ["ready"],
	},
	billing: {
		unsold: ["tier"],
		appPlans: monthlyAppPlans,
		card: {
			seller: "app",
			choices: ["price_id"],
			ownPath: () => null,
			ownerPath: () => null,
		},
	},
	usage: {
		encode(usage, access) {
			// A connected user learns nothing about the App's other users.
			const counted =
				access.caller.reach === "user"
					? { images: null, users: null }
					: { images: usage.appImages, users: usage.appUsers };
			return {
				object: "usage",
				...encodeTotals(usage),
				plan: usage.plan,
				limits_enforced: usage.plan !== "unlimited",
				limits: {
					images: { used: counted.images, limit: usage.imagesLimit },
					users: { used: counted.users, limit: usage.usersLimit },
				},
			};
		},
		schema: named(
			"Usage",
			v.object({
				...usageEntries,
				plan: about(appPlan, "Treat an unknown plan as a safe default and read `limits`."),
				limits_enforced: v.boolean(),
				limits: about(limitsSchema, "Of the whole App."),
			}),
		),
		allowance: appAllowance,
		quota: appQuota,
		quotaRefusal: appQuotaRefusal,
	},
	limits: {
		users: { free: APP_PLANS.free.users, pro: APP_PLANS.pro.users, unlimited: APP_PLANS.unlimited.users },
		headers: (plan) => ({ "X-Limits-Enforced": String(plan !== "unlimited") }),
	},
};

const API: ApiVersion = {
	creates: { route: (keyed) => keyed, detail: {} },
	reads: { route: (own, rooms) => storageRoute(rooms, "read")(own), detail: { summary: "One image" } },
	billingStatus: userStatus,
	routes: [
		...[
			billingPlans,
			events,
			webhookEndpoints,
			webhookDeliveries,
			dailyUsage,
			imageMoves,
			signedAddresses,
			presets,
			signingKeys,
		],
		...[appImages, imageJobs, appZip, consoleTickets, storageLabels, uploadTickets, uploads, imports],
	],
};
