import { confirm } from "../../confirm.ts";
import { defineLeaf } from "../../leaf.ts";
import { counted, removeEach } from "../../removal.ts";
import { pathTo } from "../../team.ts";

export const end = defineLeaf({
	summary: "End sessions of your own, at once",
	notes:
		"Whoever uses them has to sign in again. Asks first, unless --yes is given. JSON is an array, also for one session.",
	examples: ["svc sessions end ses_1 --yes", "svc sessions end ses_1 ses_2 --yes"],
	args: {},
	rest: { name: "id", description: "Session ids", required: true, valueHint: "id" },
	run: ({ rest }, context) =>
		removeEach(
			{
				ids: rest,
				verb: "deleted",
				path: (id) => pathTo("sessions", id),
				before: (ids) => confirm(context, `End ${counted("session", ids)}?`),
				remove: async (id) => (await context.management()).sessions.end(id, { signal: context.world.signal }),
			},
			context,
		),
});
