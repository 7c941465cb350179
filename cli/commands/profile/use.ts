import { EXIT } from "../../exit.ts";
import { say } from "../../handover.ts";
import { defineLeaf } from "../../leaf.ts";
import { getProfile, hasKeySetting } from "../../profile.ts";
import { makeCurrent, PROFILE_COLUMNS, shownProfile, showProfilePlan } from "../../profile-change.ts";

export const use = defineLeaf({
	summary: "Make a profile the current one",
	examples: ["svc profile use work"],
	args: { name: { type: "positional", required: true, description: "Name of the profile" } },
	async run({ args }, context) {
		const { globals, out, world } = context;
		const { name, path, profile } = await getProfile(world, args.name);
		const shown = shownProfile(name, path, profile);
		if (globals.dryRun) return showProfilePlan(context, shown);
		await makeCurrent(world, name);
		await out.record(PROFILE_COLUMNS, shown);
		if (hasKeySetting(world)) await say(context, "SVC_API_KEY is set and goes first: unset it.");
		return EXIT.ok;
	},
});
