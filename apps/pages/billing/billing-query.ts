import type { Card, CardRequest } from "@svc/billing/payers/billing-card";
import type { CardChoiceName } from "@svc/variants/variant";
import { readQuery } from "../connect/connect-query.ts";

/* The address of the billing card: the parameters of the App's link, and the last action. */

const NAMES = ["app", "redirect_uri", "state"] as const;

/** Unknown parameters are ignored. @throws Refusal 400 for a parameter that comes twice or cannot be read */
export function readCardQuery(url: URL, choices: readonly CardChoiceName[]): CardRequest {
	const sent = readQuery(url, new Set([...NAMES, ...choices]));
	return {
		app: sent("app"),
		redirectUri: sent("redirect_uri"),
		state: sent("state"),
		priceId: sent("price_id"),
		plan: sent("plan"),
		interval: sent("interval"),
	};
}

/** The same card again, or one of its buttons, without the choice: a person who comes back is not sent on to pay. */
export function cardAddress(
	{ opened, path: card, app, redirectUri, state }: Card,
	button?: string,
	done?: BillingDone,
): string {
	const query = new URLSearchParams(opened === "by_app" ? { app: app.id, redirect_uri: redirectUri } : {});
	if (opened === "by_app" && state !== null) query.set("state", state);
	if (done) query.set("done", done);
	const path = button ? `${card}/${button}` : card;
	return query.size > 0 ? `${path}?${query}` : path;
}

const DONE = ["switched", "switching", "cancelled", "resumed", "withdrawn"] as const;
export type BillingDone = (typeof DONE)[number];

export function isDone(text: string): text is BillingDone {
	return DONE.some((done) => done === text);
}

export function doneOf({ searchParams }: URL): BillingDone | undefined {
	return DONE.find((done) => done === searchParams.get("done"));
}
