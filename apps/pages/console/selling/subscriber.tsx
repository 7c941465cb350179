import type { App, Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { amountText, Day } from "../../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { Facts } from "../kit/facts.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { readAmount, UNREAD } from "./money.ts";
import { RefundForm } from "./refund-form.tsx";
import { leftOf, paidText, paysText, StateText, Who } from "./subscribers.tsx";

/* One subscription of an App: who pays it, what was charged for it, and what was paid back. */

export const subscriberScreen: Screen = {
	path: "/:app/subscribers/:subscription",
	get: showSubscriber,
	acts: { refund },
};

async function showSubscriber(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: id = "", subscription: of = "" } = visit.params;
	const [app, subscription] = await Promise.all([visit.api.apps.get(id), visit.api.apps.of(id).subscriptions.get(of)]);
	const here = `/console/${app.id}/subscribers/${subscription.id}`;
	const refunds = hasRole(app, "owner");
	const wanted = visit.url.searchParams.get("refund");
	const invoice = refunds ? subscription.invoices.find((one) => one.id === wanted) : undefined;
	const children = (
		<>
			<div className="card">
				<Facts facts={factsOf(app, subscription)} />
			</div>
			{invoice && <RefundForm visit={visit} here={here} of={subscription} invoice={invoice} refused={refused} />}
			{subscription.invoices.length === 0 ? (
				<p className="empty soft">{t("sub.invoices.none")}</p>
			) : (
				<Invoices here={here} of={subscription} refunds={refunds} />
			)}
		</>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={`/console/${app.id}/subscribers`}>
				← {t("subscribers")}
			</a>
			<h1>
				<Who of={subscription} />
			</h1>
		</div>
	);
	const title = subscription.email ?? t("sub.gone");
	return screenPage(visit, { title, heading, app, screen: "subscribers", children });
}

/** Each with its name. */
function factsOf(app: App, of: ManagedSubscription): Parameters<typeof Facts>[0]["facts"] {
	const { dispute, pending_effective_at: from, pending_plan_key: next, user_id: user } = of;
	return [
		[t("sub.plan"), <bdi key="plan">{of.plan_key}</bdi>],
		[t("sub.pays"), paysText(app, of)],
		[t("sub.state"), <StateText key="state" of={of} />],
		...(next === null || from === null
			? []
			: [[t("sub.pending"), <Pending key="next" plan={next} at={from} />] as const]),
		[t("sub.paid"), paidText(of)],
		[t("sub.since"), <Day key="since" ms={Date.parse(of.created_at)} />],
		...(dispute ? [[t("sub.dispute"), <Disputed key="dispute" of={of} />] as const] : []),
		...(user === null || of.email == null
			? []
			: [
					[
						t("sub.user"),
						<a key="user" href={`/console/${app.id}/users/${user}`}>
							{user}
						</a>,
					] as const,
				]),
		[t("id"), <code key="id">{of.id}</code>],
	];
}

function Pending({ plan, at }: { readonly plan: string; readonly at: string }) {
	return t("sub.pending.from", { plan: <bdi>{plan}</bdi>, day: <Day ms={Date.parse(at)} /> });
}

function Disputed({ of: { dispute, price } }: { readonly of: ManagedSubscription }) {
	if (!dispute) return null;
	const amount = amountText({ amount: dispute.amount, currency: price.currency });
	return t("sub.dispute.text", { amount, day: <Day ms={Date.parse(dispute.at)} />, state: dispute.state as "open" });
}

interface InvoicesProps {
	readonly here: string;
	readonly of: ManagedSubscription;
	/** Whether who looks may pay back. */
	readonly refunds: boolean;
}

/** The newest first. */
function Invoices({ here, of: { invoices }, refunds }: InvoicesProps) {
	const lines = invoices.toReversed().map((invoice) => ({
		id: invoice.id,
		cells: [
			<code key="number">{invoice.number}</code>,
			<Term key="term" of={invoice} />,
			<Total key="total" of={invoice} />,
			<Payment key="payment" of={invoice} />,
			<PaidBack key="back" of={invoice} />,
			refunds && leftOf(invoice) > 0 && (
				<a key="refund" className="button quiet slim" href={`${here}?refund=${invoice.id}`}>
					{t("refund")} …
				</a>
			),
		],
	}));
	const columns = [t("sub.number"), t("sub.term"), t("sub.total"), t("sub.payment"), t("sub.back"), ""];
	return <Lines caption={t("sub.invoices")} columns={columns} lines={lines} />;
}

function Term({ of: { period_start, period_end } }: { readonly of: Invoice }) {
	return t("sub.term.range", { from: <Day ms={Date.parse(period_start)} />, to: <Day ms={Date.parse(period_end)} /> });
}

function Total({ of: { total, tax, currency } }: { readonly of: Invoice }) {
	const sum = amountText({ amount: total, currency });
	return tax === 0 ? sum : t("sub.total.tax", { total: sum, tax: amountText({ amount: tax, currency }) });
}

function Payment({ of: { status, amount_paid, paid_at, currency } }: { readonly of: Invoice }) {
	if (status === "void") return t("sub.payment.void");
	if (paid_at === null) return <span className="tag warns">{t("sub.payment.open")}</span>;
	const amount = amountText({ amount: amount_paid, currency });
	return t("sub.payment.paid", { amount, day: <Day ms={Date.parse(paid_at)} /> });
}

function PaidBack({ of: { refunds, currency } }: { readonly of: Invoice }) {
	if (refunds.length === 0) return "–";
	return (
		<>
			{refunds.map(({ amount, at }, place) => (
				<p key={place.toString()}>
					{t("sub.back.one", { amount: amountText({ amount, currency }), day: <Day ms={Date.parse(at)} /> })}
				</p>
			))}
		</>
	);
}

/** Pays back what the button said, and nothing else: where less is left by now, it is refused. */
async function refund(post: ConsolePost): Promise<PageResult> {
	const { app = "", subscription = "" } = post.params;
	const text = (name: string) => post.form.get(name) ?? "";
	const amount = readAmount(text("amount"), text("currency")) ?? UNREAD;
	const wish = { invoice: text("invoice"), amount, reason: text("reason") };
	const { subscriptions } = post.api.apps.of(app);
	const key = post.idempotencyKey;
	await subscriptions.refund(subscription, wish, key ? { idempotencyKey: key } : {});
	await post.leave({ what: "refunded" });
	return redirect(`/console/${app}/subscribers/${subscription}`);
}
