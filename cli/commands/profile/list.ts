import { EXIT } from "../../exit.ts";
import { say } from "../../handover.ts";
import { defineLeaf } from "../../leaf.ts";
import { findProfile, listProfiles } from "../../profile.ts";
import { PROFILE_COLUMNS, type ShownProfile, shownProfile } from "../../profile-change.ts";
import type { Column } from "../../table.ts";

type Listed = ShownProfile & { readonly current: boolean };

const COLUMNS: readonly Column<Listed>[] = [
	...PROFILE_COLUMNS,
	{ name: "current", value: (profile) => profile.current },
];

export const list = defineLeaf({
	summary: "List the profiles of this machine",
	notes: "A pipe gets: name, base_url, app, email, holds, file, current. No secret is shown.",
	examples: ["svc profile list", "svc profile list --field name"],
	args: {},
	async run(_given, context) {
		const { out, world } = context;
		const current = (await findProfile(world, undefined))?.name;
		const profiles = await listProfiles(world);
		await out.rows(
			COLUMNS,
			profiles.map(({ name, path, profile }) => ({ ...shownProfile(name, path, profile), current: name === current })),
		);
		if (profiles.length === 0) await say(context, "There is none yet: svc login");
		return EXIT.ok;
	},
});
