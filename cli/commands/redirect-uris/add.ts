import { runBatch } from "../../batch.ts";
import { showPlan } from "../../dry-run.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { REDIRECT_URI_COLUMNS } from "./columns.ts";

export const add = defineLeaf({
	summary: "Allow addresses to which hosted sign-in may send people back",
	notes: "https, or http on loopback; compared byte for byte. JSON is an array, also for one address.",
	examples: [
		"svc redirect-uris add https://app.example.com/callback",
		"svc redirect-uris add http://localhost:8080/callback --app app_1",
	],
	args: {},
	rest: { name: "uri", description: "Addresses", required: true },
	async run({ rest }, context) {
		const { globals, out, world } = context;
		const uris = [...new Set(rest)];
		const { app, path } = await teamOf(context);
		if (globals.dryRun) {
			return showPlan(
				out,
				uris.map((uri) => ({ method: "POST", path: path("redirect_uris"), body: { uri } })),
			);
		}
		const work = (uri: string) => app.redirectUris.add(uri, { signal: world.signal });
		return runBatch({ items: uris, name: (uri) => uri, work, columns: REDIRECT_URI_COLUMNS }, context);
	},
});
