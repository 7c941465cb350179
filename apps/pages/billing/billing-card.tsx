import { hasPlan, type KnownAccess, mayWithdraw } from "@svc/billing/payers/user-billing";
import { taxBehaviorOf } from "@svc/billing/plans/bought";
import type { PlanPrice } from "@svc/billing/plans/plan";
import { isUnpaid, type Subscription } from "@svc/billing/subscription";
import { callbackUrl } from "@svc/connect/connections";
import { AppCard } from "../apps/app-card.tsx";
import { Alert, Day, Name, Notice } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";
import { t as plans } from "../plans/messages.ts";
import { Action, type CardFacts, frameOf, type Offered } from "./billing-parts.tsx";
import { t } from "./messages.ts";
import { priceText } from "./price-text.ts";

/* The HTML of the billing card. */

export function cardPage(facts: CardFacts): Page {
	const { card, email, billing, done, fault, status } = facts;
	const { app, redirectUri, state } = card;
	const body = (
		<>
			<div className="card">
				<div className="stack">
					<h1>{card.opened === "by_person" ? t("card.own") : t("card", { app: <Name>{app.name}</Name> })}</h1>
					<p className="soft">{plans("signed_in", { email: <Name>{email}</Name> })}</p>
				</div>
				<AppCard app={facts.app} />
				{fault && <Alert answers>{fault}</Alert>}
				{done && <Notice answers>{t(`done.${done}`)}</Notice>}
				{billing ? <Current facts={facts} billing={billing} /> : <Unconfirmed />}
				<p>
					<a className="back" href={state === null ? redirectUri : callbackUrl(redirectUri, { state })}>
						{card.opened === "by_app" ? t("card.back", { app: <Name>{app.name}</Name> }) : t("card.back.account")}
					</a>
				</p>
			</div>
			{billing && facts.offers.list({ facts, billing })}
			<p>
				<a href="/account/plans">{plans("all")}</a>
			</p>
		</>
	);
	return show(card.opened === "by_person" ? t("card.own") : t("card", { app: app.name }), body, {
		status,
		wide: true,
		app: frameOf(facts),
	});
}

function Unconfirmed() {
	return <Notice>{t("card.unconfirmed")}</Notice>;
}

function Current({ facts, billing }: Offered) {
	const { subscription } = billing;
	// What is given says nothing about what is paid for.
	const access = billing.grant ? ({ status: "inactive" } as const) : billing.access;
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
	readonly price: PlanPrice | undefined;
}

function Standing({ subscription, access, price }: StandingProps) {
	const { cancelAtPeriodEnd, bought } = subscription;
	const words = price && priceText(price, taxBehaviorOf(bought));
	if (access.status === "inactive") return t("standing.ended");
	const until = <Day ms={access.expiresMs} />;
	if (access.status === "grace") return t("standing.grace", { until });
	if (cancelAtPeriodEnd) return t("standing.cancelled", { until });
	if (access.status === "trialing") {
		return words ? t("standing.trial", { until, price: words }) : t("standing.trial.unpriced", { until });
	}
	return (
		<>
			{words && t("standing.price", { price: words })}
			{words && " "}
			{t(subscription.pending ? "standing.paid" : "standing.renews", { until })}
		</>
	);
}

type PendingProps = Pick<StandingProps, "subscription" | "price">;

function Pending({ subscription: { pending }, price }: PendingProps) {
	if (!pending) return null;
	const plan = <Name>{nameOf(pending)}</Name>;
	const words = price && priceText(price, taxBehaviorOf(pending.bought));
	return <p>{words ? t("pending.price", { plan, price: words }) : t("pending", { plan })}</p>;
}

function Manage({ facts, subscription }: { readonly facts: CardFacts; readonly subscription: Subscription }) {
	const unpaid = isUnpaid(subscription);
	const trial = subscription.status === "trialing";
	return (
		<>
			<div className="actions">
				<Action facts={facts} to="payment-method" look={unpaid ? "primary" : "quiet"}>
					{t(unpaid ? "pay.other" : "pay.method")}
				</Action>
				{subscription.cancelAtPeriodEnd ? (
					<Action facts={facts} to="resume" look="quiet">
						{t("resume")}
					</Action>
				) : (
					<Action facts={facts} to="cancel" look="quiet">
						{/* A plan that was never paid for has no term to stay until. */}
						{t(unpaid ? "cancel.now" : "cancel.end")}
					</Action>
				)}
			</div>
			{mayWithdraw(subscription, facts.nowMs) && (
				<details className="ask">
					<summary>{t(trial ? "withdraw.trial" : "withdraw")}</summary>
					<p>{t(trial ? "withdraw.trial.about" : "withdraw.about")}</p>
					<Action facts={facts} to="withdraw" look="danger">
						{t("withdraw.now")}
					</Action>
				</details>
			)}
		</>
	);
}
