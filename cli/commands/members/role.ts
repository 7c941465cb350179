import { advising } from "../../advice.ts";
import { confirm } from "../../confirm.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { MEMBER_ADVICE, MEMBER_COLUMNS, memberId, ROLE_WORDS, readRole } from "./columns.ts";

export const role = defineLeaf({
	summary: "Give a member another role",
	notes: "Below Admin nobody holds keys: theirs die, which --revoke-keys must allow, and then it asks first.",
	examples: ["svc members role ada@example.com editor", "svc members role acc_1 viewer --revoke-keys --yes"],
	args: {
		member: { type: "positional", required: true, valueHint: "id|email", description: "Account id or e-mail address" },
		role: { type: "positional", required: true, description: ROLE_WORDS },
		"revoke-keys": { type: "boolean", description: "Revoke the keys that they made, for good" },
	},
	async run({ args }, context) {
		const { globals, out, world } = context;
		const wanted = readRole(args.role);
		const revokeKeys = args["revoke-keys"] === true;
		const team = await teamOf(context);
		const id = await memberId(args.member, team, context);
		if (globals.dryRun) {
			const body = { role: wanted, ...(revokeKeys && { revoke_keys: true }) };
			return showPlan(out, [{ method: "PATCH", path: team.path("members", id), body }]);
		}
		if (revokeKeys) await confirm(context, `Make ${args.member} ${wanted} and revoke their keys for good?`);
		const { members } = team.app;
		const member = await advising(MEMBER_ADVICE, () =>
			members.changeRole(id, wanted, revokeKeys, { signal: world.signal }),
		);
		await out.record(MEMBER_COLUMNS, member);
		return EXIT.ok;
	},
});
