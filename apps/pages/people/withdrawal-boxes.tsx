import { planNameOf, termsOf } from "@svc/billing/plans/bought";
import type { OwnPlan } from "@svc/billing/subscription";
import { Name } from "../kit/parts.tsx";
import { money } from "../plans/plan-texts.tsx";
import { t } from "./messages.ts";

/* Who leaves is offered their money back where they may still have it; whoever does not want it takes the tick away. */

function fieldOf({ id }: OwnPlan): string {
	return `withdraw_${id}`;
}

export function WithdrawalBoxes({ plans }: { readonly plans: readonly OwnPlan[] }) {
	return plans.map((plan) => (
		<label className="choice" key={plan.id}>
			<input type="checkbox" name={fieldOf(plan)} value="yes" defaultChecked />
			<span>{said(plan)}</span>
		</label>
	));
}

/** Of a trial there is nothing to pay back. */
function said({ bought, amountKept }: OwnPlan) {
	const plan = <Name>{planNameOf(bought)}</Name>;
	if (amountKept === 0) return t("disconnect.free", { plan });
	return t("disconnect.back", { plan, amount: money(amountKept, termsOf(bought).currency) });
}

/** Those whose boxes came back with a tick. */
export function tickedOf(plans: readonly OwnPlan[], form: { has(name: string): boolean }): readonly OwnPlan[] {
	return plans.filter((plan) => form.has(fieldOf(plan)));
}
