import { advising } from "../../advice.ts";
import { defineLeaf } from "../../leaf.ts";
import { removeEach } from "../../removal.ts";
import { teamOf } from "../../team.ts";

const ADVICE = { not_found: "See which are open: svc invites list" };

export const revoke = defineLeaf({
	summary: "Take invites back",
	notes: "JSON is an array, also for one invite.",
	examples: ["svc invites revoke inv_1", "svc invites revoke inv_1 inv_2"],
	args: {},
	rest: { name: "id", description: "Invite ids", required: true, valueHint: "id" },
	async run({ rest }, context) {
		const { signal } = context.world;
		const { app, path } = await teamOf(context);
		const remove = (id: string) => advising(ADVICE, () => app.invites.withdraw(id, { signal }));
		return removeEach({ ids: rest, verb: "revoked", path: (id) => path("invites", id), remove }, context);
	},
});
