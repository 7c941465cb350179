import type { App, Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { priceText } from "../../billing/price-text.ts";
import { amountText, Day } from "../../kit/parts.tsx";
import type { Page } from "../../kit/visit.ts";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import type { ConsoleVisit, Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { taxBehaviorOf } from "./look.tsx";

/* Who pays an App, and what. */

export const subscribersScreen: Screen = { path: "/:app/subscribers", get: showSubscribers };

async function showSubscribers(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const cursor = visit.url.searchParams.get("cursor") ?? undefined;
	const [app, { data, pagination }] = await Promise.all([
		visit.api.apps.get(id),
		visit.api.apps.of(id).subscriptions.list({ cursor }),
	]);
	const children = (
		<>
			{data.length === 0 ? <p className="empty soft">{t("sub.none")}</p> : <Table app={app} subscriptions={data} />}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("subscribers"), app, screen: "subscribers", children });
}

function Table({ app, subscriptions }: { readonly app: App; readonly subscriptions: readonly ManagedSubscription[] }) {
	const lines = subscriptions.map((one) => ({
		id: one.id,
		cells: [
			<a key="who" href={`/console/${app.id}/subscribers/${one.id}`}>
				<Who of={one} />
			</a>,
			<bdi key="plan">{one.plan_key}</bdi>,
			paysText(app, one),
			<StateText key="state" of={one} />,
			paidText(one),
			<Day key="since" ms={Date.parse(one.created_at)} />,
		],
	}));
	const columns = [t("sub.who"), t("sub.plan"), t("sub.pays"), t("sub.state"), t("sub.paid"), t("sub.since")];
	return <Lines caption={t("subscribers")} columns={columns} numbers={[4]} lines={lines} />;
}

/** Who has left an App is known there by no address any more. */
export function Who({ of: { email } }: { readonly of: ManagedSubscription }) {
	return email == null ? t("sub.gone") : <bdi>{email}</bdi>;
}

export function paysText(app: App, { price: { amount, currency, interval } }: ManagedSubscription) {
	return priceText({ amount, currency, interval: interval as "month" }, taxBehaviorOf(app));
}

/** Without what was paid back. */
export function paidText({ invoices, price: { currency } }: ManagedSubscription) {
	return amountText({ amount: invoices.reduce((sum, one) => sum + leftOf(one), 0), currency });
}

/** What could still be paid back of it. */
export function leftOf({ amount_paid, amount_refunded }: Invoice): number {
	return amount_paid - amount_refunded;
}

/** How it stands, and until when that is so. */
export function StateText({ of }: { readonly of: ManagedSubscription }) {
	const day = (at: string | null) => ({ day: at === null ? "–" : <Day ms={Date.parse(at)} /> });
	if (of.ended_at !== null) return t("sub.ended", day(of.ended_at));
	if (of.cancel_at_period_end) return t("sub.cancelled", day(of.cancel_at ?? of.current_period_end));
	if (of.status === "trialing") return t("sub.trialing", day(of.trial_end ?? of.current_period_end));
	if (of.status !== "active") return <span className="tag warns">{t("sub.late")}</span>;
	return t("sub.active", day(of.current_period_end));
}
