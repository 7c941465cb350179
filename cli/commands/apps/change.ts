import type { Management } from "@svc/sdk/management";
import type { App } from "@svc/sdk/management-types";
import type { CallOptions } from "@svc/sdk/request";
import { type Advice, advising } from "../../advice.ts";
import { type PlannedCall, showPlan } from "../../dry-run.ts";
import { EXIT, type ExitCode } from "../../exit.ts";
import type { Context } from "../../leaf.ts";
import { APP_ADVICE, APP_DETAILS } from "./columns.ts";

/** What every command takes that is about one App and changes it: never the profile's by silence. */
export const APP_ID = {
	id: { type: "positional", required: true, valueHint: "id", description: "App id" },
} as const;

interface Change {
	/** What is sent, as a plan shows it. */
	readonly call: PlannedCall;
	readonly advice?: Advice;
	send(apps: Management["apps"], options: CallOptions): Promise<App>;
}

/** Makes one change to an App and prints what it is then. */
export async function changeApp(context: Context, { call, advice, send }: Change): Promise<ExitCode> {
	const { globals, out, world } = context;
	if (globals.dryRun) return showPlan(out, [call]);
	const { apps } = await context.management();
	const app = await advising({ ...APP_ADVICE, ...advice }, () => send(apps, { signal: world.signal }));
	await out.record(APP_DETAILS, app);
	return EXIT.ok;
}
