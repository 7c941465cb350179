import { setTimeout } from "node:timers/promises";
import { encodeEvent, encodeTest } from "@svc/api/events/event-document";
import type { ApiRooms } from "@svc/api/kit/rooms";
import { accountDocument } from "@svc/api/people/account-document";
import { hostsFollower, lookAtDueHosts } from "@svc/apps/image-host/image-host";
import { databaseHealth } from "@svc/base/database/meta";
import { Failure } from "@svc/base/failure";
import { timers } from "@svc/base/pace/paced-timers";
import { inTime } from "@svc/base/pace/patience";
import { catchUp } from "@svc/billing/catch-up";
import { cacheScrubber } from "@svc/cdn/cache/cache-scrub";
import { forgetDays, warnOfUnusual } from "@svc/delivery/links/unusual";
import { sweep, sweepStaged } from "@svc/erasure/sweep";
import { EVENTS_KEPT_MS } from "@svc/events/events";
import { purgeFollower } from "@svc/images/delete/purge-log";
import { expireImages } from "@svc/images/images";
import { orphanSweeper } from "@svc/images/keep/orphans";
import { scrubber } from "@svc/images/keep/scrub";
import { trashSweeper } from "@svc/images/keep/trash";
import type { ShrinkQueue } from "@svc/images/ports";
import { type JobRunner, jobRunner } from "@svc/jobs/runner";
import { Judgements } from "@svc/moderation/likeness/judgements";
import { backupScheduler } from "@svc/operator/backups/backup-schedule";
import { RecentLog } from "@svc/operator/recent-log";
import { purgeSender } from "@svc/purging/sender";
import type { VariantParts } from "@svc/variants/variant";
import type { Version } from "@svc/versions/version";
import { webhookDispatcher } from "@svc/webhooks/dispatcher";
import type { Config } from "../config/config.ts";
import { isWithin } from "../door/client-address.ts";
import { type Dispatch, dispatcher } from "../door/listen.ts";
import { openProbes } from "../door/probes.ts";
import { requestWaits } from "../door/request-waits.ts";
import manifest from "../package.json" with { type: "json" };
import * as variants from "../variants.ts";
import type { Runtime } from "./base.ts";
import { whileAway } from "./database/patience.ts";
import { faceRooms, openFaces } from "./faces.ts";
import { type Ground, isCertain, leave, openGround } from "./ground.ts";
import { jobHandlers } from "./job-handlers.ts";
import { keptLog } from "./kept-log.ts";
import { openWarmSizes } from "./pictures.ts";
import { readinessOf } from "./readiness.ts";
import { openRooms, type Rooms } from "./rooms.ts";
import { openScans } from "./scans.ts";
import { openMachineKey } from "./secret/machine-key.ts";
import { secretCare } from "./secret/secret-care.ts";
import type { Service } from "./service-interface.ts";
import { openWatch } from "./watch.ts";

/* All parts are built here, and only here: the base of the rooms, the rooms from the lowest to the highest, and the faces above them. */

const RECOUNT_EVERY_MS = 24 * 3_600_000;
/** How long a service that stops goes on to tell the caches in front. */
const LAST_PURGES_MS = 2_000;
const PURGES_AT_ONCE = 5_000;

const VARIANTS: Readonly<Record<keyof typeof variants, (parts: VariantParts) => Version>> = { ...variants };

/** Waits for a database server that does not answer yet. @throws Error that says what to do */
export function wire(config: Config, runtime: Runtime): Promise<Service> {
	return whileAway({ config, log: runtime.log }, () => openService(config, runtime));
}

