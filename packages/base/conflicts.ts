import { Failure } from "./failure.ts";

/**
 * Why a rule refuses what a person can ask for on a page, and what the API says of it. A page says the same in the person's language, by the
 * reason alone (apps/pages/kit/refusals.ts).
 */
const CONFLICTS = {
	plan_ended: "This plan has ended.",
	not_sold: "This is not sold any more: it ends with its term.",
	withdrawal_over: "The time in which you can withdraw from this plan is over.",
	nothing_to_withdraw: "There is no plan here that you can still withdraw from.",
	price_gone: "This price is not on sale any more.",
	has_plan: "You have a plan already; change it instead.",
	no_plan: "You have no plan here.",
	sells_none: "This App sells no plans at present.",
	app_away: "This App is not available at present, so nothing is sold in it.",
	other_plan: "Your present plan is not one of these; cancel it before you choose another.",
	plan_is_yours: "This is your plan already.",
	plan_cancelled: "Your plan is cancelled; take the cancellation back before you change it.",
	plan_unpaid: "Your last payment failed; pay it before you change your plan.",
	plan_held: "Nothing is charged for your plan at present, so it cannot be changed now.",
	other_currency: "A plan can only be changed to one in the same currency.",
	choose_plan: "Choose one of the plans, and how it is paid. The free plan is what there is without.",
	owns_apps: "You own Apps: transfer or delete what you own first.",
	last_operator: "You are the last operator of this service; make another one first.",
	address_changed: "The address of this account was changed lately: until the way back is over it stays.",
	link_used: "This link has been used.",
} as const;

export type ConflictReason = keyof typeof CONFLICTS;

/** A `state_conflict` that pages have words for. */
export class Conflict extends Failure {
	readonly reason: ConflictReason;
	/** The names of what is in the way; empty for most. */
	readonly names: string;

	constructor(reason: ConflictReason, { names = "", message = CONFLICTS[reason] as string } = {}) {
		super("state_conflict", undefined, { message });
		this.reason = reason;
		this.names = names;
	}
}
