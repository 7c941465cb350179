import type { Card } from "@svc/billing/payers/billing-card";
import type { Payer } from "@svc/billing/payers/payers";
import type { UserBilling } from "@svc/billing/payers/user-billing";
import type { PlanPrice, SoldPlan } from "@svc/billing/plans/plan";
import type { ProcessorPreview } from "@svc/billing/ports";
import { isUnpaid, type Subscription } from "@svc/billing/subscription";
import type { ReactNode } from "react";
import type { FormFields } from "../kit/form.ts";
import { PostForm } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { ShownApp } from "../kit/shown-app.ts";
import { type Message, type Text, usePlain } from "../kit/text.ts";
import { type BillingDone, cardAddress } from "./billing-query.ts";
import { t } from "./messages.ts";

/* The parts that the billing card's views share. */

export interface CardFacts {
	readonly card: Card;
	/** Whose card it is; undefined for what a person has in no App. */
	readonly app: ShownApp | undefined;
	/** The address of who is signed in, and pays. */
	readonly email: string;
	/** Undefined while a renewal is being confirmed. */
	readonly billing: UserBilling | undefined;
	/** The plan's price now, and after a change that waits for the renewal. */
	readonly paid: { readonly now: PlanPrice | undefined; readonly next: PlanPrice | undefined };
	readonly plans: readonly SoldPlan[];
	/** What each change costs that is charged at once, by the id of its price; null where the processor did not tell. */
	readonly changes: ReadonlyMap<string, ProcessorPreview | null>;
	readonly selling: boolean;
	readonly offers: CardOffers;
	readonly token: string;
	readonly nowMs: number;
	readonly status: number;
	readonly done?: BillingDone | undefined;
	readonly fault?: Text | undefined;
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

/** The look of the page: an App's own colour is for whom it has sent here, and for no page of one's own account. */
export function frameOf({ app, card }: Pick<CardFacts, "app" | "card">): ShownApp | undefined {
	return app && card.opened !== "by_app" ? { ...app, sheet: null } : app;
}

/** What was chosen on a card, and by whom. */
export interface CardChoice {
	readonly rooms: PagesRooms;
	readonly payer: Payer;
	readonly form: FormFields;
}

/** What an interface version has of its own on the card. */
export interface CardVersion {
	readonly offers: CardOffers;
	/** The price that was chosen, by its id. */
	choose(choice: CardChoice): Promise<string>;
}

interface ActionProps {
	readonly facts: CardFacts;
	readonly to: "checkout" | "switch" | "cancel" | "resume" | "withdraw" | "payment-method";
	readonly fields?: Readonly<Record<string, string>>;
	readonly look: "primary" | "quiet" | "danger";
	/** Begins with what the button says, where that alone does not tell it from others. */
	readonly label?: Text;
	readonly children: ReactNode;
}

export function Action({ facts: { card, token }, to, fields = {}, look, label, children }: ActionProps) {
	const say = usePlain();
	return (
		<PostForm action={cardAddress(card, to)} token={token} fields={fields}>
			<button className={look} type="submit" aria-label={label && say(label)}>
				{children}
			</button>
		</PostForm>
	);
}

/** Why a plan cannot be changed at present. */
export function obstacleTo(subscription: Subscription): Message | undefined {
	if (subscription.cancelAtPeriodEnd) return t("obstacle.cancelled");
	if (isUnpaid(subscription)) return t("obstacle.unpaid");
	return subscription.collectionPaused ? t("obstacle.held") : undefined;
}

/** When a change takes effect, and what it costs. */
export function changeTerms({ status, extended }: Subscription): Message {
	if (extended) return t("terms.extended");
	return t(status === "trialing" ? "terms.trial" : "terms.paid");
}
