import { changesWhen, hasPlan, taxBehaviorFor, type UserBilling } from "@svc/billing/payers/user-billing";
import type { PlanPrice, SoldPlan } from "@svc/billing/plans/plan";
import { Day, Notice } from "../kit/parts.tsx";
import { type Message, type Text, usePlain } from "../kit/text.ts";
import { t as plans } from "../plans/messages.ts";
import { ChangeCost, payWords, shownFields } from "./billing-change.tsx";
import { Action, type CardFacts, type CardOffers, changeTerms, type Offered, obstacleTo } from "./billing-parts.tsx";
import { t } from "./messages.ts";
import { buyWords, Intervals, nothingYet, PlanCard, PlansHead, PriceRow } from "./plan-card.tsx";
import { priceText } from "./price-text.ts";

/* The plans of an App on the billing card. */

export const planOffers: CardOffers = {
	list: (offered) => <Offers {...offered} />,
	nothing: (offered) => <Nothing {...offered} />,
};

function Nothing({ billing: { subscription, grant } }: Offered) {
	if (grant) {
		const facts = {
			plan: <bdi>{grant.plan.name}</bdi>,
			app: <bdi>{grant.app.name}</bdi>,
			day: <Day ms={grant.untilMs} />,
		};
		return <p>{plans("granted", facts)}</p>;
	}
	return <p>{t(subscription ? "ended" : "none")}</p>;
}

function Offers({ facts, billing }: Offered) {
	const has = hasPlan(billing);
	if (!has && (!facts.selling || facts.plans.length === 0)) return <Notice>{t("sells_none")}</Notice>;
	if (facts.plans.length === 0) return null;
	const meant = meantOf(facts);
	return (
		<>
			<PlansHead change={has} terms={termsOf(billing)} />
			<Intervals plans={facts.plans} first={meant?.interval} />
			{facts.plans.map((plan) => (
				<PlanCard key={plan.id} plan={plan} meant={plan.prices.some(({ id }) => id === meant?.id)}>
					{plan.prices.map((price) => (
						<Offer key={price.id} plan={plan} price={price} facts={facts} billing={billing} />
					))}
				</PlanCard>
			))}
		</>
	);
}

/** The price that the App's link chose, else the one that is paid. */
function meantOf({ plans, card, paid }: CardFacts): PlanPrice | undefined {
	const all = plans.flatMap(({ prices }) => prices);
	return all.find(({ id }) => id === card.priceId) ?? all.find(({ id }) => id === paid.now?.id);
}

function termsOf(billing: UserBilling): Message {
	const { subscription } = billing;
	if (!subscription || !hasPlan(billing)) return nothingYet();
	return obstacleTo(subscription) ?? changeTerms(subscription);
}

interface OneOffer extends Offered {
	readonly plan: SoldPlan;
	readonly price: PlanPrice;
}

function Offer(offered: OneOffer) {
	const { plan, price, facts, billing } = offered;
	const has = hasPlan(billing);
	return (
		<PriceRow
			plan={plan}
			price={price}
			taxBehavior={taxBehaviorFor(billing)}
			chosen={facts.card.priceId === price.id}
			trial={has ? undefined : billing.trialEligible}
		>
			{has ? <SwitchTo {...offered} /> : <Buy {...offered} />}
		</PriceRow>
	);
}

/** Several buttons say the same: a reader who does not see what they stand beside hears what each is about. */
function labelOf(verb: Text, { plan, price, billing }: Pick<OneOffer, "plan" | "price" | "billing">): Message {
	return t("offer.label", { verb, plan: plan.name, price: priceText(price, taxBehaviorFor(billing)) });
}

function Buy({ plan, price, facts, billing }: OneOffer) {
	const verb = buyWords(price, billing.trialEligible);
	return (
		<Action
			facts={facts}
			to="checkout"
			fields={{ price_id: price.id }}
			look="primary"
			label={labelOf(verb, { plan, price, billing })}
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
		return <span className="tag">{t("offer.from", { day: <Day ms={pending?.atMs ?? 0} /> })}</span>;
	}
	if (isThis(bought)) {
		return (
			<>
				<span className="tag">{t("offer.yours")}</span>
				{pending && <Switch {...offered} verb={t("offer.keep")} look="quiet" />}
			</>
		);
	}
	const { now } = facts.paid;
	if (!now || obstacleTo(subscription)) return null;
	if (now.currency !== price.currency) {
		return <span className="fine">{t("offer.currency", { currency: now.currency.toUpperCase() })}</span>;
	}
	const charged = subscription.status !== "trialing" && changesWhen(subscription, now, price) === "when_paid";
	return charged ? <PaidSwitch {...offered} /> : <Switch {...offered} verb={t("offer.switch")} look="quiet" />;
}

/** Nothing is charged by one press of a button. */
function PaidSwitch(offered: OneOffer) {
	const say = usePlain();
	const { facts, price, billing } = offered;
	const preview = facts.changes.get(price.id);
	return (
		<details className="ask">
			<summary className="button quiet" aria-label={say(labelOf(t("offer.switch"), offered))}>
				{t("offer.switch")}
			</summary>
			{preview ? (
				<ChangeCost preview={preview} price={price} taxBehavior={taxBehaviorFor(billing)} />
			) : (
				<p>{t("offer.switch.about")}</p>
			)}
			<Action facts={facts} to="switch" fields={{ price_id: price.id, ...shownFields(facts, price.id) }} look="primary">
				{preview ? payWords(preview) : plans("pay.change")}
			</Action>
		</details>
	);
}

interface SwitchProps extends OneOffer {
	readonly verb: Text;
	readonly look: "primary" | "quiet";
}

function Switch({ facts, price, plan, billing, verb, look }: SwitchProps) {
	return (
		<Action
			facts={facts}
			to="switch"
			fields={{ price_id: price.id }}
			look={look}
			label={labelOf(verb, { plan, price, billing })}
		>
			{verb}
		</Action>
	);
}
