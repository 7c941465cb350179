import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { apiApp } from "@svc/api/app";
import type { ApiDeps } from "@svc/api/deps";
import { cdnApp } from "@svc/cdn/app";
import { openRenditionCache } from "@svc/cdn/cache";
import { Reductions } from "@svc/cdn/reductions";
import type { Addresses } from "@svc/core/addresses";
import { hmacCursors } from "@svc/core/cursors";
import { Gate } from "@svc/core/gate";
import type { Clock, Drift, Log, Ticker } from "@svc/core/ports";
import { rateLimiter } from "@svc/core/rate";
import { type Swept, sweep } from "@svc/core/sweep";
import { type Database, openDatabase } from "@svc/db/client";
import { factStore } from "@svc/db/facts";
import { databaseHealth } from "@svc/db/health";
import { endLeases, idempotencyStore } from "@svc/db/idempotency";
import { imageStore } from "@svc/db/images";
import { keyStore } from "@svc/db/keys";
import { sharedSecret } from "@svc/db/meta";
import { migrate, readMigrations } from "@svc/db/migrate";
import { recounter } from "@svc/db/recount";
import { setupStore } from "@svc/db/setup";
import { usageStore } from "@svc/db/usage";
import { openFaceFinder } from "@svc/finders/faces";
import { openSubjectFinder, type SubjectFinder } from "@svc/finders/subject";
import { factFinder, type Models } from "@svc/imaging/fact-finder";
import { sharpInspector } from "@svc/imaging/inspect";
import { reduce } from "@svc/imaging/reduce";
import { sharpRenderer } from "@svc/imaging/render";
import { strip } from "@svc/imaging/strip";
import { safeImporter } from "@svc/import/safe-fetch";
import { pagesApp } from "@svc/pages/app";
import { fileBlobs } from "@svc/storage/files";
import { current } from "@svc/variants/current";
import { legacy } from "@svc/variants/legacy";
import { transition } from "@svc/variants/transition";
import type { Variant } from "@svc/variants/variant";
import type { Config, VariantName } from "./config.ts";
import { dispatcher, type Sites } from "./listen.ts";
import { prometheusMeters, watchLoopLag } from "./meters.ts";
import { readinessOf } from "./readiness.ts";

/* Everything is built here, and only here. */

const VARIANTS: Readonly<Record<VariantName, Variant>> = { current, transition, legacy };

const ticker: Ticker = {
	every(milliseconds, work) {
		const timer = setInterval(() => void work(), milliseconds);
		return () => clearInterval(timer);
	},
};

const MIB = 1_024 ** 2;
const HOT_RENDITION_BYTES = 64 * MIB;
const FREE_FLOOR_BYTES = 64 * MIB;
const RENDER_WAIT_MS = 2_000;
const RENDER_TIMEOUT_MS = 20_000;
/** Uploads wait on disk, so a long line costs no memory; the bound keeps a dead decoder from collecting them for ever. */
const INSPECT_WAITING = 1_000;
const INSPECT_WAIT_MS = 60_000;

export interface World {
	readonly clock: Clock;
	readonly log: Log;
}

export interface Service {
	/** Answers a request at whichever of the three addresses its Host names. */
	readonly handle: (request: Request) => Response | Promise<Response>;
	readonly sites: Sites;
	/** What the API's routes use. */
	readonly deps: ApiDeps;
	readonly database: Database;
	sweep(): Promise<Swept>;
	/** Counts every storage and App again; what differed has been corrected. */
	recount(): Promise<readonly Drift[]>;
	/** From now on not ready, so that a load balancer looks elsewhere. */
	drain(): void;
	close(): Promise<void>;
}

