import { ACCOUNT_STATUSES, LOCALES } from "@svc/base/enumerations";

import type { Account } from "@svc/people/people";
import { dateTime, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

export const accountStatus = oneOf("AccountStatus", ACCOUNT_STATUSES);

/** A language of the pages and mails. */
export const locale = oneOf("Locale", LOCALES);

export const accountSchema = named(
	"Account",
	v.object({
		id: v.string(),
		object: v.literal("account"),
		email: v.string(),
		verified: v.boolean(),
		operator: v.boolean(),
		locale: v.nullable(locale),
		status: accountStatus,
		created_at: dateTime,
	}),
);

export function encodeAccount(account: Account): v.InferOutput<typeof accountSchema> {
	const { id, email, verified, operator, locale, status, createdMs } = account;
	return { id, object: "account", email, verified, operator, locale, status, created_at: isoDate(createdMs) };
}
