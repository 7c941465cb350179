import { advising } from "../../advice.ts";
import { readChoice } from "../../choice.ts";
import { EXIT } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { ADVICE } from "./act.ts";
import { ITEM_COLUMNS } from "./columns.ts";

const STATES = ["reported", "locked", "blocked", "nsfw", "all"];

export const queue = defineLeaf({
	summary: "List images to moderate",
	notes:
		"For operators. Images of all Apps; of one only with --app. A pipe gets: id, state, reason, reports, app, filename, created_at, url.",
	examples: ["svc moderation queue", "svc moderation queue --state blocked --all", "svc moderation queue --app app_1"],
	args: {
		...LIST_ARGS,
		state: { type: "string", valueHint: STATES.join("|"), description: "Default: reported, those with open reports" },
	},
	async run({ args }, context) {
		const { app } = context.globals;
		const filter = { ...readChoice("state", args.state, STATES), ...givenFilters({ app }) };
		const { moderation } = await context.management();
		await advising(ADVICE, () =>
			printList(context, ITEM_COLUMNS, args, (page) => moderation.list({ ...page, ...filter })),
		);
		return EXIT.ok;
	},
});
