import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { BILLING_ADVICE, BILLING_COLUMNS } from "./columns.ts";

export const status = defineLeaf({
	summary: "Show an App's own plan, and which there are",
	notes: "What a user of the App may use of what it sells: svc users get",
	examples: ["svc billing status", "svc billing status --field plan"],
	args: {},
	async run(_given, context) {
		const { out, world } = context;
		const { billing } = (await teamOf(context)).app;
		await out.record(BILLING_COLUMNS, await advising(BILLING_ADVICE, () => billing.get({ signal: world.signal })));
		return EXIT.ok;
	},
});
