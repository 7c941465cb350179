import { moneyText } from "@svc/base/words/money";
import { graceUntilOf, nextChargeOf, ownAccessOf } from "@svc/billing/payers/own-plans";
import { planNameOf, taxBehaviorOf, termsOf } from "@svc/billing/plans/bought";
import type { Bought } from "@svc/billing/plans/plan";
import type { OwnPlan } from "@svc/billing/subscription";
import { isUnpaid } from "@svc/billing/subscription";
import { Day, Name } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import { local, type Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/* What a plan of one's own is, and how it stands, in words. */

/** An amount in the currency's smallest unit, as each language writes it. */
export function money(amount: number, currency: string): Message {
	return local((locale) => moneyText(amount, currency, locale));
}

function priceText(bought: Bought): Message {
	const { amount, currency, interval } = termsOf(bought);
	return t("price", { interval, amount: money(amount, currency), tax: taxBehaviorOf(bought) ?? "none" });
}

/** The plan with what it is for. */
export function planTitle({ bought, storage, app, seller }: OwnPlan): Message {
	const plan = <bdi>{planNameOf(bought)}</bdi>;
	if (!app) return t("of.personal", { plan });
	const named = { plan, app: <bdi>{app.name}</bdi> };
	if (storage === "app") return t("of.own", named);
	return seller.kind === "app" ? t("of.app", named) : t("of.user", named);
}

interface StandingProps {
	readonly rooms: PagesRooms;
	readonly plan: OwnPlan;
}

/** How a plan stands, a sentence or two, and what comes next. */
export function Standing({ rooms, plan }: StandingProps) {
	const { credit } = plan;
	const next = nextChargeOf(plan);
	return (
		<>
			<p>{stateOf(rooms, plan)}</p>
			<Waiting plan={plan} />
			{next && <p>{t("state.next", { amount: money(next.amount, next.currency), day: <Day ms={next.atMs} /> })}</p>}
			{credit > 0 && <p>{t("credit", { amount: money(credit, termsOf(plan.bought).currency) })}</p>}
		</>
	);
}

function stateOf(rooms: PagesRooms, plan: OwnPlan): Message {
	if (plan.withdrawnMs !== null) return t("state.withdrawn");
	if (plan.endedMs !== null) return t("state.ended", { day: <Day ms={plan.endedMs} /> });
	if (plan.dispute?.state === "open") return t("state.disputed");
	if (plan.collectionPaused) return t("state.paused", { app: <Name>{plan.app?.name ?? plan.appName}</Name> });
	const access = ownAccessOf(rooms.billing, plan);
	if (access.status === "unconfirmed") return t("state.unconfirmed");
	if (access.status === "inactive") return t("state.unpaid");
	const day = <Day ms={access.expiresMs} />;
	if (access.status === "grace") return t("state.grace", { day });
	if (plan.cancelAtPeriodEnd) return t("state.cancelled", { day });
	return t(access.status === "trialing" ? "state.trial" : "state.active", { day, price: priceText(plan.bought) });
}

function Waiting({ plan: { pending, unpaidChange, endedMs } }: Pick<StandingProps, "plan">) {
	if (endedMs !== null) return null;
	if (unpaidChange) {
		const { bought, amount } = unpaidChange;
		const due = money(amount, termsOf(bought).currency);
		return <p>{t("waiting.payment", { plan: <Name>{planNameOf(bought)}</Name>, amount: due })}</p>;
	}
	if (!pending) return null;
	const plan = <Name>{planNameOf(pending.bought)}</Name>;
	return <p>{t("waiting.renewal", { day: <Day ms={pending.atMs} />, plan, price: priceText(pending.bought) })}</p>;
}

/** Until when a plan stays once it is cancelled; null where it ends at once. */
export function staysUntil({ billing }: PagesRooms, plan: OwnPlan): number | null {
	if (isUnpaid(plan) || graceUntilOf(plan, billing.graceMs) !== null) return null;
	return plan.status === "trialing" ? (plan.trialEndMs ?? plan.periodEndMs) : plan.periodEndMs;
}
