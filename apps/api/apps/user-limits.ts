import type { LimitChanges, UserLimits } from "@svc/apps/app-record";
import { about, integer, named } from "@svc/variants/shape";
import * as v from "valibot";

/* What the storage of one user may hold: by a plan that the App sells or gives, or without one. */

const limit = about(v.nullable(integer), "Null: any number.");

export const userLimitsSchema = named(
	"UserLimits",
	v.object({ images: limit, bytes: limit }),
	"What the storage of one user may hold. The service holds it where the interface version enforces limits (`X-Limits-Enforced`): beyond it nothing comes in, and nothing is deleted.",
);

const RULE = "must be a whole number, or null for any number";
export const sentLimit = v.optional(
	v.nullable(
		v.pipe(
			v.number(RULE),
			v.safeInteger(RULE),
			v.minValue(0, "must not be negative"),
			v.metadata({ jsonSchema: { type: "integer", minimum: 0 } }),
		),
	),
);
const SHAPE_RULE = "must hold images, bytes or both";

/** A limit that is not sent stays; of something new it is none. */
export const sentUserLimits = v.pipe(
	v.unknown(),
	// valibot takes a list for an object without fields.
	v.check((sent) => !Array.isArray(sent), SHAPE_RULE),
	v.strictObject({ images: sentLimit, bytes: sentLimit }, SHAPE_RULE),
) satisfies v.GenericSchema<unknown, LimitChanges>;

export function encodeUserLimits({ images, bytes }: UserLimits): v.InferOutput<typeof userLimitsSchema> {
	return { images, bytes };
}
