import { ERROR_TYPES } from "@svc/base/envelope";
import { FAILURE_CODES } from "@svc/base/failure";
import { about, integer, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";

/* How a refusal looks on the wire (specification, "Errors"). */

const action = named(
	"ErrorAction",
	v.object({
		type: oneOf("ErrorActionType", ["wait", "upgrade"]),
		retry_after: v.optional(about(integer, "Whole seconds; with `wait` only.")),
		label: v.optional(v.string()),
		url: v.optional(v.string()),
	}),
);

export const errorObject = named(
	"ErrorObject",
	v.object({
		type: oneOf("ErrorType", ERROR_TYPES),
		code: oneOf("ErrorCode", FAILURE_CODES),
		message: v.string(),
		action: v.optional(action),
		details: v.optional(
			about(v.record(v.string(), v.array(v.string())), "By field of the request: what is wrong with it."),
		),
	}),
);

export const errorSchema = named("Error", v.object({ error: errorObject }));
