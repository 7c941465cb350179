import { advising } from "../../advice.ts";
import { confirmAbout } from "../../confirm-about.ts";
import { defineLeaf } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { APP_ID, changeApp } from "./change.ts";
import { APP_ADVICE } from "./columns.ts";

export const transfer = defineLeaf({
	summary: "Make another member the Owner of an App; you become Admin",
	notes: "Asks first, unless --yes is given: only the new Owner can give it back.",
	examples: ["svc apps transfer app_1 ada@example.com --yes", "svc apps transfer app_1 acc_1 --yes"],
	args: {
		...APP_ID,
		member: {
			type: "positional",
			required: true,
			valueHint: "id|email",
			description: "Account id or e-mail address of a member",
		},
	},
	async run({ args: { id, member } }, context) {
		const { globals, world } = context;
		if (!globals.dryRun) {
			const { apps } = await context.management();
			const question = async () => {
				const { name } = await apps.get(id, { signal: world.signal });
				return `Make ${member} the Owner of "${name}" (${id})?`;
			};
			await advising(APP_ADVICE, () => confirmAbout(context, question));
		}
		return changeApp(context, {
			call: { method: "POST", path: pathTo("apps", id, "transfer"), body: { member } },
			advice: { validation_error: "See who is in the team: svc members list --app <id>" },
			send: (apps, options) => apps.transfer(id, member, options),
		});
	},
});
