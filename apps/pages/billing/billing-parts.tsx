import type { Card } from "@svc/billing/billing-card";
import type { Price, SoldPlan } from "@svc/billing/plans";
import { isUnpaid, type Subscription } from "@svc/billing/subscriptions";
import type { UserBilling } from "@svc/billing/user-billing";
import type { ReactNode } from "react";
import { PostForm } from "../kit/parts.tsx";
import { cardAddress, type Done } from "./billing-query.ts";
import { money } from "./checkout.tsx";

/* The parts that the billing card's views share. */

export interface CardFacts {
	readonly card: Card;
	/** Undefined while a renewal is being confirmed. */
	readonly billing: UserBilling | undefined;
	/** The plan's price now, and after a change that waits for the renewal. */
	readonly paid: { readonly now: Price | undefined; readonly next: Price | undefined };
	readonly plans: readonly SoldPlan[];
	readonly selling: boolean;
	readonly offers: CardOffers;
	readonly token: string;
	readonly nowMs: number;
	readonly status: number;
	readonly done?: Done | undefined;
	readonly fault?: string | undefined;
}

/** What the card shows of a payer, whose subscription is known. */
export interface Offered {
	readonly facts: CardFacts;
	readonly billing: UserBilling;
}

/** The views of a card that depend on who sells. */
export interface CardOffers {
	/** What there is to buy. */
	readonly list: (offered: Offered) => ReactNode;
	/** What a payer has who has bought nothing. */
	readonly nothing: (offered: Offered) => ReactNode;
}

export function priceText({ amount, currency, interval }: Price): string {
	return `${money(amount, currency)} a ${interval}`;
}

interface ActionProps {
	readonly facts: CardFacts;
	readonly to: "checkout" | "switch" | "cancel" | "resume" | "withdraw" | "payment-method";
	readonly fields?: Readonly<Record<string, string>>;
	readonly look: "primary" | "quiet" | "danger";
	/** Begins with what the button says, where that alone does not tell it from others. */
	readonly label?: string;
	readonly children: ReactNode;
}

export function Action({ facts: { card, token }, to, fields = {}, look, label, children }: ActionProps) {
	return (
		<PostForm action={cardAddress(card, to)} token={token} fields={fields}>
			<button className={look} type="submit" aria-label={label}>
				{children}
			</button>
		</PostForm>
	);
}

/** Why a plan cannot be changed at present. */
export function obstacleTo(subscription: Subscription): string | undefined {
	if (subscription.cancelAtPeriodEnd) return "Keep your plan after all before you change it.";
	return isUnpaid(subscription) ? "Pay for your plan before you change it." : undefined;
}

/** When a change takes effect, and what it costs. */
export function changeTerms({ status }: Subscription): string {
	return status === "trialing"
		? "You can change during your trial: it ends on the same day, and the new price applies from then on."
		: "A dearer plan is charged at once, less what is left of the term that you have paid for, and begins when it is paid. A cheaper one begins with the next renewal.";
}

export const NOTHING_YET = "Nothing is charged yet: you pay on the next page.";
