import { ACCOUNT_STATUSES } from "@svc/base/enumerations";
import type { Account } from "@svc/people/people";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

export const accountSchema = v.object({
	id: v.string(),
	object: v.literal("account"),
	email: v.string(),
	verified: v.boolean(),
	operator: v.boolean(),
	status: v.picklist(ACCOUNT_STATUSES),
	created_at: v.string(),
});

export function encodeAccount(account: Account): v.InferOutput<typeof accountSchema> {
	const { id, email, verified, operator, status, createdMs } = account;
	return { id, object: "account", email, verified, operator, status, created_at: isoDate(createdMs) };
}
