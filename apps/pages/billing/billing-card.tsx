import type { Price } from "@svc/billing/plans";
import { isUnpaid, type Subscription } from "@svc/billing/subscriptions";
import { hasPlan, type KnownAccess, mayWithdraw } from "@svc/billing/user-billing";
import { callbackUrl } from "@svc/connect/connections";
import { Alert, Day, Name, Notice } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";
import { Action, type CardFacts, type Offered, priceText } from "./billing-parts.tsx";
import type { Done } from "./billing-query.ts";

/* The HTML of the billing card. */

const NOTICES: Readonly<Record<Done, string>> = {
	switched: "Your plan is changed.",
	switching: "Your plan changes with its next renewal.",
	cancelled: "Your plan is cancelled.",
	resumed: "Your plan goes on.",
	withdrawn: "You have withdrawn from your plan. What you paid for it is being paid back.",
};

export function cardPage(facts: CardFacts): Page {
	const { card, billing, done, fault, status } = facts;
	const { app, redirectUri, state } = card;
	const body = (
		<>
			<div className="card">
				<h1>
					{card.opened === "by_person" ? (
						"The plan of your own storage"
					) : (
						<>
							Your plan at <Name>{app.name}</Name>
						</>
					)}
				</h1>
				{fault && <Alert answers>{fault}</Alert>}
				{done && <Notice answers>{NOTICES[done]}</Notice>}
				{billing ? <Current facts={facts} billing={billing} /> : <Unconfirmed />}
				<p>
					<a className="back" href={state === null ? redirectUri : callbackUrl(redirectUri, { state })}>
						Back to {card.opened === "by_app" ? <Name>{app.name}</Name> : "your account"}
					</a>
				</p>
			</div>
			{billing && facts.offers.list({ facts, billing })}
		</>
	);
	return show(card.opened === "by_person" ? "The plan of your own storage" : `Your plan at ${app.name}`, body, {
		status,
		wide: true,
	});
}

function Unconfirmed() {
	return <Notice>Your renewal is just being confirmed. You keep what you have; look again in a minute.</Notice>;
}

function Current({ facts, billing }: Offered) {
	const { subscription, access } = billing;
	if (!subscription || !hasPlan(billing)) return facts.offers.nothing({ facts, billing });
	return (
		<>
			<div className="stack">
				<p className="lead">
					<Name>{nameOf(subscription)}</Name>
				</p>
				<p>
					<Standing subscription={subscription} access={access} price={facts.paid.now} />
				</p>
				<Pending subscription={subscription} price={facts.paid.next} />
			</div>
			<Manage facts={facts} subscription={subscription} />
		</>
	);
}

function nameOf({ bought }: Pick<Subscription, "bought">): string {
	return bought.subject === "user" ? bought.planName : bought.appPlan;
}

interface StandingProps {
	readonly subscription: Subscription;
	readonly access: KnownAccess;
	/** The price of the next term, as far as it is known. */
	readonly price: Price | undefined;
}

function Standing({ subscription, access, price }: StandingProps) {
	const { cancelAtPeriodEnd } = subscription;
	if (access.status === "inactive") return <>The last payment failed, and the plan has ended.</>;
	const until = <Day ms={access.expiresMs} />;
	if (access.status === "grace") {
		return <>The last payment failed. You keep the plan until {until}; pay with another card to keep it for longer.</>;
	}
	if (cancelAtPeriodEnd) return <>Cancelled: you keep it until {until}, and nothing more is charged.</>;
	const each = price ? priceText(price) : "it is paid for";
	if (access.status === "trialing")
		return (
			<>
				Free until {until}, then {each} until you cancel.
			</>
		);
	return (
		<>
			{price && `${each}. `}
			{subscription.pending ? "Paid until" : "Renews on"} {until}.
		</>
	);
}

type PendingProps = Pick<StandingProps, "subscription" | "price">;

function Pending({ subscription: { pending }, price }: PendingProps) {
	if (!pending) return null;
	return (
		<p>
			Then it becomes <Name>{nameOf(pending)}</Name>
			{price && `, ${priceText(price)}`}.
		</p>
	);
}

function Manage({ facts, subscription }: { readonly facts: CardFacts; readonly subscription: Subscription }) {
	const unpaid = isUnpaid(subscription);
	return (
		<>
			<div className="actions">
				<Action facts={facts} to="payment-method" look={unpaid ? "primary" : "quiet"}>
					{unpaid ? "Pay with another card" : "Change the payment method"}
				</Action>
				{subscription.cancelAtPeriodEnd ? (
					<Action facts={facts} to="resume" look="quiet">
						Keep the plan after all
					</Action>
				) : (
					<Action facts={facts} to="cancel" look="quiet">
						{/* A plan that was never paid for has no term to stay until. */}
						{unpaid ? "Cancel now" : "Cancel at the end of the term"}
					</Action>
				)}
			</div>
			{mayWithdraw(subscription, facts.nowMs) && (
				<details className="ask">
					<summary>Withdraw and get everything back</summary>
					<p>The plan ends at once, and all that you paid for it is paid back. A trial is used up by it.</p>
					<Action facts={facts} to="withdraw" look="danger">
						Withdraw now
					</Action>
				</details>
			)}
		</>
	);
}
