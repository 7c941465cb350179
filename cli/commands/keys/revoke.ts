import { advising } from "../../advice.ts";
import { confirmAbout } from "../../confirm-about.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { removeEach } from "../../removal.ts";
import { type Team, teamOf } from "../../team.ts";
import { KEY_ADVICE } from "./advice.ts";
import { lastUse } from "./columns.ts";

/** Tells when a single key was used last: whoever uses it still is in for a surprise. */
async function question(ids: readonly string[], { app }: Team, context: Context): Promise<string> {
	const [first = ""] = ids;
	if (ids.length > 1) return `Revoke ${ids.length} keys for good?`;
	const key = await app.keys.get(first, { signal: context.world.signal });
	return `Revoke ${first} ("${key.name}"), ${lastUse(key, context.world.date())}, for good?`;
}

export const revoke = defineLeaf({
	summary: "Revoke keys for good",
	notes: "Asks first, unless --yes is given. JSON is an array, also for one key.",
	examples: ["svc keys revoke key_1 --yes", "svc keys revoke key_1 key_2 --yes"],
	args: {},
	rest: { name: "id", description: "Key ids", required: true, valueHint: "id" },
	async run({ rest }, context) {
		const { signal } = context.world;
		const team = await teamOf(context);
		return removeEach(
			{
				ids: rest,
				verb: "revoked",
				path: (id) => team.path("keys", id),
				before: (ids) => advising(KEY_ADVICE, () => confirmAbout(context, () => question(ids, team, context))),
				remove: (id) => advising(KEY_ADVICE, () => team.app.keys.revoke(id, { signal })),
			},
			context,
		);
	},
});
