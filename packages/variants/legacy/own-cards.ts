import type { Access, App } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import { isId } from "@svc/base/ids";
import type { Card } from "@svc/billing/payers/billing-card";
import type { Billing } from "@svc/billing/room";
import type { Route } from "@svc/pages/kit/visit";
import type { PageParts } from "@svc/pages/parts";

/* The cards on which people change the plan of what they have, without an App that sent them. */

/** The page for what a person has in an App. */
export function ownPlanPath({ id }: Pick<App, "id">): string {
	return `/account/apps/${id}/plan`;
}

/** The page on which an App's Owner buys a tier for the App's own storage. */
export function appPlanPath({ id }: Pick<App, "id">): string {
	return `/account/apps/${id}/own-plan`;
}

/** The page for what people have in no App. */
export const PERSONAL_PLAN_PATH = "/account/plan";

/**
 * The page on which its user changes a storage's plan. For an App's users that is the hosted billing card, to which the App adds its
 * `redirect_uri`, and may add `state`; what belongs to no App has a page that needs nothing more.
 */
export function billingUrl({ app, storage }: Pick<Access, "app" | "storage">, { web }: Pick<Addresses, "web">): string {
	if (storage.kind === "personal") return `${web}${PERSONAL_PLAN_PATH}`;
	return `${web}/billing?${new URLSearchParams({ app: app.id })}`;
}

export function ownCards(parts: PageParts): readonly Route[] {
	const { rooms, cardRoutes, missing } = parts;
	const existing = (card: Card | undefined): Card => {
		if (!card) throw missing();
		return card;
	};
	return [
		...cardRoutes(parts, ownPlanPath({ id: ":app" }), async ({ params }) =>
			existing(await openOwnCard(rooms.billing, params.app ?? "")),
		),
		...cardRoutes(parts, PERSONAL_PLAN_PATH, async () => existing(await openPersonalCard(rooms.billing))),
	];
}

/**
 * The card for what a person has in an App that did not send them: they return to their account. A paused or blocked App has one too,
 * so that its users can stop paying. Undefined where there is no such App.
 */
async function openOwnCard(room: Pick<Billing, "connect" | "addresses">, appId: string): Promise<Card | undefined> {
	const app = isId("app", appId) ? await room.connect.connections.findApp(appId, "") : undefined;
	return app && ownCard(room, "by_owner", app, ownPlanPath(app));
}

/** The same for what a person has in no App; undefined where people have nothing of the kind. */
async function openPersonalCard(room: Pick<Billing, "apps" | "addresses">): Promise<Card | undefined> {
	const ownApp = await room.apps.ownApp.find();
	return ownApp && ownCard(room, "by_person", ownApp.app, PERSONAL_PLAN_PATH);
}

function ownCard(
	{ addresses }: { readonly addresses: Addresses },
	opened: Card["opened"],
	{ pk, id, name }: Card["app"],
	path: string,
): Card {
	const nothing = { state: null, priceId: null, plan: null, interval: null };
	return { opened, path, app: { pk, id, name }, redirectUri: `${addresses.web}/account`, ...nothing };
}
