import { EXIT } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { AUDIT_ARGS, AUDIT_COLUMNS, readSince } from "./columns.ts";

export const list = defineLeaf({
	summary: "List what was done in an App, and by whom, newest first",
	notes: "A pipe gets: created_at, event, target, actor, changes, request_id, id.",
	examples: ["svc audit list", "svc audit list --event key.revoked --since 7d --all", "svc audit list -o jsonl"],
	args: { ...LIST_ARGS, ...AUDIT_ARGS },
	async run({ args }, context) {
		const { actor, event } = args;
		const filters = givenFilters({ actor, event, since: readSince(args.since, context.world.date()) });
		const { app } = await teamOf(context);
		await printList(context, AUDIT_COLUMNS, args, (page) => app.audit.list({ ...page, ...filters }));
		return EXIT.ok;
	},
});
