import type { Interval, TaxBehavior } from "@svc/base/enumerations";
import type { ReactNode } from "react";
import { amountText, fileSize } from "../kit/parts.tsx";
import type { Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/* What an App sells, as people see it who may buy it: on the billing card, and before that in the console. It knows no room. */

export interface ShownPrice {
	readonly id: string;
	readonly amount: number;
	readonly currency: string;
	readonly interval: Interval;
	readonly trialDays: number;
}

export interface ShownPlan {
	readonly id: string;
	readonly name: string;
	readonly description: string;
	readonly benefits: readonly string[];
	readonly imagesLimit: number | null;
	readonly bytesLimit: number | null;
	readonly prices: readonly ShownPrice[];
}

/** What stands above the plans. */
export function PlansHead({ change = false, terms }: { readonly change?: boolean; readonly terms: ReactNode }) {
	return (
		<div className="stack next">
			<h2>{t(change ? "change" : "choose")}</h2>
			<p className="soft">{terms}</p>
		</div>
	);
}

/** What is said to who has bought nothing. */
export function nothingYet(): Message {
	return t("nothing_yet");
}

const INTERVALS = ["month", "year"] as const;

function isSwitched({ prices }: ShownPlan): boolean {
	return INTERVALS.every((interval) => prices.some((price) => price.interval === interval));
}

interface IntervalsProps {
	readonly plans: readonly ShownPlan[];
	/** Default: by the month. */
	readonly first?: Interval | undefined;
}

/**
 * Which prices are shown of the plans that have both: the sheet does it, so that no script is needed, and a browser that cannot shows all.
 * It sends nothing.
 */
export function Intervals({ plans, first = "month" }: IntervalsProps) {
	if (!plans.some(isSwitched)) return null;
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

interface PlanCardProps {
	readonly plan: ShownPlan;
	/** Nobody is led to it by its name: it is a picture of the card, of which a page has two. */
	readonly isPicture?: boolean;
	readonly meant?: boolean;
	/** Its prices. */
	readonly children: ReactNode;
}

export function PlanCard({ plan, isPicture = false, meant = false, children }: PlanCardProps) {
	const id = isPicture ? undefined : plan.id;
	return (
		<section className={meant ? "card meant" : "card"} aria-labelledby={id}>
			<div className="stack" dir="auto">
				<h3 id={id}>{plan.name}</h3>
				{plan.description && <p>{plan.description}</p>}
				<Benefits plan={plan} />
			</div>
			<ul className="rows">{children}</ul>
		</section>
	);
}

/** What the service holds, before what the App promises. */
function Benefits({ plan: { benefits, imagesLimit, bytesLimit } }: { readonly plan: ShownPlan }) {
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

interface PriceRowProps {
	readonly plan: ShownPlan;
	readonly price: ShownPrice;
	readonly taxBehavior: TaxBehavior | null;
	/** The link that led here has chosen it. */
	readonly chosen?: boolean;
	/** Whether who looks may have its trial; left out where trials are no matter. */
	readonly trial?: boolean | undefined;
	/** What can be done with it. */
	readonly children: ReactNode;
}

export function PriceRow({ plan, price, taxBehavior, chosen = false, trial, children }: PriceRowProps) {
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
						tax: taxBehavior ?? "none",
					})}
					{chosen && <span className="tag">{t("offer.chosen")}</span>}
				</span>
				{trial !== undefined && price.trialDays > 0 && (
					<p>{trial ? t("offer.trial", { days: price.trialDays }) : t("offer.no_trial")}</p>
				)}
			</div>
			<div className="acts">{children}</div>
		</li>
	);
}

/** What the button says that buys at a price. */
export function buyWords({ trialDays }: ShownPrice, trial: boolean): Message {
	return trialDays > 0 && trial ? t("offer.try", { days: trialDays }) : t("checkout.subscribe");
}
