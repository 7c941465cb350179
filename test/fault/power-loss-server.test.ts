import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "@svc/base/database/open";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { limitMs } from "../support/limits.ts";
import { noise } from "../support/pictures.ts";
import { removeData } from "../support/process.ts";
import { openService, startService } from "../support/service.ts";
import { type Change, type Disk, diskOf, mount, recordOf, type Survival } from "./power.ts";
import { faultsOf, live, type Told, toldBy } from "./power-life.ts";
import { found } from "./scoreboard.ts";
import { Dice, seed } from "./seed.ts";
import { shimAround, shimNote, withoutShim } from "./shim.ts";

/*
 * As power-loss.test.ts, of the machine of a libSQL server that syncs each commit: the services and the pictures are elsewhere, and stay as they are.
 * A server before 0.24.33 does not sync its log of changes, so that what it shows is told and not judged; SVC_TEST_SQLD names a later one.
 */

const FAILURES = Math.max(3, Math.round(Number(process.env.SVC_TEST_POWER_LOSSES ?? 16) / 4));
const CREATES = 8;
const SURVIVALS: readonly Survival[] = ["none", "some", "some", "all"];
const isSkipped = withoutShim || withoutLibsql;
const picture = await noise(40, 30);

let scratch = "";
let data = "";
let dataDir = "";
let apiKey = "";
let version = "";
let disk: Disk;
let changes: readonly Change[] = [];

beforeAll(async () => {
	if (isSkipped) return;
	scratch = await mkdtemp(join(tmpdir(), "svc-power-server-"));
	[data, dataDir] = [join(scratch, "sqld"), join(scratch, "service")];
	// What was made long before is on the disk.
	const before = await startLibsql([], {}, { data });
	await before.keepCommits("strong");
	version = (await engineOf(before.url)) ?? "";
	const first = await openService({ SVC_DATABASE_URL: before.url });
	apiKey = first.apiKey;
	await cp(first.dataDir, join(scratch, "first"), { recursive: true });
	await first.close();
	await before[Symbol.asyncDispose]();
	disk = await diskOf(data);
	const shim = await shimAround(data, join(scratch, "record"));
	const server = await startLibsql([], {}, { under: shim.under, data });
	const service = await startService({ SVC_DATABASE_URL: server.url, SVC_DATA_DIR: join(scratch, "first") });
	const mark = async (text: string) => void (await shim.order(`mark ${text}`, () => undefined));
	await live({ baseUrl: service.baseUrl, mark }, { apiKey, picture, creates: CREATES });
	await cp(join(scratch, "first"), dataDir, { recursive: true });
	await service.stop();
	await server[Symbol.asyncDispose]();
	changes = recordOf(join(scratch, "record"));
}, 120_000);

afterAll(async () => {
	if (!isSkipped) await removeData(scratch);
});

async function engineOf(url: string): Promise<string | undefined> {
	const database = await openDatabase({ url });
	return await database.engine?.version().finally(() => database.close());
}

/** Starts the server on what is left of its disk, and a service on that. */
async function faultsAfter(left: ReturnType<Disk["afterPowerLoss"]>, told: Told): Promise<readonly string[]> {
	const folder = await mkdtemp(join(scratch, "state-"));
	await mount(left, data, join(folder, "sqld"));
	await cp(dataDir, join(folder, "service"), { recursive: true });
	await using server = await startLibsql([], {}, { data: join(folder, "sqld") });
	const service = await openService({ SVC_DATABASE_URL: server.url, SVC_DATA_DIR: join(folder, "service") });
	try {
		const faults: string[] = [];
		// What the process had claimed that was there before is not free for some seconds.
		const looked = { service, apiKey, picture, repeated: [201, 409] };
		for (const [key, one] of told) faults.push(...(await faultsOf(looked, key, one)));
		if ((await service.recount()).length > 0) faults.push("usage is not what it counts");
		return faults;
	} finally {
		await service.close();
		await rm(folder, { recursive: true, force: true });
	}
}

test.skipIf(isSkipped)(
	`after a power failure of a libSQL server's machine what was acknowledged is there (seed ${seed})${shimNote}${libsqlNote}`,
	async () => {
		const dice = new Dice(seed);
		const cuts = Array.from({ length: FAILURES }, () => dice.below(changes.length + 1));
		const marks: string[] = [];
		const lost: string[] = [];
		let at = 0;
		for (const [turn, cut] of cuts.sort((a, b) => a - b).entries()) {
			for (; at < cut; at++) {
				const change = changes[at] as Change;
				if (change.call === "mark") marks.push(change.path);
				else disk.apply(change);
			}
			const survival = SURVIVALS[turn % SURVIVALS.length] ?? "some";
			const faults = await faultsAfter(disk.afterPowerLoss(survival, dice), toldBy(marks)).catch((cause) => [
				`nothing starts: ${cause}`,
			]);
			lost.push(...faults.map((fault) => `cut ${cut}, ${survival}: ${fault}`));
		}
		found("power loss: server", {
			failures: FAILURES,
			changes: changes.length,
			acknowledged: marks.length,
			lost: lost.length,
		});
		if (Bun.semver.satisfies(version, ">=0.24.33")) return expect(lost).toEqual([]);
		const told = `EXPECTED TO FAIL with libSQL's server ${version}, and not judged (SVC_TEST_SQLD names a later one)`;
		process.stderr.write(`${told}: ${lost.length} lost\n${lost.join("\n")}\n`);
	},
	limitMs(FAILURES, 60_000),
);
