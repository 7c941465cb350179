import type { Invite } from "@svc/sdk/management-types";
import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf, type Leaf } from "../../leaf.ts";
import type { Column } from "../../table.ts";
import { teamOf } from "../../team.ts";
import { ROLE_WORDS, readRole } from "../members/columns.ts";
import { INVITE_COLUMNS } from "./columns.ts";

const COLUMNS: readonly Column<Invite & { readonly token: string }>[] = [
	...INVITE_COLUMNS,
	{ name: "token", value: (invite) => invite.token },
];

/** The same under two names: one looks for it among the members, too. */
function inviteLeaf(name: string): Leaf {
	return defineLeaf({
		summary: "Invite somebody into the team, by mail",
		notes:
			"The mail holds a link with the token, which is also printed, this once. An open invite of the same address is replaced.",
		examples: [`${name} ada@example.com --role editor`, `${name} ada@example.com --role viewer --app app_1`],
		args: {
			email: { type: "positional", required: true, description: "E-mail address" },
			role: { type: "string", valueHint: ROLE_WORDS, description: "What they may do; default: viewer" },
		},
		async run({ args }, context) {
			const { globals, out, world } = context;
			const role = readRole(args.role ?? "viewer");
			const { app, path } = await teamOf(context);
			if (globals.dryRun) {
				return showPlan(out, [{ method: "POST", path: path("invites"), body: { email: args.email, role } }]);
			}
			const advice = { state_conflict: "See who is in the team: svc members list" };
			const invite = await advising(advice, () => app.invites.create(args.email, role, { signal: world.signal }));
			await out.record(COLUMNS, invite);
			return EXIT.ok;
		},
	});
}

export const create = inviteLeaf("svc invites create");
export const invite = inviteLeaf("svc members invite");
