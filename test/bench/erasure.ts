import { sql } from "drizzle-orm";
import { openService } from "../support/service.ts";
import { ask, makeTeam } from "../support/teams.ts";
import { fill } from "./full-storage.ts";
import { printTable, verdict } from "./measure.ts";
import { longestStretch } from "./stretch.ts";

/*
 * An App is deleted with its images, 100,000 unless the argument says how many: how long it takes, and the longest stretch in which the
 * service could answer nobody. Renditions are not among it: what is kept of an image is known without looking for it.
 */

const IMAGES = Number(process.argv[2] ?? 100_000);
/** Of 100,000 images. */
const MOST_SECONDS = 10;
const MOST_MS = 100;

const service = await openService({ SVC_KEY_RATE: "0" });
const team = await makeTeam(service);
const { database } = service;
const [place = [0, 0]] = await database.read(() =>
	database.queries.values<
		[number, number]
	>(sql`SELECT apps.pk, storages.pk FROM apps JOIN storages ON storages.app_pk = apps.pk
		WHERE apps.id = ${team.appId}`),
);
const [appPk, storagePk] = place;
await fill({ database }, IMAGES, { appPk, storagePk, publishedInOrder: true });
const counted = sql`images = ${IMAGES}, bytes = ${IMAGES} * 100000`;
await database.write([
	{ run: sql`INSERT INTO blobs (blob_key, state, since_ms) SELECT blob_key, 'live', 1 FROM images` },
	{ run: sql`UPDATE storages SET ${counted} WHERE pk = ${storagePk}` },
	{ run: sql`UPDATE app_usage SET ${counted} WHERE app_pk = ${appPk}` },
]);
await database.checkpoint();

const startMs = performance.now();
const before = process.cpuUsage();
const longestMs = await longestStretch(async () => {
	const asked = await ask(service, team.owner, "DELETE", team.path, { confirm_name: "Pictures" });
	if (asked.status >= 300) throw new Error(JSON.stringify(asked.body));
	service.startJobs();
	const ended = sql`SELECT count(*) FROM jobs WHERE kind = 'app.delete' AND state = 'done'`;
	const isOver = async () => (await database.read(() => database.queries.values<[number]>(ended)))[0]?.[0] === 1;
	while (!(await isOver())) await Bun.sleep(20);
	const left = await database.read(() => database.queries.values<[number]>(sql`SELECT count(*) FROM images`));
	if (left[0]?.[0] !== 0) throw new Error("images are left");
});
const seconds = (performance.now() - startMs) / 1_000;
const { user, system } = process.cpuUsage(before);
const most = (MOST_SECONDS * IMAGES) / 100_000;
printTable(
	`An App of ${IMAGES.toLocaleString("en")} images is deleted`,
	["", "", "at most", ""],
	[
		["seconds", seconds.toFixed(1), String(most), verdict(seconds <= most)],
		["of the processor", ((user + system) / 1e6).toFixed(1), "", ""],
		["longest stretch, ms", longestMs.toFixed(0), String(MOST_MS), verdict(longestMs < MOST_MS)],
	],
);
await service.close();
process.exit(0);
