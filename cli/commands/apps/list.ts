import { APP } from "@svc/nouns/app";
import type { App } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";

export const list = defineCommand({
	summary: "List the Apps in whose team you are",
	notes: pipeNote(APP.list),
	examples: ["svc apps list", "svc apps list --all --field id"],
	args: LIST_ARGS,
	run: async ({ args }, context) => printList(context, APP.list, args, await context.list<App>("/v1/apps")),
});
