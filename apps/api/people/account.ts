import { ACCOUNT_STATUSES } from "@svc/base/enumerations";

import type { Account } from "@svc/people/people";
import { dateTime, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

export const accountStatus = oneOf("AccountStatus", ACCOUNT_STATUSES);

export const accountSchema = named(
	"Account",
	v.object({
		id: v.string(),
		object: v.literal("account"),
		email: v.string(),
		verified: v.boolean(),
		operator: v.boolean(),
		status: accountStatus,
		created_at: dateTime,
	}),
);

export function encodeAccount(account: Account): v.InferOutput<typeof accountSchema> {
	const { id, email, verified, operator, status, createdMs } = account;
	return { id, object: "account", email, verified, operator, status, created_at: isoDate(createdMs) };
}
