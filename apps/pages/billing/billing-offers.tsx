import type { Price, SoldPlan } from "@svc/billing/plans";
import { changesWhen, hasPlan, type UserBilling } from "@svc/billing/user-billing";
import { count, Day, Notice } from "../kit/parts.tsx";
import {
	Action,
	type CardOffers,
	changeTerms,
	NOTHING_YET,
	type Offered,
	obstacleTo,
	priceText,
} from "./billing-parts.tsx";
import { money } from "./checkout.tsx";

/* The plans of an App on the billing card. */

export const planOffers: CardOffers = {
	list: (offered) => <Offers {...offered} />,
	nothing: (offered) => <Nothing {...offered} />,
};

function Nothing({ billing: { subscription } }: Offered) {
	return <p>{subscription ? "Your last plan here has ended." : "You have no plan here yet."}</p>;
}

function Offers({ facts, billing }: Offered) {
	const has = hasPlan(billing);
	if (!has && (!facts.selling || facts.plans.length === 0)) return <Notice>This App sells no plans at present.</Notice>;
	if (facts.plans.length === 0) return null;
	return (
		<>
			<div className="stack">
				<h2>{has ? "Change your plan" : "Choose a plan"}</h2>
				<p className="soft">{termsOf(billing)}</p>
			</div>
			{facts.plans.map((plan) => (
				<section className="card" key={plan.id} aria-labelledby={plan.id}>
					<div className="stack" dir="auto">
						<h3 id={plan.id}>{plan.name}</h3>
						{plan.description && <p>{plan.description}</p>}
						{plan.benefits.length > 0 && (
							<ul className="benefits">
								{plan.benefits.map((benefit, place) => (
									// biome-ignore lint/suspicious/noArrayIndexKey: the list is rendered once, and benefits may repeat
									<li key={place}>{benefit}</li>
								))}
							</ul>
						)}
					</div>
					<ul className="rows">
						{plan.prices.map((price) => (
							<Offer key={price.id} plan={plan} price={price} facts={facts} billing={billing} />
						))}
					</ul>
				</section>
			))}
		</>
	);
}

function termsOf(billing: UserBilling): string {
	const { subscription } = billing;
	if (!subscription || !hasPlan(billing)) return NOTHING_YET;
	return obstacleTo(subscription) ?? changeTerms(subscription);
}

interface OneOffer extends Offered {
	readonly plan: SoldPlan;
	readonly price: Price;
}

function Offer(offered: OneOffer) {
	const { price, facts, billing } = offered;
	const chosen = facts.card.priceId === price.id;
	const has = hasPlan(billing);
	return (
		<li data-price={price.id} aria-current={chosen ? "true" : undefined}>
			<div className="what">
				<span>
					<strong>{money(price.amount, price.currency)}</strong> a {price.interval}
					{chosen && <span className="tag">Chosen</span>}
				</span>
				{!has && price.trialDays > 0 && (
					<p>
						{billing.trialEligible
							? `The first ${count(price.trialDays, "day")} are free.`
							: "You have had your trial here: this starts without one."}
					</p>
				)}
			</div>
			<div className="acts">{has ? <SwitchTo {...offered} /> : <Buy {...offered} />}</div>
		</li>
	);
}

/** Several buttons say the same: a reader who does not see what they stand beside hears what each is about. */
function labelOf(verb: string, { plan, price }: Pick<OneOffer, "plan" | "price">): string {
	return `${verb}: ${plan.name}, ${priceText(price)}`;
}

function Buy({ plan, price, facts, billing }: OneOffer) {
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

function SwitchTo(offered: OneOffer) {
	const { price, facts, billing } = offered;
	const { subscription } = billing;
	if (!subscription) return null;
	const { bought, pending } = subscription;
	const isThis = (one: typeof bought | undefined) => one?.subject === "user" && one.priceId === price.id;
	if (isThis(pending?.bought)) {
		return (
			<span className="tag">
				From <Day ms={pending?.atMs ?? 0} />
			</span>
		);
	}
	if (isThis(bought)) {
		return (
			<>
				<span className="tag">Your plan</span>
				{pending && <Switch {...offered} verb="Keep this plan" look="quiet" />}
			</>
		);
	}
	const { now } = facts.paid;
	if (!now || obstacleTo(subscription)) return null;
	if (now.currency !== price.currency) {
		return <span className="fine">Not while you pay in {now.currency.toUpperCase()}</span>;
	}
	const charged = subscription.status !== "trialing" && changesWhen(subscription, now, price) === "when_paid";
	return charged ? <PaidSwitch {...offered} /> : <Switch {...offered} verb="Change to this plan" look="quiet" />;
}

/** Nothing is charged by one press of a button. */
function PaidSwitch(offered: OneOffer) {
	return (
		<details className="ask">
			<summary className="button quiet" aria-label={labelOf("Change to this plan", offered)}>
				Change to this plan
			</summary>
			<p>It is charged at once to what you pay with now, less what is left of the term that you have paid for.</p>
			<Switch {...offered} verb="Pay and change" look="primary" />
		</details>
	);
}

interface SwitchProps extends OneOffer {
	readonly verb: string;
	readonly look: "primary" | "quiet";
}

function Switch({ facts, price, plan, verb, look }: SwitchProps) {
	return (
		<Action
			facts={facts}
			to="switch"
			fields={{ price_id: price.id }}
			look={look}
			label={labelOf(verb, { plan, price })}
		>
			{verb}
		</Action>
	);
}
