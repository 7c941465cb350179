import { isLongState } from "./connections.ts";
import { isId } from "./ids.ts";
import type { Payer, PayerStore } from "./ports-billing.ts";
import type { ConnectionStore } from "./ports-connections.ts";

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

/** As sent; null where a parameter was not. */
export interface CardRequest {
	readonly app: string | null;
	readonly redirectUri: string | null;
	readonly state: string | null;
	readonly priceId: string | null;
}

export interface Card {
	readonly app: { readonly pk: number; readonly id: string; readonly name: string };
	readonly redirectUri: string;
	readonly state: string | null;
	readonly priceId: string | null;
}

/** @throws CardFault */
export async function openCard(
	deps: { readonly connections: Pick<ConnectionStore, "findApp"> },
	{ app: appId, redirectUri, state, priceId }: CardRequest,
): Promise<Card> {
	if (!appId) throw new CardFault("missing_app");
	const app = isId("app", appId) ? await deps.connections.findApp(appId, redirectUri ?? "") : undefined;
	if (!app || app.suspended) throw new CardFault("app_unavailable");
	if (!redirectUri) throw new CardFault("missing_redirect_uri");
	if (!app.registered) throw new CardFault("redirect_uri_not_registered");
	if (state !== null && isLongState(state)) throw new CardFault("state_too_long");
	return { app: { pk: app.pk, id: app.id, name: app.name }, redirectUri, state, priceId };
}

/** Whoever is connected to the card's App; undefined for anybody else. */
export function findPayer(
	deps: { readonly payers: Pick<PayerStore, "findByAccount"> },
	card: Card,
	account: { readonly pk: number },
): Promise<Payer | undefined> {
	return deps.payers.findByAccount(card.app.pk, account.pk);
}
