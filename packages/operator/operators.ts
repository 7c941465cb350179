import type { Actor } from "@svc/base/actor";
import { foldEmail, parseEmail } from "@svc/base/email";
import { Failure } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import type { Account } from "@svc/people/people";
import type { Operator } from "./room.ts";

/**
 * Makes somebody an operator, by e-mail address; who has never signed in does so later with a code.
 * @throws Failure validation_error under `email`, state_conflict for who is one already or may not sign in
 */
export async function addOperator({ operators }: Operator, typed: string, by: Actor): Promise<Account> {
	const email = parseEmail(typed);
	const emailNorm = foldEmail(email);
	const refused = await operators.add({ accountId: newId("acc"), email, emailNorm }, by);
	if (refused) {
		const message =
			refused === "operator"
				? "This account is an operator already."
				: "This account is disabled or being deleted, and cannot become an operator.";
		throw Failure.saying("state_conflict", message);
	}
	const account = await operators.findByEmail(emailNorm);
	if (!account) throw new Failure("not_found");
	return account;
}

/** @throws Failure not_found, state_conflict for the last one who can sign in */
export async function removeOperator({ operators }: Operator, accountId: string, by: Actor): Promise<void> {
	const refused = isId("acc", accountId) ? await operators.remove(accountId, by) : "gone";
	if (refused === "gone") throw new Failure("not_found");
	if (refused === "last") {
		throw Failure.saying("state_conflict", "This is the last operator who can sign in; make somebody else one first.");
	}
}
