import type { AppRecord, DeliveryLimitChanges } from "@svc/apps/app-record";
import { recordNameOf } from "@svc/apps/image-host/image-host-name";
import { DELIVERY_POLICIES, IMAGE_HOST_STATES } from "@svc/base/enumerations";
import { listOf, text } from "@svc/variants/bounds";
import { about, integer, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";
import { sentLimit } from "./user-limits.ts";

/* Which addresses of an App's images are answered, on whose pages, and how much of it a day. */

const policy = oneOf("DeliveryPolicy", DELIVERY_POLICIES);
const limit = about(v.nullable(integer), "Null: any number.");

const record = named(
	"ImageHostRecord",
	v.object({ type: oneOf("ImageHostRecordType", ["TXT"]), name: v.string(), value: v.string() }),
);

export const deliveryShown = {
	delivery: about(policy, "Which addresses of its images the transform host answers."),
	delivery_referrers: about(
		v.array(v.string()),
		"The hosts whose pages may show its images; `*.example.com` is all below it. Empty: all pages. Requests that name no page are answered.",
	),
	delivery_limits: about(
		named("DeliveryLimits", v.object({ bytes: limit, renditions: limit })),
		"What is served, and made, of its images on a day (UTC) at most; the rest is answered 429 until the next one.",
	),
	image_host: about(
		v.nullable(
			named(
				"ImageHost",
				v.object({
					host: v.string(),
					state: about(
						oneOf("ImageHostState", IMAGE_HOST_STATES),
						"`verified`: addresses of its images name this host. `lost`: its record has been missing for three days, or says another App.",
					),
					record: about(record, "What has to stand in the DNS, for as long as the host is used."),
				}),
			),
		),
		"The App's own host for its images; null: they are on the service's.",
	),
};

/** More than a host may have, for a whole address that is pasted. */
const REFERRER_MAX = 2_048;
const REFERRERS_MAX = 50;
/** More than a host may have: what is wrong with a longer one is said by the rules of hosts. */
const HOST_MAX = 1_000;
const REFERRERS_RULE = "must be a list of hosts";
const SHAPE_RULE = "must hold bytes, renditions or both";

const HOST_RULE = "must be a host such as img.example.com, or null";

export const deliverySent = {
	image_host: v.optional(v.nullable(text(HOST_MAX, HOST_RULE))),
	delivery: v.optional(policy),
	delivery_referrers: v.optional(listOf(text(REFERRER_MAX, REFERRERS_RULE), REFERRERS_RULE, { max: REFERRERS_MAX })),
	delivery_limits: v.optional(
		v.pipe(
			v.unknown(),
			// valibot takes a list for an object without fields.
			v.check((sent) => !Array.isArray(sent), SHAPE_RULE),
			v.strictObject({ bytes: sentLimit, renditions: sentLimit }, SHAPE_RULE),
		) satisfies v.GenericSchema<unknown, DeliveryLimitChanges>,
	),
};

export function encodeDelivery(app: AppRecord): {
	[Field in keyof typeof deliveryShown]: v.InferOutput<(typeof deliveryShown)[Field]>;
} {
	return {
		delivery: app.delivery,
		delivery_referrers: [...(app.deliveryReferrers ?? [])],
		delivery_limits: { bytes: app.deliveryBytesLimit, renditions: app.deliveryRenditionsLimit },
		image_host: encodeImageHost(app),
	};
}

function encodeImageHost({ imageHost: host, imageHostState: state, imageHostValue: value }: AppRecord) {
	if (host === null || state === null || value === null) return null;
	return { host, state, record: { type: "TXT" as const, name: recordNameOf(host), value } };
}
