import type { RedirectUri } from "@svc/sdk/management-types";
import type { Tombstone } from "@svc/sdk/types";
import { advising } from "../../advice.ts";
import { runBatch } from "../../batch.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT, LocalError } from "../../exit.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import type { Column } from "../../table.ts";
import { readId, type Team, teamOf } from "../../team.ts";

const COLUMNS: readonly Column<Tombstone>[] = [
	{ name: "id", value: (tombstone) => tombstone.id },
	{ name: "removed", value: (tombstone) => tombstone.deleted },
];

const SEE = "See which there are: svc redirect-uris list";

/** Ids as they are, addresses by what they are listed under. @throws LocalError for an address that is not listed */
async function idsOf(words: readonly string[], { app }: Team, { world }: Context): Promise<readonly string[]> {
	if (!words.some((word) => word.includes("://"))) return words.map(readId);
	const known: RedirectUri[] = [];
	for await (const one of app.redirectUris.all({ signal: world.signal })) known.push(one);
	return words.map((word) => {
		if (!word.includes("://")) return readId(word);
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
	rest: { name: "id", description: "Ids, or the addresses themselves", required: true },
	async run({ rest }, context) {
		const { globals, out, world } = context;
		const team = await teamOf(context);
		const ids = [...new Set(await idsOf(rest, team, context))];
		if (globals.dryRun) {
			return showPlan(
				out,
				ids.map((id) => ({ method: "DELETE", path: team.path("redirect_uris", id) })),
			);
		}
		const work = (id: string) =>
			advising({ not_found: SEE }, () => team.app.redirectUris.remove(id, { signal: world.signal }));
		return runBatch({ items: ids, name: (id) => id, work, columns: COLUMNS }, context);
	},
});
