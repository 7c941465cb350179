import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { APP_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List the Apps in whose team you are",
	notes: "A pipe gets: id, name, state, role, plan, sign_in, created_at.",
	examples: ["svc apps list", "svc apps list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { apps } = await context.management();
		await printList(context, APP_COLUMNS, args, apps.list);
		return EXIT.ok;
	},
});
