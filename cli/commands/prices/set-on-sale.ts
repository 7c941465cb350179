import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, type ExitCode } from "../../exit.ts";
import type { Context } from "../../leaf.ts";
import { PRICE_COLUMNS } from "../plans/columns.ts";
import { PLAN_ADVICE, planPath } from "../plans/fields.ts";

/** Which price of which plan. */
export const PRICE_ARGS = {
	plan: { type: "positional", required: true, description: "Plan id" },
	price: { type: "positional", required: true, description: "Price id" },
} as const;

interface Which {
	readonly plan: string;
	readonly price: string;
}

export async function setOnSale({ plan, price }: Which, onSale: boolean, context: Context): Promise<ExitCode> {
	const { out, world } = context;
	const appId = await context.appId();
	if (context.globals.dryRun) {
		const path = planPath(appId, plan, "prices", price);
		return showPlan(out, [{ method: "PATCH", path, body: { on_sale: onSale } }]);
	}
	const { plans } = (await context.management()).apps.of(appId);
	const options = { signal: world.signal };
	await out.record(PRICE_COLUMNS, await advising(PLAN_ADVICE, () => plans.setOnSale(plan, price, onSale, options)));
	return EXIT.ok;
}
