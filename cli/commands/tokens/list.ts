import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { TOKEN_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List your own tokens, newest first",
	notes:
		"Signed in with a token: itself and those that it made.\n" +
		"A pipe gets: id, name, scopes, app, expires_at, last_used_at, created_at.",
	examples: ["svc tokens list", "svc tokens list --all -o jsonl"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { tokens } = await context.management();
		await printList(context, TOKEN_COLUMNS, args, (page) => tokens.list(page));
		return EXIT.ok;
	},
});
