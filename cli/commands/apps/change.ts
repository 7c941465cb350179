import type { Management } from "@svc/sdk/management";
import type { App } from "@svc/sdk/shapes";
import type { CallOptions } from "@svc/sdk/wire/request";
import type { Context } from "../../kit/command.ts";
import { EXIT, type ExitCode } from "../../kit/exit.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { APP_ADVICE, APP_DETAILS } from "./columns.ts";

interface Change {
	readonly advice?: Advice;
	send(apps: Management["apps"], options: CallOptions): Promise<App>;
}

/** Makes one change to an App and prints what it is then. */
export async function changeApp(context: Context, { advice, send }: Change): Promise<ExitCode> {
	const { out, process } = context;
	const { apps } = await context.management();
	const app = await advising({ ...APP_ADVICE, ...advice }, () => send(apps, { signal: process.signal }));
	await out.record(APP_DETAILS, app);
	return EXIT.ok;
}
