import { UsageError } from "@svc/base/processes/exit";
import { PLAN } from "@svc/nouns/plan";
import type { PlanDescription } from "@svc/sdk/calls/billing";
import type { ManagedPrice } from "@svc/sdk/shapes";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";

import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { readUserLimits, USER_LIMIT_ARGS } from "../../kit/user-limits.ts";
import { grant, ungrant } from "./grants.ts";

/** The parts of a plan that buyers read, and what it lets them keep. */
const DESCRIPTION_ARGS = {
	description: takes.text("What buyers read below its name", "text"),
	benefit: takes.text(
		"A line of what it brings besides --images and --bytes, whose lines the card has by itself; replaces all earlier ones",
		"text",
	),
	order: takes.text("Buyers see lower ones first; default 0", "n"),
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
export const PRICE_COLUMNS: readonly Column<ManagedPrice>[] = [
	...fields("id", "amount", "currency", "interval", "trial_days", "on_sale", "created_at"),
];

const list = lists({
	summary: "List the plans that an App sells",
	notes: `Archived ones too. ${pipeNote(PLAN.list)}`,
	examples: ["svc plans list", "svc plans list --field prices"],
	columns: PLAN.list,
	advice: PLAN_ADVICE,
	from: "app",
	pages: () => (app) => app.plans.list,
});

const create = shows({
	summary: "Make a plan to sell",
	notes:
		"It is on sale once it has a price: svc prices create. The service holds what it lets a user keep; of who has no plan:\n" +
		"svc apps set-free-limits <id>",
	examples: [
		"svc plans create gold --name Gold --images 500 --bytes 5000000000",
		"svc plans create gold --name Gold --description 'All you need' --benefit 'Large pictures' --benefit Support --order 2",
	],
	args: {
		key: takes.word("What the App's code knows it by; never changes"),
		name: takes.text("What buyers read; default: the key", "name"),
		...DESCRIPTION_ARGS,
	},
	repeatable: ["benefit"],
	columns: PLAN.detail,
	advice: PLAN_ADVICE,
	from: "app",
	send: ({ args, all }) => {
		const plan = { ...readDescription(args, all("benefit")), key: args.key, name: args.name ?? args.key };
		return (app, options) => app.plans.create(plan, options);
	},
});

const edit = shows({
	summary: "Change what buyers are told of a plan, and what it lets a user keep",
	notes:
		"What is not given stays as it is; --benefit= takes all benefits away. Limits count at once, for those who have the plan\n" +
		"already, too; nothing is deleted.",
	examples: [
		"svc plans edit pln_1 --name 'Gold plus' --images 1000",
		"svc plans edit pln_1 --benefit='' --description=''",
	],
	args: {
		id: takes.id("Plan id"),
		name: takes.text("What buyers read", "name"),
		...DESCRIPTION_ARGS,
	},
	repeatable: ["benefit"],
	columns: PLAN.detail,
	advice: PLAN_ADVICE,
	from: "app",
	send: ({ args, all }) => {
		const changes = readDescription(args, all("benefit"));
		if (Object.values(changes).every((value) => value === undefined))
			throw new UsageError("Nothing to change was given.", "svc plans edit --help");
		return (app, options) => app.plans.edit(args.id, changes, options);
	},
});

const archive = shows({
	summary: "Take a plan off sale for good",
	notes: "Its subscribers keep it. Asks first, unless --yes is given. To stop for a while: svc prices off-sale",
	examples: ["svc plans archive pln_1 --yes"],
	args: { id: takes.id("Plan id") },
	columns: PLAN.detail,
	advice: PLAN_ADVICE,
	from: "app",
	send:
		({ args: { id } }, context) =>
		async (app, options) => {
			await confirm(context, `Take plan ${id} off sale for good?`);
			return await app.plans.archive(id, options);
		},
});

export const PLAN_COMMANDS = { list, create, edit, archive, grant, ungrant };

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
