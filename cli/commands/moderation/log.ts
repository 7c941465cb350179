import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { ACTION_COLUMNS } from "./columns.ts";

export const log = defineLeaf({
	summary: "List what operators did to an App's images",
	notes: "For the App's team. One image's whole history, for operators: svc moderation show",
	examples: ["svc moderation log", "svc moderation log --app app_1 --all"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { moderation } = (await teamOf(context)).app;
		await advising({ not_found: "See your Apps: svc apps list" }, () =>
			printList(context, ACTION_COLUMNS, args, (page) => moderation.list(page)),
		);
		return EXIT.ok;
	},
});
