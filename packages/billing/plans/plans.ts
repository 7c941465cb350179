import type { App } from "@svc/apps/access";
import type { AppRecord } from "@svc/apps/app-record";
import { authorityOf, conflict, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import { Failure, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import type { Billing } from "../room.ts";
import { refuseAmount } from "./currencies.ts";
import type { PlanFields, PlanPrice, PlanRefusal, PriceTerms, SoldPlan } from "./plan.ts";
import { refusePlanWords } from "./plan-names.ts";

/* What Apps sell to their users (specification, "Plan and Price"). The App's own plan is in plans.ts. */

/** How often a change starts again because the plan changed meanwhile. */
const ATTEMPTS = 20;

/** @throws Failure forbidden while the App may not sell */
export function requireSelling(app: Pick<AppRecord, "selling">): void {
	if (!app.selling) throw notSelling();
}

function notSelling(): Failure {
	const message = "Selling plans is not enabled for this App; the service's support enables it on request.";
	return Failure.saying("forbidden", message);
}

type Refused = PlanRefusal | "archived" | undefined;

async function refuse(room: Billing, teamMember: TeamMember, refused: Refused): Promise<void> {
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "selling_off") throw notSelling();
	if (refused === "archived") throw archived();
}

/** @throws Failure validation_error for a key that is taken, forbidden words and too many plans; forbidden */
export async function createPlan(
	room: Billing,
	teamMember: TeamMember,
	{ key, ...fields }: PlanFields & { readonly key: string },
): Promise<SoldPlan> {
	refusePlanWords(fields, room.name);
	const id = newId("pln");
	const plan = { ...fields, id, key, appPk: teamMember.app.pk };
	const refused = await room.plans.create(plan, authorityOf(teamMember, "owner"));
	if (refused === "key_taken") throw invalid("key", "is taken by another plan of this App, which may be archived");
	if (refused === "full") throw invalid("key", "cannot be added: this App has as many plans as it may have");
	await refuse(room, teamMember, refused);
	return await getPlan(room, teamMember.app, id);
}

/** @throws Failure not_found */
async function getPlan(room: Billing, app: Pick<App, "pk">, id: string): Promise<SoldPlan> {
	const plan = isId("pln", id) ? await room.plans.find(app.pk, id) : undefined;
	if (!plan) throw new Failure("not_found");
	return plan;
}

/**
 * Changes the fields that were sent; of two concurrent changes both happen, one after the other.
 * @throws Failure not_found, state_conflict for an archived plan, validation_error for words that the plan as a whole may not hold
 */
export async function updatePlan(
	room: Billing,
	teamMember: TeamMember,
	id: string,
	changes: Partial<PlanFields>,
): Promise<SoldPlan> {
	for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
		const plan = await getPlan(room, teamMember.app, id);
		if (plan.archivedMs !== null) throw archived();
		const changed = { ...plan, ...changes };
		refusePlanWords(changed, room.name);
		const refused = await room.plans.update(plan, changed, authorityOf(teamMember, "owner"));
		if (refused === undefined) return await getPlan(room, teamMember.app, id);
		if (refused !== "moved") await refuse(room, teamMember, refused);
	}
	throw new Error(`The plan moved ${ATTEMPTS} times while it was to be changed.`);
}

function archived(): Failure {
	return conflict("This plan is archived.");
}

/** Takes a plan off sale for good; its subscribers keep it. @throws Failure not_found, state_conflict when it is archived already */
export async function archivePlan(room: Billing, teamMember: TeamMember, id: string): Promise<SoldPlan> {
	const plan = await getPlan(room, teamMember.app, id);
	await refuse(room, teamMember, await room.plans.archive(plan, authorityOf(teamMember, "owner")));
	return await getPlan(room, teamMember.app, id);
}

/** @throws Failure not_found, state_conflict for an archived plan, validation_error for an amount out of bounds and too many prices */
export async function createPrice(
	room: Billing,
	teamMember: TeamMember,
	planId: string,
	terms: PriceTerms,
): Promise<PlanPrice> {
	refuseAmount(terms);
	const plan = await getPlan(room, teamMember.app, planId);
	const id = newId("prc");
	const refused = await room.plans.addPrice(plan, { ...terms, id }, authorityOf(teamMember, "owner"));
	if (refused === "full") throw invalid("amount", "cannot be added: this plan has as many prices as it may have");
	await refuse(room, teamMember, refused);
	return priceOf(await getPlan(room, teamMember.app, planId), id);
}

/** @throws Failure not_found, state_conflict for a price of an archived plan */
export async function setOnSale(
	room: Billing,
	teamMember: TeamMember,
	place: { readonly planId: string; readonly priceId: string },
	onSale: boolean,
): Promise<PlanPrice> {
	const plan = await getPlan(room, teamMember.app, place.planId);
	const price = priceOf(plan, place.priceId);
	await refuse(room, teamMember, await room.plans.setOnSale(plan, price, onSale, authorityOf(teamMember, "owner")));
	return priceOf(await getPlan(room, teamMember.app, place.planId), price.id);
}

function priceOf(plan: SoldPlan, id: string): PlanPrice {
	const price = plan.prices.find((one) => one.id === id);
	if (!price) throw new Failure("not_found");
	return price;
}
