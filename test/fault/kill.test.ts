import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BLOB_PREFIX } from "@svc/images/keep/orphans";
import { recounter } from "@svc/images/usage/recount-store";
import type { Image, Usage } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { firstApp, setPlan } from "../support/apps.ts";
import { PASSING, startLibsqlProxy } from "../support/libsql-proxy.ts";
import { libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { limitMs } from "../support/limits.ts";
import { plain } from "../support/pictures.ts";
import { removeData, startProcess } from "../support/process.ts";
import { fakeS3 } from "../support/s3.ts";
import { s3ServerNote, startS3Server, withoutS3Server } from "../support/s3-server.ts";
import { type OpenService, openService } from "../support/service.ts";
import { type Belief, Client, createOf } from "./kill-clients.ts";

/* kill -9 under load, and a restart each time: what was acknowledged is there, once, and nothing else is; and the feed says the same. */

const CYCLES = Number(process.env.SVC_TEST_KILLS ?? 8);
/** Of a bucket and of a libSQL server, where every kill takes longer. */
const FAR_CYCLES = Number(process.env.SVC_TEST_KILLS ?? 6);
const MACHINE_CYCLES = Number(process.env.SVC_TEST_KILLS ?? 3);
const REAL_CYCLES = Number(process.env.SVC_TEST_KILLS ?? 2);
const CLIENTS = 6;
const PICTURES = 8;
const DAY_MS = 86_400_000;
const NEVER_COMES_MS = 3_000;

type Environment = Readonly<Record<string, string>>;
type Kill = () => void;

/** What a service keeps its images in. */
interface World extends AsyncDisposable {
	readonly env: Environment;
	/** What the killed processes see of it, where that is something else. */
	readonly killedEnv?: Environment;
	/** Kills at a moment of its choice. */
	strike(kill: Kill): Promise<void>;
	/** How many files or objects there are. */
	stored(): Promise<number>;
}

/** At any moment. */
async function strikeAnywhere(kill: Kill): Promise<void> {
	await Bun.sleep(50 + Math.random() * 700);
	kill();
}

/** Waits for something, and lets nobody wait any more. */
interface Trap {
	arm(when: "before" | "after", kill: Kill): void;
	disarm(): void;
}

/** Before or after what the trap waits for, or at any moment. */
async function strikeAt(trap: Trap, kill: Kill): Promise<void> {
	if (Math.random() < 0.2) return await strikeAnywhere(kill);
	await Bun.sleep(Math.random() * 300);
	const struck = Promise.withResolvers<void>();
	trap.arm(Math.random() < 0.5 ? "before" : "after", () => {
		kill();
		struck.resolve();
	});
	await Promise.race([struck.promise, Bun.sleep(NEVER_COMES_MS)]);
	// The next process is not meant.
	trap.disarm();
	kill();
}

async function dataDirEnv() {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-kill-"));
	return { SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
}

async function files({ SVC_DATA_DIR: dataDir = "" }: Environment): Promise<number> {
	const root = join(dataDir, "images");
	// With a bucket nothing need have been written here.
	if (!existsSync(root)) return 0;
	const found = await readdir(root, { recursive: true, withFileTypes: true });
	// At the root of the store lies what is about the store itself.
	return found.filter((entry) => entry.isFile() && entry.parentPath !== root).length;
}

async function onFiles(): Promise<World> {
	const env = await dataDirEnv();
	return {
		env,
		strike: strikeAnywhere,
		stored: () => files(env),
		[Symbol.asyncDispose]: () => removeData(env.SVC_DATA_DIR),
	};
}

async function onBucket(): Promise<World> {
	const s3 = await fakeS3();
	const env = { ...(await dataDirEnv()), ...s3.env };
	const trap: Trap = {
		arm: (when, kill) => s3.fail("PUT", { kind: "kill", when, kill }, 1, /img_/),
		disarm: s3.heal,
	};
	return {
		env,
		strike: (kill) => strikeAt(trap, kill),
		stored: async () => s3.blobs().size + (await files(env)),
		async [Symbol.asyncDispose]() {
			await s3.close();
			await removeData(env.SVC_DATA_DIR);
		},
	};
}

async function onServer(): Promise<World> {
	const server = await startLibsql();
	const proxy = await startLibsqlProxy(server.url);
	const env = { ...(await dataDirEnv()), SVC_DATABASE_URL: server.url };
	const trap: Trap = {
		arm(when, kill) {
			proxy.passage = async (isChange, forward) => {
				if (!isChange) return await forward();
				trap.disarm();
				if (when === "after") await forward();
				kill();
				return undefined;
			};
		},
		disarm() {
			proxy.passage = PASSING;
		},
	};
	return {
		env,
		killedEnv: { ...env, SVC_DATABASE_URL: proxy.url },
		strike: (kill) => strikeAt(trap, kill),
		stored: () => files(env),
		async [Symbol.asyncDispose]() {
			await proxy[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
			await removeData(env.SVC_DATA_DIR);
		},
	};
}

/** A bucket of a real server, which keeps what it was asked to keep when whoever asked was killed. */
async function onS3Server(): Promise<World> {
	const server = await startS3Server();
	const env = { ...(await dataDirEnv()), ...server.env };
	return {
		env,
		strike: strikeAnywhere,
		stored: async () => (await server.keys()).filter((key) => key.startsWith(BLOB_PREFIX)).length + (await files(env)),
		async [Symbol.asyncDispose]() {
			await server[Symbol.asyncDispose]();
			await removeData(env.SVC_DATA_DIR);
		},
	};
}

async function onMachines(openBucket: () => Promise<World>) {
	const server = await startLibsql();
	const bucket = await openBucket();
	const env: Environment = { ...bucket.env, SVC_DATABASE_URL: server.url };
	let last = 0;
	return {
		...bucket,
		env,
		strike: strikeAnywhere,
		newDisk: async () => join(env.SVC_DATA_DIR ?? "", `machine-${++last}`),
		nobody(): never {
			throw new Error("there is no such machine");
		},
		async [Symbol.asyncDispose]() {
			await bucket[Symbol.asyncDispose]();
			await server[Symbol.asyncDispose]();
		},
	};
}

/** Kills, restarts and looks. */
async function kill(cycles: number, world: World): Promise<void> {
	const apiKey = await prepare(world.env);
	const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, n) => plain(4 + n, 4 + n)));
	const start = () => startProcess(world.killedEnv ?? world.env);

	let server = await start();
	await server.ready();
	const clients = Array.from({ length: CLIENTS }, () => new Client(() => server, apiKey, pictures));
	const running = clients.map((client) => client.run());
	for (let cycle = 0; cycle < cycles; cycle++) {
		await world.strike(() => server.process.kill("SIGKILL"));
		await server.process.exited;
		server = await start();
		await server.ready();
	}
	for (const client of clients) client.stop();
	await Promise.all(running);
	expect(await server.stop()).toBe(0);
	expect(server.stderr()).toBe("");

	const beliefs = clients.flatMap((client) => client.beliefs);
	expect(clients.flatMap((client) => client.contradictions)).toEqual([]);
	await compare(world, apiKey, beliefs);
}

