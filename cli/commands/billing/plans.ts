import type { PlanDescription } from "@svc/sdk/calls/billing";
import type { ManagedPlan, ManagedPrice } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { chosenApp } from "../../kit/context.ts";
import { EXIT, UsageError } from "../../kit/exit.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { readUserLimits, USER_LIMIT_ARGS, userLimitsText } from "../../kit/user-limits.ts";
import { grant, ungrant } from "./grants.ts";

/** The parts of a plan that buyers read, and what it lets them keep. */
const DESCRIPTION_ARGS = {
	description: { type: "string", valueHint: "text", description: "What buyers read below its name" },
	benefit: {
		type: "string",
		valueHint: "text",
		description:
			"A line of what it brings besides --images and --bytes, whose lines the card has by itself; replaces all earlier ones",
	},
	order: { type: "string", valueHint: "n", description: "Buyers see lower ones first; default 0" },
	...USER_LIMIT_ARGS,
} as const;

interface Args {
	readonly name?: string | undefined;
	readonly description?: string | undefined;
	readonly order?: string | undefined;
	readonly images?: string | undefined;
	readonly bytes?: string | undefined;
}

export const PLAN_ADVICE = {
	not_found: "See what there is: svc plans list. Of another App with --app: svc apps list",
	state_conflict: "See how it is now: svc plans list",
	forbidden: "Operators let an App sell: svc selling on <id>. What it sells, only its Owner changes: svc whoami",
};

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const PLAN_COLUMNS: readonly Column<ManagedPlan>[] = [
	...fields("id", "key"),
	{ name: "name", value: (plan) => plan.name, shrinks: true },
	{ name: "order", value: (plan) => plan.display_order },
	{ name: "state", value: (plan) => (plan.archived_at === null ? "active" : "archived") },
	{ name: "prices", value: (plan) => plan.prices.map(priceText).join("; "), shrinks: true },
];

/** Every column of one plan. */
const PLAN_DETAIL: readonly Column<ManagedPlan>[] = [
	...PLAN_COLUMNS,
	...fields("description"),
	{ name: "benefits", value: (plan) => plan.benefits.join("; ") },
	...fields("created_at"),
	{ name: "limits", value: (plan) => userLimitsText(plan.limits) },
];

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const PRICE_COLUMNS: readonly Column<ManagedPrice>[] = [
	...fields("id", "amount", "currency", "interval", "trial_days", "on_sale", "created_at"),
];

const list = defineCommand({
	summary: "List the plans that an App sells",
	notes: `Archived ones too. ${pipeNote(PLAN_COLUMNS)}`,
	examples: ["svc plans list", "svc plans list --field prices"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { plans } = (await chosenApp(context)).app;
		return advising(PLAN_ADVICE, () => printList(context, PLAN_COLUMNS, args, (page) => plans.list(page)));
	},
});

const create = defineCommand({
	summary: "Make a plan to sell",
	notes:
		"It is on sale once it has a price: svc prices create. The service holds what it lets a user keep; of who has no plan:\n" +
		"svc apps set-free-limits <id>",
	examples: [
		"svc plans create gold --name Gold --images 500 --bytes 5000000000",
		"svc plans create gold --name Gold --description 'All you need' --benefit 'Large pictures' --benefit Support --order 2",
	],
	args: {
		key: { type: "positional", required: true, description: "What the App's code knows it by; never changes" },
		name: { type: "string", valueHint: "name", description: "What buyers read; default: the key" },
		...DESCRIPTION_ARGS,
	},
	repeatable: ["benefit"],
	async run({ args, all }, context) {
		const { out, process } = context;
		const { app } = await chosenApp(context);
		const plan = { ...readDescription(args, all("benefit")), key: args.key, name: args.name ?? args.key };
		await out.record(
			PLAN_DETAIL,
			await advising(PLAN_ADVICE, () => app.plans.create(plan, { signal: process.signal })),
		);
		return EXIT.ok;
	},
});

const edit = defineCommand({
	summary: "Change what buyers are told of a plan, and what it lets a user keep",
	notes:
		"What is not given stays as it is; --benefit= takes all benefits away. Limits count at once, for those who have the plan\n" +
		"already, too; nothing is deleted.",
	examples: [
		"svc plans edit pln_1 --name 'Gold plus' --images 1000",
		"svc plans edit pln_1 --benefit='' --description=''",
	],
	args: {
		id: { type: "positional", required: true, valueHint: "id", description: "Plan id" },
		name: { type: "string", valueHint: "name", description: "What buyers read" },
		...DESCRIPTION_ARGS,
	},
	repeatable: ["benefit"],
	async run({ args, all }, context) {
		const { out, process } = context;
		const changes = readDescription(args, all("benefit"));
		if (Object.values(changes).every((value) => value === undefined)) {
			throw new UsageError("Nothing to change was given.", "svc plans edit --help");
		}
		const { app } = await chosenApp(context);
		const options = { signal: process.signal };
		await out.record(PLAN_DETAIL, await advising(PLAN_ADVICE, () => app.plans.edit(args.id, changes, options)));
		return EXIT.ok;
	},
});

const archive = defineCommand({
	summary: "Take a plan off sale for good",
	notes: "Its subscribers keep it. Asks first, unless --yes is given. To stop for a while: svc prices off-sale",
	examples: ["svc plans archive pln_1 --yes"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Plan id" } },
	async run({ args }, context) {
		const { out, process } = context;
		const { app } = await chosenApp(context);
		await confirm(context, `Take plan ${args.id} off sale for good?`);
		const options = { signal: process.signal };
		await out.record(PLAN_DETAIL, await advising(PLAN_ADVICE, () => app.plans.archive(args.id, options)));
		return EXIT.ok;
	},
});

export const PLAN_COMMANDS = { list, create, edit, archive, grant, ungrant };

/** An amount of the currency's smallest unit as people write it: `4.99 usd`. */
export function money(amount: number, currency: string): string {
	const digits = digitsOf(currency);
	return `${(amount / 10 ** digits).toFixed(digits)} ${currency}`;
}

function digitsOf(currency: string): number {
	try {
		const format = new Intl.NumberFormat("en", { style: "currency", currency });
		return format.resolvedOptions().maximumFractionDigits ?? 2;
	} catch {
		// The service may send a currency code that is not valid.
		return 0;
	}
}

/** A price in words, as `4.99 usd a month, 7 days free`. */
export function priceText({ amount, currency, interval, trial_days, on_sale }: ManagedPrice): string {
	const trial = trial_days > 0 ? `, ${trial_days} days free` : "";
	return `${money(amount, currency)} a ${interval}${trial}${on_sale ? "" : " (off sale)"}`;
}

/** @throws UsageError */
function readDescription(args: Args, benefits: readonly string[]): PlanDescription {
	const { name, description, order } = args;
	if (order !== undefined && !/^-?\d{1,9}$/.test(order)) {
		throw new UsageError(`--order takes a whole number; not "${order}".`);
	}
	return {
		name,
		description,
		// A single empty line clears all benefits.
		benefits: benefits.length === 0 ? undefined : benefits.filter((benefit) => benefit !== ""),
		displayOrder: order === undefined ? undefined : Number(order),
		limits: readUserLimits(args),
	};
}
