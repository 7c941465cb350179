import { givenFilters } from "../kit/choice.ts";
import { defineCommand } from "../kit/command.ts";
import { LIST_ARGS, printList } from "../kit/lists.ts";
import { pipeNote } from "../kit/table.ts";
import { AUDIT_COLUMNS, readSince } from "./audit/audit.ts";

const activity = defineCommand({
	summary: "List what was done to your account, by yourself and by operators, newest first",
	notes: `For a session, not a token.\n${pipeNote(AUDIT_COLUMNS)}`,
	examples: ["svc account activity", "svc account activity --since 7d --all"],
	args: {
		...LIST_ARGS,
		since: { type: "string", valueHint: "date", description: "Only from then on: ISO 8601, or 15m, 24h, 7d ago" },
	},
	async run({ args }, context) {
		const filters = givenFilters({ since: readSince(args.since, context.process.date()) });
		const { me } = await context.management();
		return printList(context, AUDIT_COLUMNS, args, (page) => me.activity.list({ ...page, ...filters }));
	},
});

export const ACCOUNT_COMMANDS = { activity };
