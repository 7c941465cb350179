import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { USER_ADVICE, USER_DETAILS } from "./columns.ts";

export const get = defineLeaf({
	summary: "Show one connected user and what they have bought",
	examples: ["svc users get usr_1", "svc users get usr_1 --field images"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "User id" } },
	async run({ args: { id } }, context) {
		const { app } = await teamOf(context);
		const user = await advising(USER_ADVICE, () => app.users.get(id, { signal: context.world.signal }));
		await context.out.record(USER_DETAILS, user);
		return EXIT.ok;
	},
});
