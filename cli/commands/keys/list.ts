import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { KEY_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List an App's keys, revoked ones too, newest first",
	notes:
		"A pipe gets: id, name, key, reach, permissions, last_used_at, expires_at, revoked_at. Secrets are never shown.",
	examples: ["svc keys list", "svc keys list --app app_1 --all -o jsonl"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await teamOf(context);
		await printList(context, KEY_COLUMNS, args, app.keys.list);
		return EXIT.ok;
	},
});
