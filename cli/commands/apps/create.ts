import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { APP_DETAILS } from "./columns.ts";

export const create = defineLeaf({
	summary: "Make an App; you become its Owner",
	examples: ["svc apps create Pictures", "svc apps create 'My pictures' --field id"],
	args: { name: { type: "positional", required: true, description: "What the App is called" } },
	async run({ args }, { globals, management, out, world }) {
		const { name } = args;
		if (globals.dryRun) return showPlan(out, [{ method: "POST", path: "/v1/apps", body: { name } }]);
		const app = await (await management()).apps.create(name, { signal: world.signal });
		await out.record(APP_DETAILS, app);
		return EXIT.ok;
	},
});
