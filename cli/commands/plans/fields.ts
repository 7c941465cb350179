import type { PlanDescription } from "@svc/sdk/billing";
import { UsageError } from "../../exit.ts";

/** What buyers are told of a plan. */
export const DESCRIPTION_ARGS = {
	description: { type: "string", valueHint: "text", description: "What buyers read below its name" },
	benefit: { type: "string", valueHint: "text", description: "A line of what it brings; replaces all earlier ones" },
	order: { type: "string", valueHint: "n", description: "Buyers see lower ones first; default 0" },
} as const;

interface Args {
	readonly name?: string | undefined;
	readonly description?: string | undefined;
	readonly order?: string | undefined;
}

/** @throws UsageError */
export function readDescription(args: Args, benefits: readonly string[]): PlanDescription {
	const { name, description, order } = args;
	if (order !== undefined && !/^-?\d{1,9}$/.test(order)) {
		throw new UsageError(`--order takes a whole number; not "${order}".`);
	}
	return {
		name,
		description,
		// A single empty line is how all of them are taken away.
		benefits: benefits.length === 0 ? undefined : benefits.filter((benefit) => benefit !== ""),
		displayOrder: order === undefined ? undefined : Number(order),
	};
}

/** The same, as it is sent. */
export function descriptionBody({ displayOrder: display_order, ...description }: PlanDescription): object {
	return { ...description, display_order };
}

export const PLAN_ADVICE = {
	not_found: "See what there is: svc plans list. Of another App with --app: svc apps list",
	state_conflict: "See how it is now: svc plans list",
	forbidden: "Only the App's Owner changes what it sells, once an operator lets it sell: svc selling on",
};
