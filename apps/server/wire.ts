import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { apiApp } from "@svc/api/app";
import type { ApiDeps } from "@svc/api/kit/deps";
import { ensureCommons } from "@svc/apps/commons";
import type { Addresses } from "@svc/base/addresses";
import { sealedCursors } from "@svc/base/cursors";
import type { Database } from "@svc/base/database/client";
import { databaseHealth } from "@svc/base/database/health";
import { sharedSecret } from "@svc/base/database/meta";
import { Gate } from "@svc/base/gate";
import { hmac } from "@svc/base/macs";
import type { Clock, Log, Ticker } from "@svc/base/ports";
import { rateLimiter } from "@svc/base/rate-in-process";
import { catchUp, endOrphans } from "@svc/billing/billing";
import { offerTiers } from "@svc/billing/tier-plans";
import { tierPlanStore } from "@svc/billing/tier-plans-store";
import { cdnApp } from "@svc/cdn/app";
import { openRenditionCache } from "@svc/cdn/cache";
import { FactSearches } from "@svc/cdn/facts";
import { Reductions } from "@svc/cdn/reductions";
import { type Swept, sweep } from "@svc/erasure/sweep";
import { factStore } from "@svc/images/facts-store";
import { orphanSweeper } from "@svc/images/orphans";
import { withPoolBound } from "@svc/images/quotas";
import { type Drift, recounter } from "@svc/images/recount-store";
import { parseTransform } from "@svc/images/transform/transform";
import { weightedGate } from "@svc/imaging/gate";
import { sharpInspector } from "@svc/imaging/inspect/inspect";
import { factFinder } from "@svc/imaging/kept/fact-finder";
import { sharpReducer } from "@svc/imaging/kept/reduce";
import { strip } from "@svc/imaging/metadata/strip";
import { sharpRenderer } from "@svc/imaging/render/render";
import { safeImporter } from "@svc/import/safe-fetch";
import { pagesApp } from "@svc/pages/app";
import { freeSpace } from "@svc/storage/free-space";
import { current } from "@svc/variants/current";
import { legacy } from "@svc/variants/legacy";
import { transition } from "@svc/variants/transition";
import type { Variant } from "@svc/variants/variant";
import { openBackups } from "./backups.ts";
import { openBallast } from "./ballast.ts";
import { openBilling, openClock } from "./billing.ts";
import { FREE_FLOOR_BYTES, openBlobs } from "./blobs.ts";
import { clientAddress } from "./client-address.ts";
import type { Config, VariantName } from "./config.ts";
import { openJobs } from "./jobs.ts";
import { dispatcher, type Sites } from "./listen.ts";
import { openMail } from "./mail.ts";
import { measured, prometheusMeters, watchLoopLag } from "./meters.ts";
import { openModels } from "./models.ts";
import manifest from "./package.json" with { type: "json" };
import { readinessOf } from "./readiness.ts";
import { openOwnDatabase, storesOn } from "./stores.ts";

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
/** For all uploads and smaller copies that are decoded at once. What takes more is decoded alone. */
const DECODING_BYTES = 256 * MIB;
/** The pictures of a page may take as long as people wait for one. */
const RENDER_WAIT_MS = 5_000;
const RENDER_BURST = 30;
/** In the first minute of an overload fewer than one rendition in a hundred waits at all, however long each takes. */
const RENDER_BURST_MS = 400;
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
	readonly handle: ReturnType<typeof dispatcher>;
	readonly sites: Sites;
	/** What the API's routes use. */
	readonly deps: ApiDeps;
	readonly database: Database;
	sweep(): Promise<Swept & { /** Blobs that no row named. */ readonly orphans: number }>;
	/** Sets room aside for the day when the disk is full. */
	renewBallast(): Promise<void>;
	/** Sends the mail that is due, if it is sent at all; returns how many mails were. */
	sendMail(): Promise<number>;
	/** From now on works off the jobs that are due, in the background. */
	startJobs(): void;
	/** Does what the passing of time asks for: renewals, ends of grace, deliveries that were interrupted. */
	catchUpBilling(): Promise<void>;
	/** Works off all jobs that are due now; returns how many there were. */
	runJobs(): Promise<number>;
	/** Counts every storage and App again; what differed has been corrected. */
	recount(): Promise<readonly Drift[]>;
	/** From now on not ready, so that a load balancer looks elsewhere; begins no new mail and no step of a job. */
	drain(): void;
	close(): Promise<void>;
}

