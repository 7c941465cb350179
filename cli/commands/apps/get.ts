import { advising } from "../../advice.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { APP_ADVICE, APP_DETAILS } from "./columns.ts";

export const get = defineLeaf({
	summary: "Show one App",
	examples: ["svc apps get app_1", "svc apps get --field limits.images"],
	args: {},
	rest: {
		name: "id",
		description: "App id; default: the App of --app, of the profile or of the key",
		required: false,
		valueHint: "id",
	},
	async run({ rest: [word, extra] }, context) {
		if (extra !== undefined) throw new UsageError(`svc apps get does not know what to do with "${extra}".`);
		const id = word ?? (await context.appId());
		const { apps } = await context.management();
		const app = await advising(APP_ADVICE, () => apps.get(id, { signal: context.world.signal }));
		await context.out.record(APP_DETAILS, app);
		return EXIT.ok;
	},
});
