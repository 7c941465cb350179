import { changesWhen, hasPlan, taxBehaviorFor, type UserBilling } from "@svc/billing/payers/user-billing";
import type { PlanPrice, SoldPlan } from "@svc/billing/plans/plan";
import { amountText } from "../kit/money.ts";
import { Day, fileSize, Notice } from "../kit/parts.tsx";
import { type Message, type Text, usePlain } from "../kit/text.ts";
import { t as plans } from "../plans/messages.ts";
import { ChangeCost, payWords, shownFields } from "./billing-change.tsx";
import {
	Action,
	type CardFacts,
	type CardOffers,
	changeTerms,
	nothingYet,
	type Offered,
	obstacleTo,
} from "./billing-parts.tsx";
import { t } from "./messages.ts";
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
	return (
		<>
			<div className="stack next">
				<h2>{t(has ? "change" : "choose")}</h2>
				<p className="soft">{termsOf(billing)}</p>
			</div>
			<Intervals facts={facts} />
			{facts.plans.map((plan) => (
				<section
					className={plan.prices.some(({ id }) => id === meantOf(facts)?.id) ? "card meant" : "card"}
					key={plan.id}
					aria-labelledby={plan.id}
				>
					<div className="stack" dir="auto">
						<h3 id={plan.id}>{plan.name}</h3>
						{plan.description && <p>{plan.description}</p>}
						<Benefits plan={plan} />
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

/** The price that the App's link chose, else the one that is paid. */
function meantOf({ plans, card, paid }: CardFacts): PlanPrice | undefined {
	const all = plans.flatMap(({ prices }) => prices);
	return all.find(({ id }) => id === card.priceId) ?? all.find(({ id }) => id === paid.now?.id);
}

const INTERVALS = ["month", "year"] as const;

function isSwitched({ prices }: SoldPlan): boolean {
	return INTERVALS.every((interval) => prices.some((price) => price.interval === interval));
}

/**
 * Which prices are shown of the plans that have both: the sheet does it, so that no script is needed, and a browser that cannot shows all.
 * It sends nothing.
 */
function Intervals({ facts }: { readonly facts: CardFacts }) {
	if (!facts.plans.some(isSwitched)) return null;
	const first = meantOf(facts)?.interval ?? "month";
	return (
		<fieldset className="intervals">
			<legend>{t("interval")}</legend>
			{INTERVALS.map((interval) => (
				<label key={interval}>
					<input type="radio" name="interval" value={interval} defaultChecked={interval === first} />
					<span>{t(`interval.${interval}`)}</span>
				</label>
			))}
		</fieldset>
	);
}

/** What the service holds, before what the App promises. */
function Benefits({ plan: { benefits, imagesLimit, bytesLimit } }: { readonly plan: SoldPlan }) {
	if (benefits.length === 0 && imagesLimit === null && bytesLimit === null) return null;
	return (
		<ul className="benefits">
			{imagesLimit !== null && <li>{t("offer.images", { count: imagesLimit })}</li>}
			{bytesLimit !== null && <li>{t("offer.bytes", { size: fileSize(bytesLimit) })}</li>}
			{benefits.map((benefit, place) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the list is rendered once, and benefits may repeat
				<li key={place}>{benefit}</li>
			))}
		</ul>
	);
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
	const chosen = facts.card.priceId === price.id;
	const has = hasPlan(billing);
	return (
		<li
			data-price={price.id}
			data-interval={isSwitched(plan) ? price.interval : undefined}
			aria-current={chosen ? "true" : undefined}
		>
			<div className="what">
				<span>
					{t("price", {
						amount: <strong>{amountText(price)}</strong>,
						interval: price.interval,
						tax: taxBehaviorFor(billing) ?? "none",
					})}
					{chosen && <span className="tag">{t("offer.chosen")}</span>}
				</span>
				{!has && price.trialDays > 0 && (
					<p>{billing.trialEligible ? t("offer.trial", { days: price.trialDays }) : t("offer.no_trial")}</p>
				)}
			</div>
			<div className="acts">{has ? <SwitchTo {...offered} /> : <Buy {...offered} />}</div>
		</li>
	);
}

/** Several buttons say the same: a reader who does not see what they stand beside hears what each is about. */
function labelOf(verb: Text, { plan, price, billing }: Pick<OneOffer, "plan" | "price" | "billing">): Message {
	return t("offer.label", { verb, plan: plan.name, price: priceText(price, taxBehaviorFor(billing)) });
}

function Buy({ plan, price, facts, billing }: OneOffer) {
	const trial = price.trialDays > 0 && billing.trialEligible;
	const verb = trial ? t("offer.try", { days: price.trialDays }) : t("checkout.subscribe");
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
