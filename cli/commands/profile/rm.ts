import { confirm } from "../../confirm.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { getProfile } from "../../profile.ts";
import { PROFILE_COLUMNS, removeProfile, shownProfile, showProfilePlan } from "../../profile-change.ts";

export const rm = defineLeaf({
	summary: "Remove a profile and forget what it holds",
	notes: "Nothing is sent: a session goes on until it expires; svc logout --profile <name> ends it first.",
	examples: ["svc profile rm work --yes"],
	args: { name: { type: "positional", required: true, description: "Name of the profile" } },
	async run({ args }, context) {
		const found = await getProfile(context.world, args.name);
		const shown = shownProfile(found.name, found.path, found.profile);
		if (context.globals.dryRun) {
			await context.out.note("The profile would be removed.");
			return showProfilePlan(context, { ...shown, holds: [] });
		}
		const held = shown.holds.length === 0 ? "" : ` with its ${shown.holds.join(" and ")}`;
		await confirm(context, `Remove the profile "${found.name}"${held}?`);
		await removeProfile(found);
		await context.out.record(PROFILE_COLUMNS, { ...shown, holds: [] });
		return EXIT.ok;
	},
});
