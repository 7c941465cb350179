import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { INVITE_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List invites that nobody has accepted, expired ones too",
	notes: "A pipe gets: id, email, role, expires_at, created_at.",
	examples: ["svc invites list", "svc invites list --app app_1 --field email"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await teamOf(context);
		await printList(context, INVITE_COLUMNS, args, app.invites.list);
		return EXIT.ok;
	},
});
