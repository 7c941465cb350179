import type { App, ManagedPlan } from "@svc/sdk/shapes";
import { priceText } from "../../billing/price-text.ts";
import { ActForm, MONEY, SelectField, TextField } from "../kit/forms.tsx";
import { refusal } from "../kit/refusals.ts";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { taxBehaviorOf } from "./look.tsx";
import { readAmount, readWhole, UNREAD } from "./money.ts";

/* A price is made in two steps, since it never changes: its terms, and then the button that says them, above the card with it. */

export interface Terms {
	readonly amount: number;
	readonly currency: string;
	readonly interval: "month" | "year";
	readonly trialDays: number;
}

const ACT = "price";

/** What a form or an address says of a price. */
export function termsOf(fields: ReadonlyMap<string, string>): Terms {
	const text = (name: string) => fields.get(name)?.trim() ?? "";
	const currency = text("currency").toLowerCase();
	const interval = text("interval") === "year" ? "year" : "month";
	const amount = readAmount(text("amount"), currency) ?? UNREAD;
	return { amount, currency, interval, trialDays: readWhole(text("trial_days")) ?? 0 };
}

/** The price that the address asks to see, or what cannot be read of it. */
export function askedPrice({ url: { searchParams } }: ConsoleVisit): { terms?: Terms; refused?: Refused } {
	const form = new Map(searchParams);
	if (!form.has("amount")) return {};
	const terms = termsOf(form);
	const fault =
		(!/^[a-z]{3}$/.test(terms.currency) && refusal("currency", "must have three letters, as usd")) ||
		(terms.amount < 0 && refusal("amount", MONEY)) ||
		(terms.trialDays < 0 && refusal("trial_days", "must be a whole number"));
	return fault ? { refused: { act: ACT, form, error: fault } } : { terms };
}

interface NewPriceProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly here: string;
	readonly plan: ManagedPlan;
	readonly refused: Refused | undefined;
}

export function NewPrice({ visit, app, here, plan, refused }: NewPriceProps) {
	const asked = askedPrice(visit);
	const { terms } = refused ? {} : asked;
	const typed = Object.fromEntries(NAMES.map((name) => [name, visit.url.searchParams.get(name) ?? ""]));
	return (
		<section className="card narrow" aria-labelledby="price">
			<h2 id="price">{t("price.new.of", { plan: <bdi>{plan.name}</bdi> })}</h2>
			<TermsForm
				here={here}
				plan={plan}
				typed={typed}
				isAsked={terms !== undefined}
				refused={refused ?? asked.refused}
			/>
			{terms && (
				<ActForm visit={visit} action={`${here}${visit.url.search}`} act={ACT} fields={{ ...typed, plan: plan.id }}>
					<p>{t("price.final")}</p>
					<button className="primary" type="submit">
						{t("price.add", { price: priceText(terms, taxBehaviorOf(app)) })}
					</button>
				</ActForm>
			)}
			<p>
				<a href={here}>{t("cancel")}</a>
			</p>
		</section>
	);
}

const NAMES = ["amount", "currency", "interval", "trial_days"] as const;

interface TermsFormProps extends Pick<NewPriceProps, "here" | "plan" | "refused"> {
	readonly typed: Readonly<Record<string, string>>;
	/** The button that sells at them stands below. */
	readonly isAsked: boolean;
}

/** Changes nothing: it leads to the button with the amount. */
function TermsForm({ here, plan, typed, isAsked, refused }: TermsFormProps) {
	const common = { act: ACT, refused };
	return (
		<form method="get" action={here}>
			<input type="hidden" name="price" value={plan.id} />
			<TextField
				{...common}
				name="amount"
				label={t("price.amount")}
				hint={t("price.amount.hint")}
				value={typed.amount ?? ""}
				input={{ required: true, inputMode: "decimal", maxLength: 13 }}
			/>
			<TextField
				{...common}
				name="currency"
				label={t("price.currency")}
				hint={t("price.currency.hint")}
				value={typed.currency || plan.prices.at(-1)?.currency || ""}
				input={{ required: true, maxLength: 3, autoCapitalize: "none", spellCheck: false }}
			/>
			<SelectField
				{...common}
				name="interval"
				label={t("price.interval")}
				value={typed.interval ?? ""}
				options={[
					{ value: "month", text: t("price.month") },
					{ value: "year", text: t("price.year") },
				]}
			/>
			<TextField
				{...common}
				name="trial_days"
				label={t("price.trial")}
				value={typed.trial_days || "0"}
				input={{ inputMode: "numeric", maxLength: 3 }}
			/>
			<button className={isAsked ? "quiet" : "primary"} type="submit">
				{t("price.check")}
			</button>
		</form>
	);
}
