import { LocalError, UsageError } from "@svc/base/processes/exit";
import { printableLine } from "@svc/base/text";
import type { Management } from "@svc/sdk/management";
import type { App } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { advising } from "../../kit/refusal.ts";
import { followJob, JOB_ARGS } from "../../kit/work/follow-job.ts";
import { APP_ADVICE, APP_ID } from "./columns.ts";

export const deleteApp = defineCommand({
	summary: "Delete an App and all that it holds, for good",
	notes: "Asks for the App's name, unless --yes is given. Ctrl-C stops the waiting, not the job.",
	examples: ["svc apps delete app_1 --yes", "svc apps delete app_1 --cancel-subscriptions --yes --no-wait"],
	args: {
		...APP_ID,
		"cancel-subscriptions": takes.flag("End the subscriptions to its plans with it"),
		...JOB_ARGS,
	},
	async run({ args }, context) {
		const { process } = context;
		const { id } = args;
		const { signal } = process;
		const cancelSubscriptions = args["cancel-subscriptions"] === true ? true : undefined;
		const { apps } = await context.management();
		const app = await advising(APP_ADVICE, () => apps.get(id, { signal }));
		await confirmName(app, apps, context);
		const advice = { ...APP_ADVICE, state_conflict: "To end the subscriptions with it, add --cancel-subscriptions." };
		const job = await advising(advice, () => apps.delete(id, app.name, { cancelSubscriptions, signal }));
		return followJob(context, job, args["no-wait"] === true);
	},
});

/** @throws LocalError for another word than the App's name; UsageError naming the flag, where there is no terminal to ask on */
async function confirmName(app: App, apps: Management["apps"], context: Context): Promise<void> {
	const { globals, process } = context;
	if (globals.yes || globals.dryRun) return;
	if (globals.noInput || !process.canAsk)
		throw new UsageError("This cannot be undone, and nobody can be asked for the App's name.", "Add --yes.");
	const what = await contents(app.id, apps, context);
	const asked = printableLine(`This deletes "${app.name}" (${app.id}) with ${what}, its keys and its users, for good.`);
	const typed = await process.ask(`${asked}\nType its name to go on: `);
	if (typed.trim().normalize("NFC") !== app.name.trim().normalize("NFC"))
		throw new LocalError("That is not its name. Nothing was changed.");
}

/** The contents that are deleted with an App, so that a wrong one is noticed. */
async function contents(id: string, apps: Management["apps"], { process }: Context): Promise<string> {
	const { totals } = await apps.of(id).usage.total({ signal: process.signal });
	const { images_stored: count } = totals;
	return count === 1 ? "its picture" : `all ${count} pictures`;
}
