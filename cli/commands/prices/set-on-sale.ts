import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, type ExitCode } from "../../exit.ts";
import type { Context } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { PRICE_COLUMNS } from "../plans/columns.ts";
import { PLAN_ADVICE } from "../plans/fields.ts";

/** Which price of which plan. */
export const PRICE_ARGS = {
	plan: { type: "positional", required: true, valueHint: "id", description: "Plan id" },
	price: { type: "positional", required: true, valueHint: "id", description: "Price id" },
} as const;

interface Which {
	readonly plan: string;
	readonly price: string;
}

export async function setOnSale({ plan, price }: Which, onSale: boolean, context: Context): Promise<ExitCode> {
	const { out, world } = context;
	const { app, path } = await teamOf(context);
	if (context.globals.dryRun) {
		return showPlan(out, [{ method: "PATCH", path: path("plans", plan, "prices", price), body: { on_sale: onSale } }]);
	}
	const options = { signal: world.signal };
	await out.record(PRICE_COLUMNS, await advising(PLAN_ADVICE, () => app.plans.setOnSale(plan, price, onSale, options)));
	return EXIT.ok;
}
