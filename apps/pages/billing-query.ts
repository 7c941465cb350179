import type { Card, CardRequest } from "@svc/core/billing-card";
import { readQuery } from "./connect-query.ts";

/* The address of the billing card: what the App's link says, and what was just done. */

const NAMES: ReadonlySet<string> = new Set(["app", "redirect_uri", "state", "price_id"]);

/** @throws Refusal 400 for a parameter that comes twice or cannot be read */
export function readCardQuery(url: URL): CardRequest {
	const sent = readQuery(url, NAMES);
	return {
		app: sent("app"),
		redirectUri: sent("redirect_uri"),
		state: sent("state"),
		priceId: sent("price_id"),
	};
}

/** The same card again, without the price that was chosen: nobody is sent on to pay who comes back. */
export function cardQuery({ app, redirectUri, state }: Pick<Card, "app" | "redirectUri" | "state">): URLSearchParams {
	const query = new URLSearchParams({ app: app.id, redirect_uri: redirectUri });
	if (state !== null) query.set("state", state);
	return query;
}

const DONE = ["switched", "switching", "cancelled", "resumed", "withdrawn"] as const;
export type Done = (typeof DONE)[number];

export function doneOf({ searchParams }: URL): Done | undefined {
	return DONE.find((done) => done === searchParams.get("done"));
}