async function openService(config: Config, given: Runtime): Promise<Service> {
	const recentLog = new RecentLog();
	const runtime = { ...given, log: keptLog(given.log, recentLog, config.logLevel, given.clock) };
	const ground = await openGround(config, runtime);
	const { base, database, fleet, check, ownership, blobs, trash, masters, pictures, movableClock, meters } = ground;
	const runs = { version: manifest.version, runtime: runtimeName(), variant: config.variant };
	meters.gauge("svc_build_info", () => 1, runs);
	const version = VARIANTS[config.variant]({ database, anonymousMaxBytes: config.anonymousMaxBytes });
	const { variant } = version;
	const waits = requestWaits();
	meters.gauge("svc_request_wait_seconds", waits.longestSeconds);
	const secrets = secretCare({ ...ground, clock: runtime.clock, log: base.log });
	const readiness = readinessOf({
		secretState: secrets.check,
		database: databaseHealth(database),
		isDatabaseDamaged: () => check.damage() !== undefined,
		blobs: {
			async probe() {
				ownership.requireKept();
				await blobs.probe();
			},
		},
		blobsShared: config.storage.kind === "s3",
		isStoreTaken: ownership.isLost,
		canOthersUseBlobs: fleet.canOthersUseBlobs,
		noteBlobs: fleet.noteBlobs,
		isClockOff: () => (fleet.isAlone ? undefined : fleet.isSkewed()),
		durability: ground.durability.state,
		mailState: async () => (await rooms.mail.health.read()).state,
		billingState: () => rooms.billing.health.readState(),
		...(config.scan && { scanState: async () => ((await isScanFailing()) ? "failing" : "ok") }),
		longestWaitSeconds: waits.longestSeconds,
		clock: runtime.clock,
		log: base.log,
	});
	const shrunkMasters: ShrinkQueue = {
		want(image) {
			pictures.shrunkMasters.want(image);
			warmSizes?.want(image);
			judgements.want();
		},
		describeAnew: (image) => pictures.shrunkMasters.describeAnew(image),
		ready: (image) => pictures.shrunkMasters.ready(image),
		stored: (blobKey, sha256) => pictures.shrunkMasters.stored(blobKey, sha256),
	};
	const rooms = await openRooms(config, base, database, {
		shrunkMasters,
		variant,
		blobs,
		trash,
		masters,
		pictures,
		movableClock,
		instance: instanceOf(ground, recentLog),
		wakeJobs: () => runner.wake(),
		describeEvents: { event: (event, appId) => encodeEvent(faces, event, appId), test: encodeTest },
		describeAccount: (account) => accountDocument(faces, account),
		api: async (request) => await sites.api(request),
	}).catch(async (cause: unknown) => {
		await leave(ground);
		throw cause;
	});
	const judgements = new Judgements(rooms.moderation);
	// The process that asks notes it for the others.
	const isScanFailing = async () =>
		scans?.isFailing === true || (await rooms.operator.partHealth.findFailing("scan")) !== undefined;
	const runner = openRunner(ground, rooms);
	const followHosts = hostsFollower(rooms.apps);
	const webhooks = webhookDispatcher(rooms.webhooks);
	const scans = await openScans(config.scan, rooms.moderation, { database, pictures, leads: fleet.leads });
	const purges = purgeSender(rooms.purging);
	const scrub = scrubber(rooms.images, { days: config.scrubDays, yieldToRequests });
	const scrubCache = cacheScrubber(pictures.cache, yieldToRequests);
	const isMachineKey = await openMachineKey(config.dataDir, base.log);
	const shared = { variant, isMachineKey, pictures, readiness: readiness.check };
	const parts = { ...shared, processes: fleet.size, sites: () => sites };
	const faces = faceRooms(config, base, rooms, parts);
	const watch = openWatch(config, meters, rooms);
	runtime.telemetry?.send(meters, watch.read);
	const metricsText = async () => {
		await watch.read();
		return await meters.text();
	};
	await followHosts();
	const probes = openProbes({
		...{ ...faces, metrics: config.metrics, metricsText },
		isImageHost: (host) => base.addresses.hosts?.appAt(host) !== undefined,
		isProxy: (address) => isWithin(address, config.proxyTrust.proxies),
	});
	const opened = openFaces({ ...faces, purging: rooms.purging }, version, pictures, config);
	const sites = { ...opened.sites, probes: probes.atService };
	const untold = (what: string) => (cause: unknown) => base.log.warn(what, { cause });
	const warmSizes = config.warmSizes ? openWarmSizes(config, ground, opened.makeSizes) : undefined;
	const dispatch = dispatcher(config, sites, waits);
	const handle: Dispatch = (request, peer) => {
		timers.wake();
		return dispatch(request, peer);
	};
	return {
		handle: runtime.telemetry?.traced(handle) ?? handle,
		handleMetrics: probes.atMetrics,
		sites,
		rooms: faces,
		version,
		database,
		...chores(ground, rooms, { runner, followHosts }),
		careForSecret: secrets.look,
		judgePictures: () => judgements.look(),
		judgeWhenDue: async () => (fleet.leads() ? await judgements.look() : undefined),
		sendPurges: purges.look,
		lookForScans: async () => await scans?.look(),
		sendScans: async () => await scans?.drain(),
		lookForWebhooks: webhooks.look,
		sendWebhooks: webhooks.drain,
		async watchParts() {
			const { checks } = await readiness.check();
			// A service that stops knows nothing of its parts any more.
			if (checks.blobs === undefined) return;
			await watch.note("mail", checks.mail === "failing");
			await watch.note("billing", checks.billing === "failing");
			await watch.note("store", checks.blobs === "failed");
			if (scans && fleet.leads()) await watch.note("scan", scans.isFailing);
			await watch.note("backup", await rooms.operator.partHealth.isBackupFailing());
		},
		lookAtDatabase: ground.durability.look,
		startJobs() {
			runner.start();
			warmSizes?.start().catch(untold("sizes are not made ahead"));
		},
		async scrub() {
			if (config.scrubDays > 0) await scrubCache();
			return await scrub.run();
		},
		drain() {
			readiness.drain();
			rooms.events.watch.close();
			fleet.drain().catch(untold("the other processes could not be told"));
			rooms.mail.outbox.close().catch(untold("mails are not waited for"));
			// All of them are waited for at the end.
			for (const part of [runner, webhooks, scans, scrub, warmSizes, judgements])
				part?.stop().catch(untold("a part could not stop"));
		},
		async close() {
			await scrub.stop();
			await warmSizes?.stop();
			await judgements.stop();
			await webhooks.stop();
			await scans?.stop();
			// What was answered a moment ago is told still, if the caches in front listen.
			await inTime(purges.look(), LAST_PURGES_MS, () => new Failure("server_error")).catch(() => undefined);
			await purges.stop();
			await close(ground, rooms, runner);
		},
	};
}

