import { advising } from "../../advice.ts";
import { runBatch } from "../../batch.ts";
import { showPlan } from "../../dry-run.ts";
import type { ExitCode } from "../../exit.ts";
import type { Context } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { ACCOUNT_COLUMNS } from "./columns.ts";

const ADVICE = { not_found: "See what there is: svc operator accounts. Only operators see them: svc whoami" };

export async function setDisabled(
	words: readonly string[],
	verb: "disable" | "enable",
	context: Context,
): Promise<ExitCode> {
	const ids = [...new Set(words)];
	if (context.globals.dryRun) {
		const path = (id: string) => pathTo("operator", "accounts", id, verb);
		return showPlan(
			context.out,
			ids.map((id) => ({ method: "POST", path: path(id) })),
		);
	}
	const { accounts } = (await context.management()).operator;
	const work = (id: string) => advising(ADVICE, () => accounts[verb](id, { signal: context.world.signal }));
	return runBatch({ items: ids, name: (id) => id, work, columns: ACCOUNT_COLUMNS }, context);
}
