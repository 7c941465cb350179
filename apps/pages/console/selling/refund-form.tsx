import type { Invoice, ManagedSubscription } from "@svc/sdk/shapes";
import { amountText } from "../../kit/parts.tsx";
import { ActForm, MONEY, TextField } from "../kit/forms.tsx";
import { refusal } from "../kit/refusals.ts";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { amountField, readAmount } from "./money.ts";
import { leftOf } from "./subscribers.tsx";

const ACT = "refund";

interface RefundFormProps {
	readonly visit: ConsoleVisit;
	/** Where the subscription stands. */
	readonly here: string;
	readonly of: ManagedSubscription;
	readonly invoice: Invoice;
	readonly refused: Refused | undefined;
}

/** Another amount is a step of its own, so that the button always says what it pays back. */
export function RefundForm({ visit, here, of, invoice, refused }: RefundFormProps) {
	const { id, number, currency } = invoice;
	const left = leftOf(invoice);
	if (left <= 0) return <p className="notice">{t("refund.none")}</p>;
	const asked = askedAmount(visit, invoice);
	const { amount = left } = asked;
	const action = `${here}${visit.url.search}`;
	const fields = { invoice: id, currency, amount: amountField(amount, currency) };
	return (
		<section className="card narrow" aria-labelledby="refund">
			<h2 id="refund">{t("refund.of", { number })}</h2>
			<p>{t("refund.left", { amount: amountText({ amount: left, currency }) })}</p>
			{of.dispute?.state === "open" && <p className="notice">{t("refund.disputed")}</p>}
			<form method="get" action={here}>
				<input type="hidden" name="refund" value={id} />
				<TextField
					act={ACT}
					name="amount"
					label={t("refund.amount", { currency: currency.toUpperCase() })}
					value={fields.amount}
					refused={refused ?? asked.refused}
					input={{ required: true, inputMode: "decimal", maxLength: 13 }}
				/>
				<button className="quiet" type="submit">
					{t("refund.check")}
				</button>
			</form>
			<ActForm visit={visit} action={action} act={ACT} fields={fields} refused={refused}>
				<TextField
					act={ACT}
					name="reason"
					label={t("refund.reason")}
					hint={t("refund.reason.hint")}
					refused={refused}
					input={{ required: true, maxLength: 500 }}
				/>
				<p className="soft">{t("refund.about")}</p>
				<div className="acts">
					{asked.refused === undefined && (
						<button className="final" type="submit">
							{t("refund.pay", { amount: amountText({ amount, currency }) })}
						</button>
					)}
					<a href={here}>{t("cancel")}</a>
				</div>
			</ActForm>
		</section>
	);
}

/** What the address asks to pay back; the API says where it is too much. */
function askedAmount(
	{ url: { searchParams } }: ConsoleVisit,
	{ currency }: Invoice,
): { amount?: number; refused?: Refused } {
	const form = new Map(searchParams);
	const text = form.get("amount");
	if (text === undefined) return {};
	const amount = readAmount(text, currency);
	return amount === undefined ? { refused: { act: ACT, form, error: refusal("amount", MONEY) } } : { amount };
}
