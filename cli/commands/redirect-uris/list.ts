import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { REDIRECT_URI_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List where hosted sign-in may send people back to",
	notes: "A pipe gets: id, uri, created_at.",
	examples: ["svc redirect-uris list", "svc redirect-uris list --app app_1 --field uri"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { app } = await teamOf(context);
		await printList(context, REDIRECT_URI_COLUMNS, args, app.redirectUris.list);
		return EXIT.ok;
	},
});