export async function wire(config: Config, { clock: worldClock, log }: World): Promise<Service> {
	const blobs = await openBlobs(config, log);
	await mkdir(config.dataDir, { recursive: true });
	const meters = prometheusMeters();
	const models = openModels(config);
	const ballast = openBallast(config, log);
	const database = measured(await openOwnDatabase(config, { clock: worldClock, log }, ballast.release), meters);
	const movableClock = await openClock(config, database, worldClock);
	const clock: Clock = movableClock ?? worldClock;
	const stopWatching = watchLoopLag(meters);
	const variant = variantFor(config);
	const stores = storesOn(database, log, variant);
	if (needsCommons(variant)) await ensureCommons(stores.commons, clock, config.name);
	if (variant.billing.sellsTiers) await offerTiers(tierPlanStore(database), clock);
	const { images } = stores;
	const freeBytes = freeSpace(config.dataDir);
	const cache = await openRenditionCache({
		dir: join(config.dataDir, "cache"),
		maxBytes: config.cacheMaxBytes,
		hotBytes: HOT_RENDITION_BYTES,
		hasRoom: async () => (await freeBytes()) >= FREE_FLOOR_BYTES,
		log,
		meters,
	});
	const inspecting = new Gate({ running: config.renderConcurrency, waiting: INSPECT_WAITING, waitMs: INSPECT_WAIT_MS });
	const decoding = { stage: blobs.stage, memory: weightedGate(DECODING_BYTES) };
	const rendering = new Gate({
		running: config.renderConcurrency,
		waiting: config.renderQueue,
		waitMs: RENDER_WAIT_MS,
		shedding: { burst: RENDER_BURST, burstMs: RENDER_BURST_MS, clock: { now: () => performance.now() } },
	});
	const readiness = readinessOf({ database: databaseHealth(database), blobs }, log);
	const addresses: Addresses = { base: config.baseUrl, web: config.webUrl, cdn: config.cdnUrl };
	const mail = openMail(config, { mails: stores.mails, clock, log, meters });
	const recounts = recounter(database);
	const facts = new FactSearches({
		facts: factStore(database, models.subjectModel),
		finder: factFinder(models),
		clock,
		log,
	});
	const reducer = sharpReducer(decoding);
	const reductions = new Reductions({ images, blobs, reducer, facts, cache, gate: rendering, clock, log });
	const inspector = sharpInspector(decoding);
	const billing = await openBilling(config, {
		database,
		clock,
		log,
		sellsTiers: variant.billing.sellsTiers,
		api: (request) => api.handle(request),
	});
	const runner = openJobs({
		...openBackups(config),
		version: manifest.version,
		database,
		jobs: stores.jobs,
		recounter: recounts,
		endOrphans: () => endOrphans(billing),
		renditions: cache,
		images,
		blobs,
		inspector,
		gate: inspecting,
		reductions,
		clock,
		ticker,
		log,
		meters,
	});
	const breathe = () => Bun.sleep(0);
	const sweepOrphans = orphanSweeper({ blobs, images, clock, log }, breathe);
	const renderer = { ...sharpRenderer(), strip };
	const deps: ApiDeps = {
		...billing,
		movableClock,
		...stores,
		loginMac: await hmac(await sharedSecret(database, "logins")),
		signInRates: { email: config.signInEmailRate, address: config.signInIpRate },
		wakeJobs: runner.wake,
		instance: {
			version: manifest.version,
			startedMs: clock.now(),
			database: database.kind,
			waiting: () => ({ uploads: inspecting.waiting, renders: rendering.waiting }),
		},
		anonymousMac: await hmac(await sharedSecret(database, "anonymous")),
		reportMac: await hmac(await sharedSecret(database, "reports")),
		renderMail: mail.render,
		mailSecrets: mail.secrets,
		blobs,
		renditions: cache,
		reductions,
		async drawPicture(master, box) {
			const transform = parseTransform(new URLSearchParams({ ...box, format: "png" }));
			const { signal } = new AbortController();
			return (await rendering.run(signal, () => renderer.render(master, transform, {}, signal))).bytes;
		},
		inspector,
		importer: safeImporter({ allow: config.importAllow }),
		gate: inspecting,
		cursors: await sealedCursors(await sharedSecret(database, "cursors")),
		clock,
		ticker,
		log,
		meters,
		limits: limitsOf(config),
		variant,
		quotaOf: variant.usage.quota,
		quotaRefusal: (access, counted) => variant.usage.quotaRefusal(access, counted, addresses),
		mode: config.mode,
		addresses,
		name: config.name,
		publicCutoffMs: config.publicCutoffMs,
		addressOf: clientAddress,
		bootstrapSecret: config.bootstrapSecret,
		metricsText: meters.text,
		readiness: readiness.check,
	};
	const api = apiApp(deps);
	const pages = pagesApp({ ...deps, invitations: stores.invitations, visibleImages: stores.visibleImages });
	const cdn = cdnApp({
		images,
		blobs,
		renderer,
		facts,
		subjectModel: models.subjectModel,
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
		async catchUpBilling() {
			// Where several processes serve one database, another one may have moved the clock.
			await movableClock?.refresh();
			await catchUp(billing);
		},
		async sweep() {
			const swept = await sweep({ ...stores, blobs, renditions: cache, outbox: mail.outbox, clock, log }, breathe);
			const all = { ...swept, orphans: await sweepOrphans() };
			for (const [kind, count] of Object.entries(all)) meters.count("svc_swept_total", { kind }, count);
			return all;
		},
		renewBallast: ballast.renew,
		recount: () => recounts.recount(clock.now()),
		startJobs: runner.start,
		runJobs: runner.drain,
		sendMail: mail.outbox.send,
		drain() {
			readiness.drain();
			void mail.outbox.close();
			void runner.stop();
		},
		async close() {
			await mail.outbox.close();
			await runner.stop();
			stopWatching();
			models.close();
			await stores.keys.flush();
			await stores.people.flush();
			await database.close();
		},
	};
}

function variantFor({ variant, anonymousMaxBytes }: Config): Variant {
	const { usage, ...rest } = VARIANTS[variant];
	return { ...rest, usage: { ...usage, quota: withPoolBound(usage.quota, anonymousMaxBytes) } };
}

function needsCommons({ access }: Variant): boolean {
	return access.personalStorages || access.anonymousCreates !== undefined;
}

function limitsOf(config: Config): ApiDeps["limits"] {
	const monotonic: Clock = { now: () => performance.now() };
	return {
		calls: rateLimiter({ perSecond: config.keyRate, burst: config.keyBurst }, monotonic),
		creates: rateLimiter({ perSecond: config.createRate, burst: config.createBurst }, monotonic),
		publicReads: rateLimiter({ perSecond: config.keyRate, burst: config.keyBurst }, monotonic),
	};
}
