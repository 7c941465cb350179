import type { OperatedApp } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { EXIT, type ExitCode } from "../../kit/exit.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";

const COLUMNS: readonly Column<OperatedApp>[] = [
	...fields("id", "name", "selling_enabled"),
	{ name: "owner", value: (app) => app.owner?.email },
];

const ADVICE = { not_found: "Only operators decide who sells, and only of Apps that exist: svc whoami" };

const on = defineCommand({
	summary: "Let an App sell plans to its users",
	notes: "For operators.",
	examples: ["svc selling on --app app_1"],
	args: {},
	run: (_given, context) => setSelling(true, context),
});

const off = defineCommand({
	summary: "Let an App sell no more",
	notes: "For operators. Those who have bought keep what they have. Undone by: svc selling on",
	examples: ["svc selling off --app app_1"],
	args: {},
	run: (_given, context) => setSelling(false, context),
});

export const SELLING_COMMANDS = { on, off };

async function setSelling(sellingEnabled: boolean, context: Context): Promise<ExitCode> {
	const { out, process } = context;
	const appId = await context.appId();
	const { apps } = (await context.management()).operator;
	const app = await advising(ADVICE, () => apps.edit(appId, { sellingEnabled }, { signal: process.signal }));
	await out.record(COLUMNS, app);
	return EXIT.ok;
}
