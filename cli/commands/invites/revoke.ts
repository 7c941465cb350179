import type { Tombstone } from "@svc/sdk/types";
import { advising } from "../../advice.ts";
import { runBatch } from "../../batch.ts";
import { showPlan } from "../../dry-run.ts";
import { defineLeaf } from "../../leaf.ts";
import type { Column } from "../../table.ts";
import { readId, teamOf } from "../../team.ts";

const COLUMNS: readonly Column<Tombstone>[] = [
	{ name: "id", value: (tombstone) => tombstone.id },
	{ name: "revoked", value: (tombstone) => tombstone.deleted },
];

const ADVICE = { not_found: "See which are open: svc invites list" };

export const revoke = defineLeaf({
	summary: "Take invites back",
	notes: "JSON is an array, also for one invite.",
	examples: ["svc invites revoke inv_1", "svc invites revoke inv_1 inv_2"],
	args: {},
	rest: { name: "id", description: "Invite ids", required: true },
	async run({ rest }, context) {
		const { globals, out, world } = context;
		const ids = [...new Set(rest.map(readId))];
		const { app, path } = await teamOf(context);
		if (globals.dryRun) {
			return showPlan(
				out,
				ids.map((id) => ({ method: "DELETE", path: path("invites", id) })),
			);
		}
		const work = (id: string) => advising(ADVICE, () => app.invites.withdraw(id, { signal: world.signal }));
		return runBatch({ items: ids, name: (id) => id, work, columns: COLUMNS }, context);
	},
});