/** Such as `bun 1.4.5`. */
function runtimeName(): string {
	const { bun, deno, node } = process.versions as Readonly<Record<string, string | undefined>>;
	return bun ? `bun ${bun}` : deno ? `deno ${deno}` : `node ${node}`;
}

function instanceOf(
	{ base, database, fleet, pictures }: Ground,
	recentLog: RecentLog,
): ApiRooms["operator"]["instance"] {
	return {
		version: manifest.version,
		startedMs: base.clock.now(),
		database: database.kind,
		processes: fleet.list,
		recentLog,
		waiting: () => {
			const uploads = pictures.line.waitingIn("ingest");
			return { uploads, renders: pictures.line.waiting - uploads };
		},
	};
}

/** How many old deliveries one sweep removes. */
const DELIVERIES_AT_ONCE = 5_000;

/** The workers of this deployment's jobs, shared with its other processes. */
function openRunner(ground: Ground, rooms: Rooms): JobRunner {
	return jobRunner({
		...ground.base,
		jobs: rooms.jobs.store,
		handlers: jobHandlers(rooms, { isCertain: () => isCertain(ground) }),
		yieldToRequests,
		chance: Math.random,
	});
}

interface ChoreParts {
	readonly runner: JobRunner;
	readonly followHosts: () => Promise<void>;
}

function chores(ground: Ground, rooms: Rooms, { runner, followHosts }: ChoreParts) {
	const { base, fleet, workers, movableClock, meters, ownership, renewBallast } = ground;
	const aids = { isCertain: () => isCertain(ground), yieldToRequests };
	const { recounter } = rooms.images;
	const recount = () => recounter.recount(base.clock.now());
	const isRecountDue = async () => ((await recounter.lastMs()) ?? 0) <= base.clock.now() - RECOUNT_EVERY_MS;
	let isCounted = false;
	const purged = purgeFollower(rooms.images, yieldToRequests);
	const sweepOrphans = orphanSweeper(rooms.images, aids);
	const sweepTrash = trashSweeper(rooms.images, aids);
	return {
		async catchUpBilling() {
			// Where several processes serve one database, another one may have moved the clock.
			await movableClock?.refresh();
			await catchUp(rooms.billing);
		},
		async sweep() {
			const swept = await sweep(rooms.erasure, yieldToRequests);
			const deliveries = await rooms.webhooks.deliveries.forget(base.clock.now() - EVENTS_KEPT_MS, DELIVERIES_AT_ONCE);
			const all = { ...swept, deliveries, orphans: await sweepOrphans(), trash: await sweepTrash() };
			await rooms.images.purges.forget(PURGES_AT_ONCE);
			await forgetDays(rooms.delivery);
			for (const [kind, count] of Object.entries(all)) meters.count("svc_swept_total", { kind }, count);
			return all;
		},
		async expire() {
			while (fleet.leads() && (await expireImages(rooms.images, yieldToRequests)) > 0) await yieldToRequests();
			while (fleet.leads() && (await rooms.images.searchWords.catchUp()) > 0) await yieldToRequests();
		},
		sweepStaged: () => sweepStaged(rooms.erasure),
		async beat() {
			if (!fleet.isAlone) {
				await fleet.beat();
				await purged.follow();
				await followHosts();
			}
			await movableClock?.refresh();
		},
		async lookAtImageHosts() {
			return fleet.leads() ? await lookAtDueHosts(rooms.apps) : 0;
		},
		compareRenditions: purged.compare,
		leads: fleet.leads,
		renewBallast,
		backUpWhenDue: backupScheduler(rooms.operator),
		renewOwnership: ownership.renew,
		recount,
		async recountWhenDue() {
			const isStart = fleet.isAlone && !isCounted;
			isCounted = true;
			if (!fleet.leads() || !(isStart || (await isRecountDue()))) return [];
			return await recount();
		},
		async writeUsage() {
			await rooms.delivery.bounds.whileWritten(() => rooms.images.dailyCounters.flush());
			if (fleet.leads()) await warnOfUnusual(rooms.delivery);
		},
		startWorkers: () => workers.start(),
		runJobs: runner.drain,
		sendMail: rooms.mail.outbox.send,
	};
}

async function close(ground: Ground, rooms: Rooms, runner: JobRunner): Promise<void> {
	ground.check.stop();
	await rooms.mail.outbox.close();
	await runner.stop();
	await leave(ground, async () => {
		await rooms.keys.store.flush();
		await rooms.people.store.flush();
		await rooms.images.dailyCounters.flush();
	});
}

function yieldToRequests(): Promise<void> {
	return setTimeout(0);
}
