import { isId } from "@svc/base/ids";
import { isLongState } from "@svc/connect/connections";
import type { Billing } from "../room.ts";
import type { Payer } from "./payers.ts";
import type { PayerStore } from "./payers-store.ts";

/* The link that an App sends its user's browser to the hosted billing card with (specification, "GET /v1/billing/status"). */

export type CardFaultCode =
	| "missing_app"
	| "app_unavailable"
	| "missing_redirect_uri"
	| "redirect_uri_not_registered"
	| "state_too_long";

/** A link that the card cannot use: it ends on a page of ours, since there is nowhere that it may be redirected to. */
export class CardFault extends Error {
	override readonly name = "CardFault";
	readonly fault: CardFaultCode;

	constructor(fault: CardFaultCode) {
		super(fault);
		this.fault = fault;
	}
}

/** What is chosen in the App already, as sent; null where it was not. Where tiers are sold it selects nothing. */
interface CardChoice {
	readonly priceId: string | null;
	readonly plan: string | null;
	readonly interval: string | null;
}

/** The parameters as sent; null where one was not. */
export interface CardRequest extends CardChoice {
	readonly app: string | null;
	readonly redirectUri: string | null;
	readonly state: string | null;
}

export interface Card extends CardChoice {
	/** An App sent its user, the user opened what they have in it, or a person opened what they have in no App. */
	readonly opened: "by_app" | "by_owner" | "by_person";
	/** Where it is found, without the query. */
	readonly path: string;
	readonly app: { readonly pk: number; readonly id: string; readonly name: string };
	readonly redirectUri: string;
	readonly state: string | null;
}

/** The card to which an App sends its users. */
export const CARD_PATH = "/billing";

/** @throws CardFault */
export async function openCard(
	room: Pick<Billing, "connect">,
	{ app: appId, redirectUri, state, ...choice }: CardRequest,
): Promise<Card> {
	if (!appId) throw new CardFault("missing_app");
	const app = isId("app", appId) ? await room.connect.connections.findApp(appId, redirectUri ?? "") : undefined;
	if (!app || app.suspended) throw new CardFault("app_unavailable");
	if (!redirectUri) throw new CardFault("missing_redirect_uri");
	if (!app.registered) throw new CardFault("redirect_uri_not_registered");
	if (state !== null && isLongState(state)) throw new CardFault("state_too_long");
	return {
		opened: "by_app",
		path: CARD_PATH,
		app: { pk: app.pk, id: app.id, name: app.name },
		redirectUri,
		state,
		...choice,
	};
}

/** The user who is connected to the card's App; undefined for any other person. */
export function findPayer(
	room: { readonly payers: Pick<PayerStore, "findByAccount"> },
	card: Card,
	account: { readonly pk: number },
): Promise<Payer | undefined> {
	return room.payers.findByAccount(card.app.pk, account.pk);
}
