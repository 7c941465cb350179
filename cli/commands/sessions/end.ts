import { runBatch } from "../../batch.ts";
import { confirm } from "../../confirm.ts";
import { showPlan } from "../../dry-run.ts";
import { defineLeaf } from "../../leaf.ts";
import { pathTo, readId } from "../../team.ts";
import { TOMBSTONE_COLUMNS } from "../tombstone-columns.ts";

export const end = defineLeaf({
	summary: "End sessions of your own, at once",
	notes:
		"Whoever uses them has to sign in again. Asks first, unless --yes is given. JSON is an array, also for one session.",
	examples: ["svc sessions end ses_1 --yes", "svc sessions end ses_1 ses_2 --yes"],
	args: {},
	rest: { name: "id", description: "Session ids", required: true },
	async run({ rest }, context) {
		const { globals, management, out, world } = context;
		const ids = [...new Set(rest.map(readId))];
		if (globals.dryRun) {
			return showPlan(
				out,
				ids.map((id) => ({ method: "DELETE", path: pathTo("sessions", id) })),
			);
		}
		await confirm(context, `End ${ids.length === 1 ? `session ${ids[0]}` : `${ids.length} sessions`}?`);
		const { sessions } = await management();
		const work = (id: string) => sessions.end(id, { signal: world.signal });
		return runBatch({ items: ids, name: (id) => id, work, columns: TOMBSTONE_COLUMNS }, context);
	},
});
