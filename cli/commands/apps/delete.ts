import type { Management } from "@svc/sdk/management";
import type { App } from "@svc/sdk/management-types";
import { encodeQuery } from "@svc/sdk/query";
import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { LocalError, UsageError } from "../../exit.ts";
import { followJob, JOB_ARGS } from "../../follow-job.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { plainLine } from "../../text.ts";
import { APP_ID } from "./change.ts";
import { APP_ADVICE } from "./columns.ts";

/** What goes with an App, so that nobody takes it for another one. */
async function contents(id: string, apps: Management["apps"], { world }: Context): Promise<string> {
	const { totals } = await apps.of(id).usage.total({ signal: world.signal });
	const { images_stored: count } = totals;
	return count === 1 ? "its picture" : `all ${count} pictures`;
}

/** @throws LocalError for another word than the App's name; UsageError naming the flag, where nobody can be asked */
async function confirmName(app: App, apps: Management["apps"], context: Context): Promise<void> {
	const { globals, world } = context;
	if (globals.yes) return;
	if (globals.noInput || !world.canAsk)
		throw new UsageError("This cannot be undone, and nobody can be asked for the App's name.", "Add --yes.");
	const what = await contents(app.id, apps, context);
	const asked = plainLine(`This deletes "${app.name}" (${app.id}) with ${what}, its keys and its users, for good.`);
	const typed = await world.ask(`${asked}\nType its name to go on: `);
	if (typed.trim().normalize("NFC") !== app.name.trim().normalize("NFC"))
		throw new LocalError("That is not its name. Nothing was changed.");
}

export const deleteApp = defineLeaf({
	summary: "Delete an App and all that it holds, for good",
	notes: "Asks for the App's name, unless --yes is given. Ctrl-C stops the waiting, not the job.",
	examples: ["svc apps delete app_1 --yes", "svc apps delete app_1 --cancel-subscriptions --yes --no-wait"],
	args: {
		...APP_ID,
		"cancel-subscriptions": { type: "boolean", description: "End the subscriptions to its plans with it" },
		...JOB_ARGS,
	},
	async run({ args, all }, context) {
		const { globals, out, world } = context;
		const { id } = args;
		const { signal } = world;
		const cancelSubscriptions = args["cancel-subscriptions"] === true ? true : undefined;
		const { apps } = await context.management();
		const app = await advising(APP_ADVICE, () => apps.get(id, { signal }));
		if (globals.dryRun) {
			const query = encodeQuery({ confirm_name: app.name, cancel_subscriptions: cancelSubscriptions });
			return showPlan(out, [{ method: "DELETE", path: `${pathTo("apps", id)}${query}` }]);
		}
		await confirmName(app, apps, context);
		const advice = { ...APP_ADVICE, state_conflict: "To end the subscriptions with it, add --cancel-subscriptions." };
		const job = await advising(advice, () => apps.delete(id, app.name, { cancelSubscriptions, signal }));
		return followJob(context, job, all("no-wait").length > 0);
	},
});
