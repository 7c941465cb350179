import { runBatch } from "../../batch.ts";
import { confirm } from "../../confirm.ts";
import { showPlan } from "../../dry-run.ts";
import { defineLeaf } from "../../leaf.ts";
import { pathTo, readId } from "../../team.ts";
import { TOMBSTONE_COLUMNS } from "../tombstone-columns.ts";

export const revoke = defineLeaf({
	summary: "Revoke tokens, and all that they made",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one token.",
	examples: ["svc tokens revoke tok_1 --yes", "svc tokens revoke tok_1 tok_2 --yes"],
	args: {},
	rest: { name: "id", description: "Token ids", required: true },
	async run({ rest }, context) {
		const { globals, management, out, world } = context;
		const ids = [...new Set(rest.map(readId))];
		if (globals.dryRun) {
			return showPlan(
				out,
				ids.map((id) => ({ method: "DELETE", path: pathTo("tokens", id) })),
			);
		}
		await confirm(context, `Revoke ${ids.length === 1 ? `token ${ids[0]}` : `${ids.length} tokens`} for good?`);
		const { tokens } = await management();
		const work = (id: string) => tokens.revoke(id, { signal: world.signal });
		return runBatch({ items: ids, name: (id) => id, work, columns: TOMBSTONE_COLUMNS }, context);
	},
});
