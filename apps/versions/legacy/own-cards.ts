import type { Access, App } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";

/* Where people change the plan of what they have, without an App that sent them. */

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
