import type { Variant } from "../variant.ts";
import { appPlanPath, ownPlanPath, PERSONAL_PLAN_PATH } from "./own-cards.ts";
import { tierOffers } from "./tier-offers.tsx";
import { getTierPrice } from "./tier-plans.ts";

/** The card of the service, which sells a tier for each storage; what an App's link names is preselected. */
export const tierCard: Variant["billing"]["card"] = {
	seller: "service",
	choices: ["plan", "interval"],
	offers: tierOffers,
	async choose({ rooms, payer, form }) {
		return (await getTierPrice(rooms.billing, payer, { plan: form.get("plan"), interval: form.get("interval") })).id;
	},
	ownPath: (app) => (app ? ownPlanPath(app) : PERSONAL_PLAN_PATH),
	ownerPath: appPlanPath,
};
