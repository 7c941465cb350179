import type { Actor } from "@svc/base/actor";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import type { Account } from "@svc/people/people";
import type { Operator } from "./room.ts";

/** @throws Failure not_found */
async function getAccount({ accounts: operatorAccounts }: Operator, id: string): Promise<Account> {
	const account = isId("acc", id) ? await operatorAccounts.find(id) : undefined;
	if (!account) throw new Failure("not_found");
	return account;
}

/**
 * Ends what a person can do here, until it is enabled again: nothing of theirs is deleted. Disabling a disabled account changes nothing.
 * @throws Failure not_found, state_conflict for oneself, for the last operator, and for an account that is being deleted
 */
export async function disableAccount(room: Operator, id: string, by: Actor): Promise<Account> {
	if (id === by.actor) throw clash("Nobody can disable the account that they are signed in with.");
	const disabled = isId("acc", id) && (await room.accounts.disable(id, by));
	const account = await getAccount(room, id);
	if (disabled || account.status === "disabled") return account;
	throw clash(
		account.status === "deleting"
			? "This account is being deleted."
			: "This is the last operator who can sign in; make somebody else one first.",
	);
}

/** @throws Failure not_found, state_conflict for an account that is being deleted */
export async function enableAccount(room: Operator, id: string, by: Actor): Promise<Account> {
	const enabled = isId("acc", id) && (await room.accounts.enable(id, by));
	const account = await getAccount(room, id);
	if (enabled || account.status === "active") return account;
	throw clash("This account is being deleted.");
}

function clash(message: string): Failure {
	return Failure.saying("state_conflict", message);
}
