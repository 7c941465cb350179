import type { Variant } from "@svc/variants/variant";
import { appPlanPath, ownPlanPath, PERSONAL_PLAN_PATH } from "./own-cards.ts";

/** The card of the service, which sells a tier for each storage; what an App's link names is preselected. */
export const tierCard: Variant["billing"]["card"] = {
	seller: "service",
	choices: ["plan", "interval"],
	ownPath: (app) => (app ? ownPlanPath(app) : PERSONAL_PLAN_PATH),
	ownerPath: appPlanPath,
};
