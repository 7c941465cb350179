import { advising } from "../../advice.ts";
import { readChoice } from "../../choice.ts";
import { EXIT } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { OPERATED_COLUMNS, OPERATOR_ADVICE } from "./columns.ts";

const STATES = ["active", "paused", "blocked"];

export const apps = defineLeaf({
	summary: "List the Apps of the whole service",
	notes:
		"A pipe gets: id, name, state, plan, owner, images, bytes, users, selling_enabled, block_reason. Block one: svc apps block",
	examples: ["svc operator apps", "svc operator apps --search Shop --state active"],
	args: {
		...LIST_ARGS,
		search: { type: "string", valueHint: "text", description: "An id, or how the name or the Owner's address begins" },
		state: { type: "string", valueHint: STATES.join("|"), description: "Only Apps in this state" },
	},
	async run({ args }, context) {
		const filter = { ...givenFilters({ q: args.search }), ...readChoice("state", args.state, STATES) };
		const { operator } = await context.management();
		await advising(OPERATOR_ADVICE, () =>
			printList(context, OPERATED_COLUMNS, args, (page) => operator.apps.list({ ...page, ...filter })),
		);
		return EXIT.ok;
	},
});
