import type { OperatedApp } from "@svc/sdk/operator-types";
import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, type ExitCode } from "../../exit.ts";
import type { Context } from "../../leaf.ts";
import type { Column } from "../../table.ts";
import { pathTo } from "../../team.ts";

const COLUMNS: readonly Column<OperatedApp>[] = [
	{ name: "id", value: (app) => app.id },
	{ name: "name", value: (app) => app.name },
	{ name: "selling_enabled", value: (app) => app.selling_enabled },
	{ name: "owner", value: (app) => app.owner?.email },
];

const ADVICE = { not_found: "Only operators decide who sells, and only of Apps that exist: svc whoami" };

export async function setSelling(sellingEnabled: boolean, context: Context): Promise<ExitCode> {
	const { out, world } = context;
	const appId = await context.appId();
	if (context.globals.dryRun) {
		const path = pathTo("operator", "apps", appId);
		return showPlan(out, [{ method: "PATCH", path, body: { selling_enabled: sellingEnabled } }]);
	}
	const { apps } = (await context.management()).operator;
	const app = await advising(ADVICE, () => apps.update(appId, { sellingEnabled }, { signal: world.signal }));
	await out.record(COLUMNS, app);
	return EXIT.ok;
}
