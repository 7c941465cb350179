import { advising } from "../../advice.ts";
import { confirm } from "../../confirm.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { tombstoneColumns } from "../../removal.ts";
import { teamOf } from "../../team.ts";
import { MEMBER_ADVICE, memberId } from "./columns.ts";

export const remove = defineLeaf({
	summary: "Take somebody out of the team; oneself: leave it",
	notes: "Asks first, unless --yes is given. Keys that they made die with it, which --revoke-keys must allow.",
	examples: ["svc members remove ada@example.com --yes", "svc members remove acc_1 --revoke-keys --yes"],
	args: {
		member: { type: "positional", required: true, valueHint: "id|email", description: "Account id or e-mail address" },
		"revoke-keys": { type: "boolean", description: "Revoke the keys that they made, for good" },
	},
	async run({ args }, context) {
		const { globals, out, world } = context;
		const revokeKeys = args["revoke-keys"] === true;
		const team = await teamOf(context);
		const id = await memberId(args.member, team, context);
		if (globals.dryRun) {
			const query = revokeKeys ? "?revoke_keys=true" : "";
			return showPlan(out, [{ method: "DELETE", path: `${team.path("members", id)}${query}` }]);
		}
		const keys = revokeKeys ? " and revoke their keys for good" : "";
		await confirm(context, `Take ${args.member} out of the team of ${team.appId}${keys}?`);
		const { members } = team.app;
		const gone = await advising(MEMBER_ADVICE, () => members.remove(id, revokeKeys, { signal: world.signal }));
		await out.record(tombstoneColumns("removed"), gone);
		return EXIT.ok;
	},
});
