import type { Actor } from "@svc/base/actor";
import { foldEmail, isTestAddress, parseEmail } from "@svc/base/email";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { maskedEmail } from "@svc/people/address-changes";
import type { NewLetter } from "@svc/people/letters/security-letter";
import { newLetter, originOf } from "@svc/people/letters/security-letters";
import { type Account, type Person, stale } from "@svc/people/people";
import type { Operator } from "../room.ts";
import type { AddedOperator } from "./operator-accounts-store.ts";

const LAST = "This is the last operator who can sign in; make somebody else one first.";

/** @throws Failure not_found */
async function getAccount({ accounts: operatorAccounts }: Operator, id: string): Promise<Account> {
	return found(isId("acc", id) ? await operatorAccounts.find(id) : undefined);
}

/**
 * Disables an account until it is enabled again: nothing of it is deleted. Disabling a disabled account changes nothing.
 * @throws Failure not_found, state_conflict for oneself, for the last operator, and for an account that is being deleted
 */
export async function disableAccount(room: Operator, id: string, by: Actor): Promise<Account> {
	if (id === by.actor) throw clash("Nobody can disable the account that they are signed in with.");
	const refused = isId("acc", id) ? await room.accounts.disable(id, by) : "unchanged";
	if (refused === "stale") throw stale();
	const account = await getAccount(room, id);
	if (!refused || account.status === "disabled") return account;
	throw clash(account.status === "deleting" ? "This account is being deleted." : LAST);
}

/** @throws Failure not_found, state_conflict for an account that is being deleted */
export async function enableAccount(room: Operator, id: string, by: Actor): Promise<Account> {
	const refused = isId("acc", id) ? await room.accounts.enable(id, by) : "unchanged";
	const account = await getAccount(room, id);
	if (!refused || account.status === "active") return account;
	throw clash("This account is being deleted.");
}

/**
 * Makes a person an operator, by e-mail address; one who has never signed in does so later with a code.
 * @throws Failure validation_error under `email`, state_conflict for a person who is one already or may not sign in
 */
export async function addOperator(room: Operator, typed: string, person: Person, by: Actor): Promise<Account> {
	const { operators } = room;
	const email = parseEmail(typed);
	if (isTestAddress(room, email)) throw invalid("email", "is a test person's, whose code everybody knows");
	const emailNorm = foldEmail(email);
	const accountId = newId("acc");
	const letters = await lettersOf(room, { accountId, email, emailNorm }, person, by);
	const refused = await operators.add({ accountId, email, emailNorm }, letters, by);
	if (refused === "operator") throw clash("This account is an operator already.");
	if (refused === "stale") throw stale();
	if (refused === "kept") throw clash("This address was given up lately, and is kept for its account for a week.");
	if (refused) throw clash("This account is disabled or being deleted, and cannot become an operator.");
	return found(await operators.findByEmail(emailNorm));
}

/** How many of the other operators are written to. */
const MAILED_MAX = 100;

/** To the person, where there is an account already, and to all other operators: each can take it back. */
async function lettersOf(
	room: Operator,
	{ accountId, email, emailNorm }: AddedOperator,
	person: Person,
	by: Actor,
): Promise<readonly NewLetter[]> {
	const added = await room.operators.findByEmail(emailNorm);
	const others = await room.operators.list({ limit: MAILED_MAX, beforePk: undefined });
	const who = maskedEmail(added?.email ?? email);
	const about = { deed: "operator", subject: added?.id ?? accountId, who, origin: originOf(person) } as const;
	const addressees = [...(added ? [added] : []), ...others];
	return await Promise.all(addressees.map((to) => newLetter(room.people, to, about, by.nowMs)));
}

/** @throws Failure not_found, state_conflict for the last operator who can sign in */
export async function removeOperator({ operators }: Operator, accountId: string, by: Actor): Promise<void> {
	const refused = isId("acc", accountId) ? await operators.remove(accountId, by) : "gone";
	if (refused === "gone") throw new Failure("not_found");
	if (refused === "last") throw clash(LAST);
	if (refused === "stale") throw stale();
}

function clash(message: string): Failure {
	return Failure.saying("state_conflict", message);
}
