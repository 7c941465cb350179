import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { MEMBER_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List an App's team",
	notes: "A pipe gets: id, email, role, created_at.",
	examples: ["svc members list", "svc members list --app app_1 -o jsonl"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await teamOf(context);
		await printList(context, MEMBER_COLUMNS, args, app.members.list);
		return EXIT.ok;
	},
});
