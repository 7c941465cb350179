import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { getProfile } from "../../profile.ts";
import { readName, SETTING_COLUMNS, SETTING_NAMES, settingOf } from "./settings.ts";

export const get = defineLeaf({
	summary: "Show the settings of a profile",
	notes: "Of the current profile, or the one named by --profile. A pipe gets: name, value, profile.",
	examples: ["svc config get", "svc config get app --field value"],
	args: {},
	rest: { name: "name", description: `${SETTING_NAMES.join(" or ")}; default: all`, required: false },
	async run({ rest }, { globals, out, world }) {
		const names = rest.length === 0 ? SETTING_NAMES : rest.map(readName);
		const found = await getProfile(world, globals.profile);
		await out.rows(
			SETTING_COLUMNS,
			names.map((name) => settingOf(found, name)),
		);
		return EXIT.ok;
	},
});