/** One of three machines at a time, each with a disk of its own; clients go to any of them. */
async function killOneOfThree(cycles: number, openBucket: () => Promise<World>): Promise<void> {
	await using world = await onMachines(openBucket);
	const apiKey = await prepare(world.env);
	const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, n) => plain(4 + n, 4 + n)));
	const start = async () => {
		const machine = await startProcess({ ...world.env, SVC_DATA_DIR: await world.newDisk() });
		await machine.ready();
		return machine;
	};
	const machines = [await start(), await start(), await start()];
	const any = () => machines[Math.floor(Math.random() * machines.length)] ?? world.nobody();
	const clients = Array.from({ length: CLIENTS }, () => new Client(any, apiKey, pictures));
	const running = clients.map((client) => client.run());
	for (let cycle = 0; cycle < cycles; cycle++) {
		const place = cycle % machines.length;
		const victim = machines[place] ?? world.nobody();
		await world.strike(() => victim.process.kill("SIGKILL"));
		await victim.process.exited;
		machines[place] = await start();
	}
	for (const client of clients) client.stop();
	await Promise.all(running);
	for (const machine of machines) expect(await machine.stop()).toBe(0);
	expect(clients.flatMap((client) => client.contradictions)).toEqual([]);
	await compare(
		world,
		apiKey,
		clients.flatMap((client) => client.beliefs),
	);
}

const timeMs = (cycles: number) => limitMs(cycles, 30_000);
const PROMISE = "nothing acknowledged is lost, nothing doubled, nothing left over";

test(
	`${CYCLES} kills under load: ${PROMISE}`,
	async () => {
		await using world = await onFiles();
		await kill(CYCLES, world);
	},
	timeMs(CYCLES),
);

test(
	`${FAR_CYCLES} kills with the images in a bucket, before and after its puts: ${PROMISE}`,
	async () => {
		await using world = await onBucket();
		await kill(FAR_CYCLES, world);
	},
	timeMs(FAR_CYCLES),
);

test.skipIf(withoutLibsql)(
	`${FAR_CYCLES} kills with the rows on a libSQL server, before and after its commits: ${PROMISE}${libsqlNote}`,
	async () => {
		await using world = await onServer();
		await kill(FAR_CYCLES, world);
	},
	timeMs(FAR_CYCLES),
);

