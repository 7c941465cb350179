import type { Billing } from "../room.ts";
import type { Subscription } from "../subscription.ts";
import type { Recipient } from "./billing-mails.ts";

/* Who pays, as far as anybody is known. */

/** Who gets the mails about a subscription: who pays, and in whose App it is; undefined where nobody is known. */
export async function findRecipient(
	{ payers }: Billing,
	{ subscriber, payerPk = null }: Pick<Subscription, "subscriber"> & Partial<Pick<Subscription, "payerPk">>,
): Promise<Recipient | undefined> {
	if (subscriber.subject === "user") return await payers.findByConnection(subscriber.connectionPk);
	const { appPk } = subscriber;
	return (
		(await payers.findOwner(appPk)) ?? (payerPk === null ? undefined : await payers.findFormerOwner(appPk, payerPk))
	);
}

/** A deleted App has lost its name; what was bought in it has kept it. */
export function named(recipient: Recipient | undefined, before: Subscription | undefined): Recipient | undefined {
	if (!recipient || !before || recipient.app.name !== recipient.app.id) return recipient;
	return { ...recipient, app: { ...recipient.app, name: before.appName } };
}
