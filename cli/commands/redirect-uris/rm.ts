import type { RedirectUri } from "@svc/sdk/management-types";
import { advising } from "../../advice.ts";
import { EXIT, LocalError } from "../../exit.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { removeEach } from "../../removal.ts";
import { type Team, teamOf } from "../../team.ts";

const SEE = "See which there are: svc redirect-uris list";

/** Ids as they are, addresses by what they are listed under. @throws LocalError for an address that is not listed */
async function idsOf(words: readonly string[], { app }: Team, { world }: Context): Promise<readonly string[]> {
	if (!words.some((word) => word.includes("://"))) return words;
	const known: RedirectUri[] = [];
	for await (const one of app.redirectUris.all({ signal: world.signal })) known.push(one);
	return words.map((word) => {
		if (!word.includes("://")) return word;
		const found = known.find(({ uri }) => uri === word);
		if (found === undefined) throw new LocalError(`${word} is not allowed anyway.`, SEE, EXIT.missing);
		return found.id;
	});
}

export const rm = defineLeaf({
	summary: "Allow addresses no longer",
	notes: "By id, or by the address itself. JSON is an array, also for one address.",
	examples: ["svc redirect-uris rm red_1", "svc redirect-uris rm https://app.example.com/callback"],
	args: {},
	rest: { name: "id", description: "Ids, or the addresses themselves", required: true, valueHint: "id|uri" },
	async run({ rest }, context) {
		const { signal } = context.world;
		const team = await teamOf(context);
		const ids = await idsOf(rest, team, context);
		const remove = (id: string) => advising({ not_found: SEE }, () => team.app.redirectUris.remove(id, { signal }));
		return removeEach({ ids, verb: "removed", path: (id) => team.path("redirect_uris", id), remove }, context);
	},
});