test.skipIf(withoutLibsql)(
	`${MACHINE_CYCLES} kills of one of three machines on a libSQL server and a bucket: ${PROMISE}${libsqlNote}`,
	() => killOneOfThree(MACHINE_CYCLES, onBucket),
	timeMs(MACHINE_CYCLES + 3),
);

test.skipIf(withoutLibsql || withoutS3Server)(
	`${REAL_CYCLES} kills of one of three machines on a libSQL server and a real S3 server: ${PROMISE}${libsqlNote}${s3ServerNote}`,
	() => killOneOfThree(REAL_CYCLES, onS3Server),
	timeMs(REAL_CYCLES + 3),
);

/** Makes the App, without the images limit of its plan. */
async function prepare(env: Environment): Promise<string> {
	const service = await openService(env);
	await setPlan(service.database, (await firstApp(service.database)).id, "unlimited");
	await service.close();
	return service.apiKey;
}

/** What the clients believe against what is there, opened afresh. */
async function compare({ env, stored }: World, apiKey: string, beliefs: readonly Belief[]): Promise<void> {
	const service = await openService(env);
	const authorized = { Authorization: `Bearer ${apiKey}` };
	const get = async (path: string) => service.api(path, { headers: authorized });
	// Past every lease that a killed process has left behind.
	service.clock.advance(5 * 60_000);
	for (const belief of beliefs.filter(({ state }) => state === "creating")) {
		const { headers, ...init } = createOf(belief);
		const answer = await service.api("/v1/images", { ...init, headers: { ...authorized, ...(headers as object) } });
		expect(answer.status).toBe(201);
		belief.id = ((await answer.json()) as Image).id;
		belief.state = "kept";
	}
	const kept = beliefs.filter(({ state }) => state === "kept");
	const faults: string[] = [];
	for (const belief of beliefs) {
		const answer = await get(`/v1/images/${belief.id}`);
		if (answer.status !== (belief.state === "kept" ? 200 : 404))
			faults.push(`${belief.state} ${belief.id}: ${answer.status}`);
		if (belief.state === "kept") faults.push(...(await differences(belief, (await answer.json()) as Image, service)));
	}
	expect(faults).toEqual([]);

	const count = async (query: ReturnType<typeof sql>) =>
		Number((await service.database.read(() => service.database.queries.values(query)))[0]?.[0]);
	expect(await count(sql`SELECT count(*) FROM images`)).toBe(kept.length);
	// The feed has one create of each image that is or was there, and one end of each that is gone: they were in the same commits.
	const told = (types: string) => sql`SELECT subject FROM events WHERE type IN (SELECT value FROM json_each(${types}))`;
	const [created, gone] = [told('["image.created"]'), told('["image.deleted","image.expired"]')];
	expect(await count(sql`SELECT count(*) FROM (${created} GROUP BY subject HAVING count(*) > 1)`)).toBe(0);
	expect(await count(sql`SELECT count(*) FROM (${gone} GROUP BY subject HAVING count(*) > 1)`)).toBe(0);
	const living = sql`SELECT id FROM images`;
	expect(await count(sql`SELECT count(*) FROM (${living} EXCEPT ${created})`)).toBe(0);
	expect(await count(sql`SELECT count(*) FROM (${created} EXCEPT ${living} EXCEPT ${gone})`)).toBe(0);
	expect(await count(sql`SELECT count(*) FROM images WHERE id IN (${gone})`)).toBe(0);
	const usage = (await (await get("/v1/usage")).json()) as Usage;
	expect(usage.totals.images_stored).toBe(kept.length);
	expect(usage.totals.storage_used_bytes).toBe(kept.reduce((sum, { body }) => sum + body.length, 0));
	expect(await recounter(service.database).recount(Date.now())).toEqual([]);

	// Two days later everything that a crash left behind is past its grace.
	service.clock.advance(2 * DAY_MS);
	while ((await service.sweep()).blobs > 0);
	expect(await count(sql`SELECT count(*) FROM blobs WHERE state <> 'live'`)).toBe(0);
	expect(await stored()).toBe(kept.length);
	await service.close();
}

async function differences(belief: Belief, image: Image, service: OpenService): Promise<string[]> {
	const faults: string[] = [];
	if (image.caption !== belief.caption && image.caption !== belief.pendingCaption)
		faults.push(`${image.id}: its caption was lost`);
	const [row] = await service.database.read(() =>
		service.database.queries.values<[string]>(sql`SELECT blob_key FROM images WHERE id = ${image.id}`),
	);
	const blob = await service.rooms.images.blobs.find(row?.[0] ?? "none");
	if (!blob || !belief.body.equals(await blob.read())) faults.push(`${image.id}: its bytes are not whole`);
	const { status } = await service.open(image.url);
	if (status !== 200) faults.push(`${image.id} is answered ${status}`);
	return faults;
}
