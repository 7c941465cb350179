import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { SUBSCRIPTION_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List who pays an App",
	notes: "Ended subscriptions too. A pipe gets: id, user, plan, price, status, current_period_end, ends_at.",
	examples: ["svc subscribers list", "svc subscribers list --app app_1 --all"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { subscriptions } = (await teamOf(context)).app;
		await advising({ not_found: "See your Apps: svc apps list" }, () =>
			printList(context, SUBSCRIPTION_COLUMNS, args, (page) => subscriptions.list(page)),
		);
		return EXIT.ok;
	},
});
