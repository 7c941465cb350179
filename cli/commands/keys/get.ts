import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { KEY_ADVICE } from "./advice.ts";
import { KEY_DETAILS } from "./columns.ts";

export const get = defineLeaf({
	summary: "Show one key, never its secret",
	examples: ["svc keys get key_1", "svc keys get key_1 --field last_used_at"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Key id" } },
	async run({ args: { id } }, context) {
		const { app } = await teamOf(context);
		const key = await advising(KEY_ADVICE, () => app.keys.get(id, { signal: context.world.signal }));
		await context.out.record(KEY_DETAILS, key);
		return EXIT.ok;
	},
});
