import type { Card } from "@svc/core/billing-card";
import { callbackUrl } from "@svc/core/connections";
import type { Price, SoldPlan } from "@svc/core/sold-plans";
import type { Subscription } from "@svc/core/subscriptions";
import { hasPlan, type KnownAccess, mayWithdraw, type UserBilling } from "@svc/core/user-billing";
import type { ReactNode } from "react";
import { cardAddress, type Done } from "./billing-query.ts";
import { FreeTier, TierOffers } from "./billing-tiers.tsx";
import { money } from "./checkout.tsx";
import { Alert, count, Day, Name, Notice, PostForm } from "./parts.tsx";
import { type Page, show } from "./visit.ts";

/* What the billing card looks like. */

interface CardFacts {
	readonly card: Card;
	/** Undefined while a renewal is being confirmed. */
	readonly billing: UserBilling | undefined;
	readonly plans: readonly SoldPlan[];
	readonly selling: boolean;
	/** Whether the plans are the tiers of storages. */
	readonly tiers: boolean;
	readonly token: string;
	readonly nowMs: number;
	readonly status: number;
	readonly done?: Done | undefined;
	readonly fault?: string | undefined;
}

const NOTICES: Readonly<Record<Done, string>> = {
	switched: "Your plan is changed.",
	switching: "Your plan changes with its next renewal.",
	cancelled: "Your plan is cancelled. You keep it to the end of its term.",
	resumed: "Your plan goes on.",
	withdrawn: "You have withdrawn from your plan. What you paid is being paid back.",
};

export function cardPage(facts: CardFacts): Page {
	const { card, billing, done, fault, status } = facts;
	const { app, redirectUri, state } = card;
	const body = (
		<div className="stack">
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
				{fault && <Alert>{fault}</Alert>}
				{done && <Notice>{NOTICES[done]}</Notice>}
				{billing ? <Current facts={facts} billing={billing} /> : <Unconfirmed />}
				<p>
					<a href={state === null ? redirectUri : callbackUrl(redirectUri, { state })}>
						Back to {card.opened === "by_app" ? <Name>{app.name}</Name> : "your account"}
					</a>
				</p>
			</div>
			{billing &&
				(facts.tiers ? <TierOffers {...facts} billing={billing} /> : <Offers facts={facts} billing={billing} />)}
		</div>
	);
	return show(card.opened === "by_person" ? "The plan of your own storage" : `Plans of ${app.name}`, body, {
		status,
		wide: true,
	});
}

function Unconfirmed() {
	return <Notice>Your renewal is just being confirmed. You keep what you have; look again in a minute.</Notice>;
}

interface Shown {
	readonly facts: CardFacts;
	readonly billing: UserBilling;
}

function Current({ facts, billing }: Shown) {
	const { subscription, access } = billing;
	if (!subscription || !hasPlan(billing)) {
		if (facts.tiers) return <FreeTier />;
		return <p>{subscription ? "Your last plan here has ended." : "You have no plan here yet."}</p>;
	}
	return (
		<div className="stack">
			<p className="lead">
				<Name>{nameOf(subscription)}</Name>
			</p>
			<p>
				<Standing subscription={subscription} access={access} />
			</p>
			<Pending subscription={subscription} />
			<Manage facts={facts} subscription={subscription} />
		</div>
	);
}

function nameOf({ bought }: Pick<Subscription, "bought">): string {
	return bought.subject === "user" ? bought.planName : bought.appPlan;
}

function Standing({ subscription, access }: { readonly subscription: Subscription; readonly access: KnownAccess }) {
	const { cancelAtPeriodEnd } = subscription;
	if (access.status === "inactive") return <>The last payment failed, and the plan has ended.</>;
	const until = <Day ms={access.expiresMs} />;
	if (access.status === "grace") {
		return <>The last payment failed. You keep the plan until {until}; pay with another card to keep it for longer.</>;
	}
	if (cancelAtPeriodEnd) return <>Cancelled: you keep it until {until}.</>;
	if (access.status === "trialing") return <>In trial until {until}; then it renews and is paid for.</>;
	return <>Renews on {until}.</>;
}

