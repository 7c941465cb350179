import { readChoice } from "../../choice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { REPORT_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List what people reported",
	notes: "For operators. A pipe gets: id, image, app, reason, outcome, created_at, email, note.",
	examples: ["svc reports list", "svc reports list --state resolved --limit 10"],
	args: {
		...LIST_ARGS,
		state: { type: "string", valueHint: "open|resolved", description: "Default: open" },
	},
	async run({ args }, context) {
		const filter = readChoice("state", args.state, ["open", "resolved"]);
		const { reports } = (await context.management()).moderation;
		await printList(context, REPORT_COLUMNS, args, (page) => reports.list({ ...page, ...filter }));
		return EXIT.ok;
	},
});
