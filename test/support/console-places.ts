import { SCREENS } from "@svc/pages/console/screens";
import { connectUser } from "./apps.ts";
import { TABLE } from "./console-table.ts";
import { as } from "./people.ts";
import { plain } from "./pictures.ts";
import { uploaded } from "./requests.ts";
import type { OpenService } from "./service.ts";
import { ask, type Team } from "./teams.ts";

/* Where the screens of the console stand, with something there to see. */

/** Not of an App, and tried in tests of their own. */
export const OF_NO_APP: ReadonlySet<string> = new Set(["", "/operator/mails"]);

/** A screen as it is named, with the query that the table says of it, and its address. */
export interface Place {
	readonly path: string;
	readonly at: string;
}

/** By the name in a screen's path: makes one of them, and says its id. */
async function makeThings(service: OpenService, team: Team): Promise<Readonly<Record<string, string>>> {
	const { id: image } = await uploaded(service, await plain(9, 9), "seen.png", {}, as(team.editor, team.appId));
	const { id: user } = await connectUser(service.database, { id: team.appId });
	const change = { filter: { filename_prefix: "none" }, act: { labels: { a: "b" } } };
	const job = (await ask(service, team.editor, "POST", `${team.path}/image_jobs`, change)).body.id;
	return { app: team.appId, image, user, job: String(job) };
}

/** Every screen, those as well which only a query has ask for something. */
export async function placesOf(service: OpenService, team: Team): Promise<readonly Place[]> {
	const things = await makeThings(service, team);
	const asked = Object.values(TABLE).flatMap((place) => ("screen" in place ? [place.screen] : []));
	const paths = new Set([...SCREENS.map(({ path }) => path), ...asked]);
	return [...paths].map((path) => {
		const at = path.replaceAll(/:(\w+)/g, (_, name) => things[name] ?? `no ${name}`);
		return { path, at: `/console${at}${path.endsWith("chosen") ? "?all=1" : ""}` };
	});
}
