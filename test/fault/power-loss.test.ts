import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { censusOf } from "../support/census.ts";
import { limitMs } from "../support/limits.ts";
import { noise } from "../support/pictures.ts";
import { removeData } from "../support/process.ts";
import { type OpenService, openService } from "../support/service.ts";
import { type Change, type Disk, diskOf, mount, recordOf, type Survival } from "./power.ts";
import { faultsOf, live, type Told, toldBy } from "./power-life.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";
import { shimNote, startShimmed, withoutShim } from "./shim.ts";

/*
 * All changes of files that a run makes are recorded. At many moments of it the power fails: what was synced is there, of the rest anything.
 * The service is opened on that: what it had acknowledged is there, and everything else is whole or absent.
 */

/** How many power failures are looked at. */
const FAILURES = Number(process.env.SVC_TEST_POWER_LOSSES ?? 16);
const CREATES = Math.max(12, Math.round(FAILURES / 20));
const DAY_MS = 86_400_000;
const SURVIVALS: readonly Survival[] = ["none", "some", "some", "all"];
const picture = await noise(40, 30);

let dataDir = "";
let scratch = "";
let apiKey = "";
let disk: Disk;
/** The same at first, for a service that does not sync its pictures. */
let careless: Disk;
let changes: readonly Change[] = [];

beforeAll(async () => {
	if (withoutShim) return;
	dataDir = await mkdtemp(join(tmpdir(), "svc-power-"));
	scratch = await mkdtemp(join(tmpdir(), "svc-power-states-"));
	const env = { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
	const first = await openService(env);
	await first.close();
	apiKey = first.apiKey;
	[disk, careless] = [await diskOf(dataDir), await diskOf(dataDir)];
	const server = await startShimmed(env, join(scratch, "record"));

	await server.ready();
	await live(server, { apiKey, picture, creates: CREATES });
	expect(await server.stop()).toBe(0);
	changes = recordOf(join(scratch, "record"));
}, 120_000);

afterAll(async () => {
	if (withoutShim) return;
	await removeData(dataDir);
	await removeData(scratch);
});

/** Opens the service on what is left, and says what is not as it was promised. */
async function faultsAfter(left: ReturnType<Disk["afterPowerLoss"]>, told: Told): Promise<string[]> {
	const folder = await mkdtemp(join(scratch, "state-"));
	await mount(left, dataDir, folder);
	const service = { ...(await openService({ SVC_DATA_DIR: folder })), dataDir: folder };
	try {
		const faults: string[] = [];
		for (const [key, one] of told)
			faults.push(...(await faultsOf({ service, apiKey, picture, repeated: [201] }, key, one)));
		return [...faults, ...(await faultsOfWhole(service))];
	} finally {
		await service.close();
		await removeData(folder);
	}
}

async function faultsOfWhole(service: OpenService): Promise<string[]> {
	const faults: string[] = [];
	const { database } = service;
	const [[check] = [""]] = await database.read(() => database.queries.values<[string]>(sql`PRAGMA integrity_check`));
	if (check !== "ok") faults.push(`the database: ${check}`);
	const blobs = await database.read(() => database.queries.values<[string]>(sql`SELECT blob_key FROM images`));
	for (const [blobKey] of blobs) {
		const bytes = await (await service.rooms.images.blobs.find(blobKey))?.read();
		if (!bytes || !picture.equals(bytes)) faults.push(`${blobKey}: its bytes are not whole`);
	}
	if ((await service.recount()).length > 0) faults.push("usage is not what it counts");
	service.clock.advance(2 * DAY_MS);
	while ((await service.sweep()).blobs > 0);
	const { blobs: kept, files, incoming } = await censusOf(service);
	if (files.join() !== [...kept.live].sort().join() || incoming.length > 0) faults.push("something is left over");
	return faults;
}

describe.skipIf(withoutShim)(`after a power failure${shimNote}`, () => {
	test(
		`${FAILURES} moments: what was acknowledged is there, the rest is whole or absent (seed ${seed})`,
		async () => {
			const dice = new Dice(seed);
			const cuts = Array.from({ length: FAILURES }, () => dice.below(changes.length + 1)).sort((a, b) => a - b);
			const marks: string[] = [];
			let at = 0;
			for (const [turn, cut] of cuts.entries()) {
				for (; at < cut; at++) {
					const change = changes[at] as Change;
					if (change.call === "mark") marks.push(change.path);
					else disk.apply(change);
				}
				const survival = SURVIVALS[turn % SURVIVALS.length] ?? "some";
				const faults = await faultsAfter(disk.afterPowerLoss(survival, dice), toldBy(marks));
				expect([`seed ${seed}, cut ${cut}, ${survival}`, faults]).toEqual([
					`seed ${seed}, cut ${cut}, ${survival}`,
					[],
				]);
			}
			found("power loss", { failures: FAILURES, changes: changes.length, acknowledged: marks.length, lost: 0 });
		},
		limitMs(FAILURES, 20_000),
	);

	test("the check sees what is lost where pictures are not synced", async () => {
		const marks = changes.filter(({ call }) => call === "mark").map(({ path }) => path);
		for (const change of changes) {
			if (change.call !== "fsync" || !change.path.includes("/images/")) careless.apply(change);
		}
		const left = careless.afterPowerLoss("none", new Dice(1));
		expect((await faultsAfter(left, toldBy(marks))).join()).toContain("its original is answered 503");
	}, 60_000);
});
