import type { App, AppBilling, AppPlanChange } from "@svc/sdk/shapes";
import { amountText, Day } from "../../kit/parts.tsx";
import { ActForm } from "../kit/forms.tsx";
import { type ConsoleVisit, isRefusal, type Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import type { FormProps } from "./parts.tsx";

/* Another plan than the one that is paid for: what it costs stands on the button, and just that is charged. */

type Change = AppPlanChange & { readonly interval: string };

/** The change that an address asks about, or a form that was refused; undefined where nothing is paid, or nothing asked. */
export async function readChange(
	visit: ConsoleVisit,
	app: App,
	billing: AppBilling,
	refused: Refused | undefined,
): Promise<Change | undefined> {
	const asked = refused?.act === "checkout" ? refused.form : visit.url.searchParams;
	const [plan, interval] = [asked.get("plan"), asked.get("interval") ?? "month"];
	if (!plan || billing.paid_plan === null || app.role !== "owner") return undefined;
	try {
		return { ...(await visit.api.apps.of(app.id).billing.preview(plan, { interval })), interval };
	} catch (cause) {
		// What the form was refused for stands above the offers.
		if (refused && isRefusal(cause, "state_conflict", "validation_error")) return undefined;
		throw cause;
	}
}

export function AskChange({ visit, here, refused, change }: FormProps & { readonly change: Change }) {
	const { plan, interval, at, currency, effective } = change;
	const money = (amount: number) => amountText({ amount, currency });
	const next = { amount: money(change.next_amount), day: <Day ms={Date.parse(change.next_at)} /> };
	const words =
		effective === "now" ? t("plan.change.now", { amount: money(change.amount_now) }) : t("plan.change.then", next);
	return (
		<div className="card narrow">
			<h2>{t("plan.change", { plan: <bdi>{plan}</bdi> })}</h2>
			<p>
				{effective === "now"
					? t("plan.change.cost", { now: money(change.amount_now), ...next })
					: t("plan.change.later", next)}
			</p>
			<ActForm visit={visit} action={here} act="checkout" fields={{ plan, interval, at }} refused={refused}>
				<div className="actions">
					<button className="primary" type="submit">
						{words}
					</button>
					<a className="button quiet" href={here}>
						{t("plan.keep")}
					</a>
				</div>
			</ActForm>
		</div>
	);
}
