import type { ConnectedUser } from "@svc/sdk/management-types";
import { advising } from "../../advice.ts";
import { confirmAbout } from "../../confirm-about.ts";
import { showPlan } from "../../dry-run.ts";
import { followJob, JOB_ARGS } from "../../follow-job.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { USER_ADVICE } from "./columns.ts";

function question({ id, email, images }: ConnectedUser): string {
	const pictures = images === 1 ? "the picture" : `all ${images} pictures`;
	return `Disconnect ${email} (${id}) and delete ${pictures} that the App keeps for them, for good?`;
}

export const disconnect = defineLeaf({
	summary: "End a user's connection and delete the pictures that the App keeps for them",
	notes: "Says how many pictures go and asks first, unless --yes is given. Ctrl-C stops the waiting, not the job.",
	examples: ["svc users disconnect usr_1 --yes", "svc users disconnect usr_1 --yes --no-wait"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "User id" }, ...JOB_ARGS },
	async run({ args, all }, context) {
		const { globals, out, world } = context;
		const { id } = args;
		const { app, path } = await teamOf(context);
		if (globals.dryRun) return showPlan(out, [{ method: "DELETE", path: path("users", id) }]);
		const { signal } = world;
		const { users } = app;
		await advising(USER_ADVICE, () => confirmAbout(context, async () => question(await users.get(id, { signal }))));
		const job = await advising(USER_ADVICE, () => users.disconnect(id, { signal }));
		return followJob(context, job, all("no-wait").length > 0);
	},
});
