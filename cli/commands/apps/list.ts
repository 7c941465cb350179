import type { App } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { APP_COLUMNS } from "./columns.ts";

export const list = defineCommand({
	summary: "List the Apps in whose team you are",
	notes: pipeNote(APP_COLUMNS),
	examples: ["svc apps list", "svc apps list --all --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		return printList(context, APP_COLUMNS, args, await context.list<App>("/v1/apps"));
	},
});
