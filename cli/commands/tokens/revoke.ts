import { confirm } from "../../confirm.ts";
import { defineLeaf } from "../../leaf.ts";
import { counted, removeEach } from "../../removal.ts";
import { pathTo } from "../../team.ts";

export const revoke = defineLeaf({
	summary: "Revoke tokens, and all that they made",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one token.",
	examples: ["svc tokens revoke tok_1 --yes", "svc tokens revoke tok_1 tok_2 --yes"],
	args: {},
	rest: { name: "id", description: "Token ids", required: true, valueHint: "id" },
	run: ({ rest }, context) =>
		removeEach(
			{
				ids: rest,
				verb: "deleted",
				path: (id) => pathTo("tokens", id),
				before: (ids) => confirm(context, `Revoke ${counted("token", ids)} for good?`),
				remove: async (id) => (await context.management()).tokens.revoke(id, { signal: context.world.signal }),
			},
			context,
		),
});