function Pending({ subscription: { pending } }: { readonly subscription: Subscription }) {
	if (!pending) return null;
	return (
		<p>
			Becomes <Name>{nameOf(pending)}</Name> on <Day ms={pending.atMs} />.
		</p>
	);
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

function Action({ facts: { card, token }, to, fields = {}, look, label, children }: ActionProps) {
	return (
		<PostForm action={cardAddress(card, to)} token={token} fields={fields}>
			<button className={look} type="submit" aria-label={label}>
				{children}
			</button>
		</PostForm>
	);
}

function Manage({ facts, subscription }: { readonly facts: CardFacts; readonly subscription: Subscription }) {
	return (
		<div className="actions">
			<Action facts={facts} to="payment-method" look="quiet">
				Change the payment method
			</Action>
			{subscription.cancelAtPeriodEnd ? (
				<Action facts={facts} to="resume" look="quiet">
					Keep the plan after all
				</Action>
			) : (
				<Action facts={facts} to="cancel" look="quiet">
					Cancel at the end of the term
				</Action>
			)}
			{mayWithdraw(subscription, facts.nowMs) && (
				<details>
					<summary>Withdraw and get everything back</summary>
					<p>The plan ends at once, and all that you paid for it is paid back. A trial is used up by it.</p>
					<Action facts={facts} to="withdraw" look="danger">
						Withdraw now
					</Action>
				</details>
			)}
		</div>
	);
}

function Offers({ facts, billing }: Shown) {
	const has = hasPlan(billing);
	if (facts.plans.length === 0) return null;
	return (
		<section className="stack" aria-label="Plans">
			{!facts.selling && !has && <Notice>This App sells no new plans at present.</Notice>}
			{facts.plans.map((plan) => (
				<div className="card" key={plan.id}>
					<h2>
						<bdi>{plan.name}</bdi>
					</h2>
					{plan.description && <p>{plan.description}</p>}
					{plan.benefits.length > 0 && (
						<ul className="points">
							{plan.benefits.map((benefit, place) => (
								// biome-ignore lint/suspicious/noArrayIndexKey: the list is rendered once, and benefits may repeat
								<li key={place}>{benefit}</li>
							))}
						</ul>
					)}
					<ul className="rows">
						{plan.prices.map((price) => (
							<Offer key={price.id} plan={plan} price={price} facts={facts} billing={billing} />
						))}
					</ul>
				</div>
			))}
		</section>
	);
}

interface Offered extends Shown {
	readonly plan: SoldPlan;
	readonly price: Price;
}

function Offer({ plan, price, facts, billing }: Offered) {
	const chosen = facts.card.priceId === price.id;
	const offered = { plan, price, facts, billing };
	return (
		<li data-price={price.id} aria-current={chosen ? "true" : undefined}>
			<div className="what">
				<span>
					<strong>{money(price.amount, price.currency)}</strong> a {price.interval}
					{chosen && <span className="tag">Chosen</span>}
				</span>
				{price.trialDays > 0 && !hasPlan(billing) && !billing.trialEligible && (
					<p>You have had your trial here: this starts without one.</p>
				)}
			</div>
			<div className="acts">{hasPlan(billing) ? <SwitchTo {...offered} /> : facts.selling && <Buy {...offered} />}</div>
		</li>
	);
}

/** Several buttons say the same: a reader who does not see what they stand beside hears what each is about. */
function labelOf(verb: string, { plan, price }: Pick<Offered, "plan" | "price">): string {
	return `${verb}: ${plan.name}, ${money(price.amount, price.currency)} a ${price.interval}`;
}

function Buy({ plan, price, facts, billing }: Offered) {
	const trial = price.trialDays > 0 && billing.trialEligible;
	const verb = trial ? `Try it for ${count(price.trialDays, "day")}` : "Subscribe";
	return (
		<Action
			facts={facts}
			to="checkout"
			fields={{ price_id: price.id }}
			look="primary"
			label={labelOf(verb, { plan, price })}
		>
			{verb}
		</Action>
	);
}

function SwitchTo({ plan, price, facts, billing }: Offered) {
	const { subscription } = billing;
	const bought = subscription?.bought;
	if (bought?.subject === "user" && bought.priceId === price.id) return <span className="tag">Your plan</span>;
	if (!subscription || subscription.cancelAtPeriodEnd || subscription.status === "past_due") return null;
	const label = labelOf("Change to this plan", { plan, price });
	return (
		<Action facts={facts} to="switch" fields={{ price_id: price.id }} look="quiet" label={label}>
			Change to this plan
		</Action>
	);
}
