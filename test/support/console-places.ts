import { SCREENS } from "@svc/pages/console/screens";
import { connectUser } from "./apps.ts";
import { TABLE } from "./console-table.ts";
import { as } from "./people.ts";
import { plain } from "./pictures.ts";
import { send, uploaded } from "./requests.ts";
import type { OpenService } from "./service.ts";
import { sold } from "./sold.ts";
import { ask, type Team } from "./teams.ts";

/* Where the screens of the console stand, with something there to see. */

const ASKED = Object.values(TABLE).flatMap((place) => ("screen" in place ? [place.screen] : []));
const PATHS = new Set([...SCREENS.map(({ path }) => path), ...ASKED]);
/** For those who run the service. */
export const OPERATORS = [...PATHS].filter((path) => path.startsWith("/operator/"));

/** Not of an App, and tried in tests of their own. */
export const OF_NO_APP: ReadonlySet<string> = new Set(["", ...OPERATORS]);

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
	const hook = { url: "https://app.example.com/hooks", description: "Here" };
	const endpoint = (await ask(service, team.admin, "POST", `${team.path}/webhook_endpoints`, hook)).body.id;
	const path = `${team.path}/webhook_endpoints/${endpoint}`;
	const delivery = (await ask(service, team.admin, "POST", `${path}/test`)).body.id;
	const editor = as(team.editor, team.appId);
	const items = [{ url: "https://pictures.example/a.jpg" }];
	const read = async (answer: Response) => (await answer.json()) as { id: string; data: { id: string }[] };
	const imported = await read(await send(service, "POST", "/v1/imports", { items }, editor));
	const [event] = (await read(await send(service, "GET", "/v1/events", undefined, editor))).data;
	const ofHooks = { endpoint: String(endpoint), delivery: String(delivery), event: event?.id ?? "none" };
	const { subscription } = await sold(service, team);
	return { app: team.appId, subscription, image, user, job: String(job), import: imported.id, ...ofHooks };
}

/** Every screen, those as well which only a query has ask for something. */
export async function placesOf(service: OpenService, team: Team): Promise<readonly Place[]> {
	const things = await makeThings(service, team);
	return [...PATHS].map((path) => {
		const at = path.replaceAll(/:(\w+)/g, (_, name) => things[name] ?? `no ${name}`);
		return { path, at: `/console${at}${path.endsWith("chosen") ? "?all=1" : ""}` };
	});
}
