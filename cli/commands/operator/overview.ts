import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { OPERATOR_ADVICE, OVERVIEW_COLUMNS } from "./columns.ts";

export const overview = defineLeaf({
	summary: "Show the totals of the whole service",
	examples: ["svc operator overview", "svc operator overview --field moderation.open_reports"],
	args: {},
	async run(_given, { management, out, world }) {
		const { operator } = await management();
		const usage = await advising(OPERATOR_ADVICE, () => operator.usage({ signal: world.signal }));
		await out.record(OVERVIEW_COLUMNS, usage);
		return EXIT.ok;
	},
});
