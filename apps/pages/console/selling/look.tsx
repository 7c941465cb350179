import type { App, ManagedPlan, ManagedPrice } from "@svc/sdk/shapes";
import {
	buyWords,
	Intervals,
	nothingYet,
	PlanCard,
	PlansHead,
	PriceRow,
	type ShownPlan,
} from "../../billing/plan-card.tsx";
import type { Text } from "../../kit/text.ts";
import { t } from "../messages.ts";

/* The billing card of an App as it looks to who may buy, made of that card's own parts. */

export function taxBehaviorOf({ tax }: Pick<App, "tax">) {
	return tax.mode === "automatic" ? (tax.behavior as "inclusive" | "exclusive") : null;
}

/** As the card has it: its prices that are on sale. */
export function shownPlan({ limits, prices, ...plan }: ManagedPlan): ShownPlan {
	const shown = prices.filter(({ on_sale }) => on_sale).map(shownPrice);
	return { ...plan, imagesLimit: limits.images, bytesLimit: limits.bytes, prices: shown };
}

function shownPrice({ id, amount, currency, interval, trial_days }: ManagedPrice): ShownPlan["prices"][number] {
	return { id, amount, currency, interval: interval as "month", trialDays: trial_days };
}

interface LookProps {
	readonly app: App;
	/** The path of the sheet with the App's colour. */
	readonly sheet: string | null;
	/** In the order of the card. */
	readonly plans: readonly ShownPlan[];
	/** Which prices are seen first. */
	readonly first?: "month" | "year" | undefined;
}

/** Light and dark beside each other, whatever the browser asks for. Its buttons do nothing. */
export function Look({ app, sheet, plans, first }: LookProps) {
	const sold = plans.filter(({ prices }) => prices.length > 0);
	if (sold.length === 0) return null;
	return (
		<section className="stack" aria-labelledby="look">
			{sheet && <link rel="stylesheet" href={sheet} />}
			<h2 id="look">{t("look")}</h2>
			<p className="soft">{t("look.about")}</p>
			<Intervals plans={sold} first={first} />
			<div className="looks">
				<OneLook scheme="light" title={t("look.light")} app={app} plans={sold} />
				<OneLook scheme="dark" title={t("look.dark")} app={app} plans={sold} />
			</div>
		</section>
	);
}

interface OneLookProps extends Pick<LookProps, "app" | "plans"> {
	readonly scheme: "light" | "dark";
	readonly title: Text;
}

function OneLook({ scheme, title, app, plans }: OneLookProps) {
	return (
		<figure>
			<figcaption className="fine">{title}</figcaption>
			<div className={`look in-${scheme}`}>
				<PlansHead terms={nothingYet()} />
				{plans.map((plan) => (
					<PlanCard key={plan.id} plan={plan} isPicture>
						{plan.prices.map((price) => (
							<PriceRow key={price.id} plan={plan} price={price} taxBehavior={taxBehaviorOf(app)} trial>
								<button className="primary" type="button" disabled>
									{buyWords(price, true)}
								</button>
							</PriceRow>
						))}
					</PlanCard>
				))}
			</div>
		</figure>
	);
}
