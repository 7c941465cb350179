import { availableParallelism } from "node:os";
import { firstApp } from "../support/apps.ts";
import { addImages } from "../support/bulk-images.ts";
import { plain } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { printTable } from "./measure.ts";

/*
 *   bun test/bench/scaling.ts [views of a picture a day] [share of views that reach us] [share of pictures that are new each day]
 *
 * What a deployment of each size needs: a simulation of docs/operate/scaling.md. Bytes a picture and processor time a call are measured here
 * and now; round trips are those that test/contract/round-trips.test.ts counts, and the database server's time that of test/bench/remote.ts,
 * which is printed first and may be given: SVC_READ_MS, SVC_CHANGE_MS.
 */

const [VIEWS = 1, REACHING = 0.1, NEW = 0.002] = process.argv.slice(2).map(Number);
const READ_MS = Number(process.env.SVC_READ_MS ?? 0.05);
const CHANGE_MS = Number(process.env.SVC_CHANGE_MS ?? 0.34);
/** The busiest hour of a day has this many times the average. */
const PEAK = 4;
/** Half of a processor is left for the worst minute. */
const FULL = 0.5;
const DAY_SECONDS = 86_400;
/** Of a picture as people upload it, and of all that is kept of it for those who look: assumptions. */
const ORIGINAL_BYTES = 2.5e6;
/** Commits of a create, and reads of a view: what the service sends to a database server. */
const CHANGES_A_CREATE = 3;
const READS_A_VIEW = 1;
/** A shard of the database: by its size, since it is copied and moved as one file. */
const SHARD_BYTES = 16e9;

const service = await openService();
const app = await firstApp(service.database);
const perPicture = await bytesPerPicture(service);
const view = await secondsPerView(service);
const create = await secondsPerCreate(service);
await service.close();

console.log(
	`Measured here: ${Math.round(perPicture)} bytes of database a picture; a create takes ${(create / view).toFixed(0)} × the processor time of a view that is kept.`,
);
console.log(
	`Assumed: ${VIEWS} views a picture a day, ${REACHING * 100} % of them past the CDN, ${NEW * 100} % of all pictures new each day, the busiest hour ${PEAK} × the average.`,
);

interface Need {
	readonly pictures: number;
	readonly views: number;
	readonly creates: number;
	readonly database: number;
	readonly originals: number;
	readonly serviceCores: number;
	readonly serverCores: number;
	readonly shards: number;
}

function needOf(pictures: number): Need {
	const views = (pictures * VIEWS * REACHING * PEAK) / DAY_SECONDS;
	const creates = (pictures * NEW * PEAK) / DAY_SECONDS;
	const database = pictures * perPicture;
	const serverMs = views * READS_A_VIEW * READ_MS + creates * CHANGES_A_CREATE * CHANGE_MS;
	return {
		pictures,
		views,
		creates,
		database,
		originals: pictures * ORIGINAL_BYTES,
		serviceCores: (views * view + creates * create) / FULL,
		serverCores: serverMs / 1_000 / FULL,
		shards: Math.max(1, Math.ceil(Math.max(database / SHARD_BYTES, serverMs / 1_000 / FULL))),
	};
}

const STEPS: readonly (readonly [string, number])[] = [
	["one machine, one file", 1e5],
	["three machines", 1e7],
	["a region, replicas", 1e8],
	["shards by App", 1e9],
];
printTable(
	"What each step needs in the busiest hour",
	["", "pictures", "views/s", "creates/s", "database", "originals", "cores: service", "cores: database", "databases"],
	STEPS.map(([name, pictures]) => {
		const need = needOf(pictures);
		return [
			name,
			pictures.toExponential(0),
			need.views.toFixed(0),
			need.creates.toFixed(1),
			sized(need.database),
			sized(need.originals),
			need.serviceCores.toFixed(1),
			need.serverCores.toFixed(2),
			String(need.shards),
		];
	}),
);
console.log(
	`\nCores are such as this machine has ${availableParallelism()} of; take the ratios between rows, not the figures.`,
);
process.exit(0);

function sized(bytes: number): string {
	const units = ["B", "kB", "MB", "GB", "TB", "PB"];
	const place = Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
	return `${(bytes / 1_000 ** place).toFixed(1)} ${units[place]}`;
}

async function pagesOf({ database }: OpenService): Promise<number> {
	const value = async (name: string) => Number((await database.rows(`PRAGMA ${name}`, []))[0]?.[0]);
	return ((await value("page_count")) - (await value("freelist_count"))) * (await value("page_size"));
}

/** With its audit, labels and facts. */
async function bytesPerPicture(open: OpenService): Promise<number> {
	const file = await plain(6, 6);
	await addImages(open, app.storageId, 200, file);
	const before = await pagesOf(open);
	await addImages(open, app.storageId, 1_000, file);
	return ((await pagesOf(open)) - before) / 1_000;
}

/** Processor time of this process, in seconds. */
async function secondsOf(count: number, work: () => Promise<unknown>): Promise<number> {
	const began = process.cpuUsage();
	for (let done = 0; done < count; done++) await work();
	const { user, system } = process.cpuUsage(began);
	return (user + system) / 1e6 / count;
}

async function secondsPerView(open: OpenService): Promise<number> {
	const { url } = await uploaded(open, await plain(900, 600, "jpeg"), "a.jpg");
	const look = async () => await (await open.sites.cdn(new Request(`${url}?w=300`))).arrayBuffer();
	await look();
	return await secondsOf(2_000, look);
}

/** The API's side alone: what workers do to look at the picture is theirs. */
async function secondsPerCreate(open: OpenService): Promise<number> {
	const file = await plain(900, 600, "jpeg");
	return await secondsOf(50, async () => {
		const { id } = await uploaded(open, file, "a.jpg");
		await send(open, "GET", `/v1/images/${id}`);
	});
}
