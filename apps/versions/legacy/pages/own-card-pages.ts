import type { Addresses } from "@svc/base/addresses";
import { isId } from "@svc/base/ids";
import type { Card } from "@svc/billing/payers/billing-card";
import type { Billing } from "@svc/billing/room";
import { cardRoutes } from "@svc/pages/billing/billing.tsx";
import { missing } from "@svc/pages/kit/layout.tsx";
import type { PagesRooms } from "@svc/pages/kit/rooms";
import type { Route, Visit } from "@svc/pages/kit/visit";
import { ownPlanPath, PERSONAL_PLAN_PATH } from "../own-cards.ts";
import { tierCardVersion } from "./tier-offers.tsx";

/* The cards on which people change the plan of what they have, without an App that sent them. */

export function ownCards(rooms: PagesRooms): readonly Route[] {
	const existing = (card: Card | undefined): Card => {
		if (!card) throw missing();
		return card;
	};
	const place = (find: (visit: Visit) => Promise<Card>) => ({ rooms, version: tierCardVersion, find });
	return [
		...cardRoutes(
			place(async ({ params }) => existing(await openOwnCard(rooms.billing, params.app ?? ""))),
			ownPlanPath({ id: ":app" }),
		),
		...cardRoutes(
			place(async () => existing(await openPersonalCard(rooms.billing))),
			PERSONAL_PLAN_PATH,
		),
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
