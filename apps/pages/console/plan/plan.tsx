import type { App, AppBilling, Invoice } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import { Alert, amountText, Day } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { Facts } from "../kit/facts.tsx";
import { ActForm } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { AskChange, readChange } from "./change.tsx";
import { buy, Offers } from "./offers.tsx";
import { type FormProps, leadOn, limitText, planPath } from "./parts.tsx";

/* The plan that an App itself is on, and what it pays for it. */

export const planScreen: Screen = {
	path: "/:app/plan",
	get: (visit, refused) => showPlan(visit, refused),
	acts: { checkout: buy, cancel, resume, payment_method: changePaymentMethod },
};

async function showPlan(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: id = "" } = visit.params;
	const calls = visit.api.apps.of(id).billing;
	const [app, billing] = await Promise.all([visit.api.apps.get(id), calls.get()]);
	const cursor = visit.url.searchParams.get("cursor") ?? undefined;
	const change = await readChange(visit, app, billing, refused);
	const invoices = hasRole(app, "admin") && !change ? await calls.invoices.list({ cursor }) : undefined;
	const form: FormProps = { visit, app, billing, here: planPath(app), refused };
	const children = (
		<>
			<div className="card">
				{billing.locks_at !== null && (
					<Alert>{t("plan.unpaid", { day: <Day ms={Date.parse(billing.locks_at)} /> })}</Alert>
				)}
				<Facts facts={factsOf(app, billing)} />
				{billing.status !== "inactive" && hasRole(app, "admin") && <Deeds {...form} />}
			</div>
			{change ? <AskChange {...form} change={change} /> : <Offers {...form} />}
			{invoices && invoices.data.length > 0 && (
				<>
					<h2>{t("plan.invoices")}</h2>
					<Invoices invoices={invoices.data} mayRead={app.role === "owner"} />
				</>
			)}
			<Pager visit={visit} next={invoices?.pagination.next_cursor ?? null} />
		</>
	);
	return screenPage(visit, { title: t("plan"), app, screen: "plan", children });
}

type Fact = readonly [name: Text, value: ReactNode];

function factsOf(app: App, billing: AppBilling): readonly Fact[] {
	const day = (text: string) => <Day ms={Date.parse(text)} />;
	const { next_charge: charge, current_period_end: end, pending_plan: pending, pending_effective_at: from } = billing;
	const paid: readonly Fact[] = [
		...(charge
			? [[t("plan.next"), t("plan.charge", { amount: amountText(charge), day: day(charge.at) })] as const]
			: []),
		...(end !== null && billing.cancel_at_period_end ? [[t("plan.ends"), day(end)] as const] : []),
		...(pending !== null && from !== null
			? [[t("plan.pending"), t("plan.from", { plan: <bdi>{pending}</bdi>, day: day(from) })] as const]
			: []),
	];
	return [
		[t("plan"), <bdi key="plan">{billing.plan}</bdi>],
		...(billing.paid_plan === null ? [] : [[t("plan.paid"), <bdi key="paid">{billing.paid_plan}</bdi>] as const]),
		...(billing.granted_plan === null
			? []
			: [[t("plan.granted"), <bdi key="granted">{billing.granted_plan}</bdi>] as const]),
		[t("plan.status"), t(`plan.status.${billing.status}` as "plan.status.active")],
		...paid,
		[t("images"), limitText(app.limits.images)],
		[t("users"), limitText(app.limits.users)],
	];
}

/** What can be done with what is paid: none of it charges anything. */
function Deeds({ visit, billing, here, refused }: FormProps) {
	const ends = billing.cancel_at_period_end;
	const form = { visit, action: here, refused };
	return (
		<div className="acts">
			<ActForm {...form} act="payment_method">
				<button className="quiet slim" type="submit">
					{t("plan.method")}
				</button>
			</ActForm>
			{ends ? (
				<ActForm {...form} act="resume">
					<button className="primary slim" type="submit">
						{t("plan.resume")}
					</button>
				</ActForm>
			) : (
				<details className="ask" open={refused?.act === "cancel"}>
					<summary className="button quiet slim">{t("plan.cancel.ask")}</summary>
					<ActForm {...form} act="cancel">
						<p>
							{billing.current_period_end === null
								? t("plan.cancel.about")
								: t("plan.cancel.until", { day: <Day ms={Date.parse(billing.current_period_end)} /> })}
						</p>
						<button className="final" type="submit">
							{t("plan.cancel")}
						</button>
					</ActForm>
				</details>
			)}
		</div>
	);
}

/** A receipt is a page for who pays. */
function Invoices({ invoices, mayRead }: { readonly invoices: readonly Invoice[]; readonly mayRead: boolean }) {
	const lines = invoices.map((invoice) => {
		const money = (amount: number) => amountText({ amount, currency: invoice.currency });
		return {
			id: invoice.id,
			cells: [
				mayRead ? (
					<a key="number" href={invoice.receipt_url}>
						{invoice.number}
					</a>
				) : (
					invoice.number
				),
				<Day key="day" ms={Date.parse(invoice.created_at)} />,
				invoice.status,
				money(invoice.total),
				money(invoice.amount_paid),
				money(invoice.amount_refunded),
			],
		};
	});
	const columns = ["number", "day", "state", "total", "paid", "refunded"].map((name) =>
		t(`invoice.${name}` as "invoice.number"),
	);
	return <Lines caption={t("plan.invoices")} columns={columns} numbers={[3, 4, 5]} lines={lines} />;
}

function billingOf({ api, params }: ConsolePost) {
	return api.apps.of(params.app ?? "").billing;
}

async function cancel(post: ConsolePost): Promise<PageResult> {
	await billingOf(post).cancel();
	return await done(post, "plan_cancelled");
}

async function resume(post: ConsolePost): Promise<PageResult> {
	await billingOf(post).resume();
	return await done(post, "plan_resumed");
}

async function changePaymentMethod(post: ConsolePost): Promise<PageResult> {
	return await leadOn(post, (await billingOf(post).changePaymentMethod()).url, t("plan.method"));
}

async function done(post: ConsolePost, what: string): Promise<PageResult> {
	await post.leave({ what });
	return redirect(planPath({ id: post.params.app ?? "" }));
}