export async function wire(config: Config, { clock, log }: World): Promise<Service> {
	if (config.storage.kind !== "files") throw new Error("SVC_STORAGE=s3 is not available in this version; use files.");
	await mkdir(config.dataDir, { recursive: true });
	const meters = prometheusMeters();
	const models = openModels(config);
	const database = await openOwnDatabase(config, log, clock);
	const stopWatching = watchLoopLag(meters);
	const images = imageStore(database);
	const idempotency = idempotencyStore(database);
	const keys = keyStore(database, (cause) => log.warn("the last use of keys could not be written", { cause }));
	const blobs = fileBlobs({ dir: config.storage.dir, freeFloorBytes: FREE_FLOOR_BYTES });
	const cache = await openRenditionCache({
		dir: join(config.dataDir, "cache"),
		maxBytes: config.cacheMaxBytes,
		hotBytes: HOT_RENDITION_BYTES,
		log,
		meters,
	});
	const inspecting = new Gate({ running: config.renderConcurrency, waiting: INSPECT_WAITING, waitMs: INSPECT_WAIT_MS });
	const rendering = new Gate({
		running: config.renderConcurrency,
		waiting: config.renderQueue,
		waitMs: RENDER_WAIT_MS,
	});
	const readiness = readinessOf({ database: databaseHealth(database), blobs }, log);
	const addresses: Addresses = { base: config.baseUrl, web: config.webUrl, cdn: config.cdnUrl };
	const reductions = new Reductions({ images, blobs, reducer: { reduce }, cache, gate: rendering, clock, log });
	const deps: ApiDeps = {
		images,
		idempotency,
		keys,
		usage: usageStore(database),
		setup: setupStore(database),
		blobs,
		renditions: cache,
		reductions,
		inspector: sharpInspector({ stage: blobs.stage }),
		importer: safeImporter({ allow: config.importAllow }),
		gate: inspecting,
		cursors: await hmacCursors(await sharedSecret(database, "cursors")),
		clock,
		ticker,
		log,
		meters,
		limits: limitsOf(config),
		variant: VARIANTS[config.variant],
		addresses,
		name: config.name,
		publicCutoffMs: config.publicCutoffMs,
		bootstrapSecret: config.bootstrapSecret,
		metricsText: meters.text,
		readiness: readiness.check,
	};
	const renderer = { ...sharpRenderer(), strip };
	const api = apiApp(deps);
	const pages = pagesApp({ images, clock, addresses, name: config.name });
	const cdn = cdnApp({
		images,
		blobs,
		renderer,
		facts: factStore(database),
		finder: factFinder(models),
		cache,
		gate: rendering,
		reductions,
		clock,
		log,
		meters,
		renderTimeoutMs: RENDER_TIMEOUT_MS,
	});
	const sites: Sites = { api: api.handle, pages: pages.handle, cdn: (request) => cdn.handle(request) };
	return {
		handle: dispatcher(config, sites),
		sites,
		deps,
		database,
		sweep: () => sweep({ images, idempotency, blobs, renditions: cache, clock, log }, () => Bun.sleep(0)),
		recount: () => recounter(database).recount(clock.now()),
		drain: readiness.drain,
		async close() {
			stopWatching();
			models.close();
			await keys.flush();
			await database.close();
		},
	};
}

/** Their processes start with the first picture that needs them. */
function openModels({ segmentModel }: Config): Models & { close(): void } {
	const faces = openFaceFinder();
	const subject = openSubject(segmentModel);
	return {
		faces: faces.find,
		subject: subject.find,
		close() {
			faces.close();
			subject.close();
		},
	};
}

function openSubject(segmentModel: string | undefined): SubjectFinder {
	try {
		return openSubjectFinder(segmentModel === undefined ? {} : { modelPath: segmentModel });
	} catch (cause) {
		throw new Error(`SVC_SEGMENT_MODEL cannot be used: ${cause instanceof Error ? cause.message : cause}`, { cause });
	}
}

function limitsOf(config: Config): ApiDeps["limits"] {
	const monotonic: Clock = { now: () => performance.now() };
	return {
		calls: rateLimiter({ perSecond: config.keyRate, burst: config.keyBurst }, monotonic),
		creates: rateLimiter({ perSecond: config.createRate, burst: config.createBurst }, monotonic),
	};
}

async function openOwnDatabase(config: Config, log: Log, clock: Clock): Promise<Database> {
	const where = config.database;
	const database = await openDatabase({
		url: where.kind === "file" ? pathToFileURL(where.path).href : where.url,
		token: where.kind === "remote" ? where.token : undefined,
		onSlow: (slow) => log.warn("slow query", { ...slow }),
	});
	await migrate(database, await readMigrations(), clock);
	// A file has one owner at a time, so whoever held a lease is gone. A server may have other services at work.
	if (database.kind === "file") await endLeases(database, clock.now());
	return database;
}
