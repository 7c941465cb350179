import { EXIT } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { USER_COLUMNS } from "./columns.ts";

export const list = defineLeaf({
	summary: "List the people who are connected to an App",
	notes:
		"A pipe gets: id, email, state, images, bytes, created_at. The id is what --user takes.\nNobody is shown while hosted sign-in is off: svc apps sign-in on <id>",
	examples: ["svc users list", "svc users list --email ada@example.com --field id"],
	args: { ...LIST_ARGS, email: { type: "string", valueHint: "address", description: "Only whoever has this address" } },
	async run({ args }, context) {
		const { app } = await teamOf(context);
		await printList(context, USER_COLUMNS, args, (page) =>
			app.users.list({ ...page, ...givenFilters({ email: args.email }) }),
		);
		return EXIT.ok;
	},
});
