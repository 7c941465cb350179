import { timers } from "@svc/base/pace/paced-timers";
import { commandsAsTyped } from "@svc/base/text";
import { BEAT_MS } from "@svc/fleet/fleet";
import { firstStart } from "@svc/operator/bootstrap";
import { downloadBackup } from "@svc/storage/s3/backup-download";
import { RENEW_MS } from "@svc/storage/s3/lease";
import { findNamedPlace } from "@svc/storage/s3/place";
import { type Config, readConfig } from "./config/config.ts";
import type { TelemetryConfig } from "./config/config-door.ts";
import { ConfigError } from "./config/variables.ts";
import { warnings } from "./config/warnings.ts";
import { consoleLines } from "./console-line.ts";
import { isWithin } from "./door/client-address.ts";
import { boundsWithin, watchConnections } from "./door/connections.ts";
import { type Listening, listen } from "./door/listen.ts";
import { descriptorLimit, openSockets } from "./door/sockets.ts";
import { help } from "./help.ts";
import { giveBackLeftovers } from "./leftovers.ts";
import manifest from "./package.json" with { type: "json" };
import { listenFailure, requireDataDir } from "./start-failure.ts";
import { openLog } from "./telemetry/log.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { watchUncaught } from "./uncaught.ts";
import { greeting, welcome, writeProfile } from "./welcome.ts";
import { adopt } from "./wire/commands/adopt.ts";
import { forgetProcessor } from "./wire/commands/forget-processor.ts";
import { migrateOnly } from "./wire/commands/migrate-only.ts";
import { rotateSecret } from "./wire/commands/rotate-secret.ts";
import { whileAway } from "./wire/database/patience.ts";
import { wire } from "./wire/service.ts";
import type { Service } from "./wire/service-interface.ts";

const SWEEP_EVERY_MS = 30_000;
const BILLING_EVERY_MS = 30_000;
/** Apps are told of an image's end within a minute, however long a sweep takes. */
const EXPIRE_EVERY_MS = 10_000;
/** Events are sent within two seconds. */
const LIKENESS_EVERY_MS = 5_000;
const WEBHOOKS_EVERY_MS = 700;
/** So is who judges pictures: until then one can be seen that is to be blocked. */
const SCANS_EVERY_MS = 500;
/** So are purges. */
const PURGES_EVERY_MS = 700;
/** Mail is sent this often, because a person waits for a code. */
const MAIL_EVERY_MS = 1_000;
/** How often it is looked whether everything is to be counted again. */
const RECOUNT_EVERY_MS = 600_000;
/** How often the renditions on this machine's disk are compared with the database, besides at the start. */
const COMPARE_EVERY_MS = 3_600_000;
/** How often it is looked whether a backup is due. */
const BACKUP_EVERY_MS = 60_000;
const BALLAST_EVERY_MS = 60_000;
const WATCH_EVERY_MS = 30_000;
const USAGE_EVERY_MS = 10_000;
const IMAGE_HOSTS_EVERY_MS = 60_000;
const DURABILITY_EVERY_MS = 60_000;
/** How often it is looked whether something is to be sealed. */
const SECRET_EVERY_MS = 60_000;
const SCRUB_EVERY_MS = 60_000;
const DRAIN_GRACE_MS = 30_000;
/** A Ctrl-C within this time of another one is the same one. */
const ECHO_MS = 300;
const FEW_DESCRIPTORS = 1_024;

function configure(): Config {
	try {
		return readConfig(process.env);
	} catch (cause) {
		if (!(cause instanceof ConfigError)) throw cause;
		process.stderr.write(`${cause.message}\n`);
		process.exit(1);
	}
}

async function announce(config: Config, service: Service): Promise<void> {
	const fill = () => whileAway({ config, log }, () => firstStart(service.rooms.operator, config.mode));
	const first = config.bootstrapSecret === undefined ? await fill() : undefined;
	const lines = await whileAway({ config, log }, () => consoleLines(config, service.rooms.operator, process.env));
	process.stdout.write(
		first ? welcome(config, first, await writeProfile(config, first), lines) : greeting(config, lines),
	);
}

// Mails with codes and the signing secrets lie in the data directory: no other user of the machine can read files made there.
process.umask(0o077);

const [, , ...words] = process.argv;
if (["--help", "-h", "help"].includes(words[0] ?? "")) {
	process.stdout.write(help(`${process.env.SVC_COMMAND ?? "./svc"} start`));
	process.exit(0);
}

const config = configure();
// A developer who watches the start has a key on the screen: nothing but warnings comes after it, unless SVC_LOG asks for more.
const isQuiet = process.stderr.isTTY && config.mode === "test" && !process.env.SVC_LOG;
const plainLog = await openLog(isQuiet ? "warn" : config.logLevel, process.stderr.isTTY);
const telemetry = config.telemetry && (await loadTelemetry(config.telemetry));
const log = telemetry?.named(plainLog) ?? plainLog;
const clock = { now: () => Date.now() };

try {
	await (words.length === 0 ? run() : runOnce(words));
} catch (cause) {
	// A start that fails says why and leaves: a port in use, a data directory with another owner.
	const why = cause instanceof Error ? cause.message : String(cause);
	process.stderr.write(`The service could not start: ${commandsAsTyped(why, config.command, ["server"])}\n`);
	log.debug("start failed", { cause });
	process.exit(1);
}

/** Loaded only where it is wanted: it takes memory, and a good part of a second. */
async function loadTelemetry(wanted: TelemetryConfig): Promise<Telemetry> {
	const { openTelemetry } = await import("./telemetry/telemetry.ts");
	return openTelemetry({ name: config.name.toLowerCase(), version: manifest.version, ...wanted }, plainLog);
}

/** What `svc server adopt`, on a service that is stopped, and `svc server restore` ask for. */
async function runOnce([command, ...given]: readonly string[]): Promise<void> {
	const [first, second] = given;
	const mayHave = (flag: string) => given.length === 0 || (given.length === 1 && first === flag);
	if (command === "adopt" && mayHave("--yes")) {
		const adoption = await adopt(config, { clock, log }, first === "--yes");
		process.stdout.write(`${JSON.stringify(adoption)}\n`);
	} else if (command === "forget-processor" && mayHave("--yes")) {
		const forgotten = await forgetProcessor(config, { clock, log }, first === "--yes");
		process.stdout.write(`${JSON.stringify(forgotten)}\n`);
	} else if (command === "migrate" && mayHave("--dry-run")) {
		const migration = await migrateOnly(config, { clock, log }, first !== "--dry-run");
		process.stdout.write(`${JSON.stringify(migration)}\n`);
	} else if (command === "rotate-secret" && given.every((word) => ["--yes", "--now"].includes(word))) {
		const wish = { isMeant: given.includes("--yes"), isNow: given.includes("--now") };
		process.stdout.write(`${JSON.stringify(await rotateSecret(config, { clock, log }, wish))}\n`);
	} else if (command === "fetch-backup" && given.length === 2 && first !== undefined && second !== undefined) {
		await fetchBackup(first, second);
	} else
		throw new Error(
			"the service takes no words but: adopt [--yes], migrate [--dry-run], forget-processor [--yes], rotate-secret [--yes] [--now], fetch-backup <s3://…> <folder>",
		);
	process.exit(0);
}

async function fetchBackup(from: string, dir: string): Promise<void> {
	const { backupKeys, backupTo, storage } = config;
	const place = findNamedPlace(from, backupTo ?? (storage.kind === "s3" ? storage : undefined));
	// Not repeated: it may hold a password.
	if (!place) {
		throw new Error(
			"a backup in a bucket is named as the service names it, s3://bucket/folder/backups/name, or with its store, s3://host/bucket/folder/backups/name?region=…; never with a name and a password in it. The first form needs SVC_BACKUP_TO or SVC_STORAGE, which say what store that is",
		);
	}
	if (!backupKeys) {
		throw new Error("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set; they let this command read the bucket");
	}
	await downloadBackup({ ...place, ...backupKeys }, dir, log);
}

async function run(): Promise<void> {
	await requireDataDir(config);
	for (const warning of warnings(config)) log.warn(warning);
	const service = await wire(config, { clock, log, ...(telemetry && { telemetry }) });
	const { listening, metrics } = await listenOn(config, service);
	const endWatch = boundConnections(service, listening);
	service.startWorkers();
	service.startJobs();
	// Other processes count the beats. A file has none that could.
	const repeat = service.database.kind === "file" ? timers.every : steadily;
	const endHeart = every(BEAT_MS, "beat", () => service.beat(), repeat);
	const chores = [
		every(SWEEP_EVERY_MS, "sweep", () => sweep(service)),
		every(LIKENESS_EVERY_MS, "likeness", () => service.judgeWhenDue()),
		every(EXPIRE_EVERY_MS, "expiry", () => service.expire()),
		every(WEBHOOKS_EVERY_MS, "webhooks", () => service.lookForWebhooks()),
		every(SCANS_EVERY_MS, "scans", () => service.lookForScans()),
		every(PURGES_EVERY_MS, "purges", () => service.sendPurges()),
		every(COMPARE_EVERY_MS, "renditions", () => service.compareRenditions()),
		every(BALLAST_EVERY_MS, "ballast", () => service.renewBallast()),
		every(RENEW_MS, "ownership", () => service.renewOwnership()),
		every(RECOUNT_EVERY_MS, "recount", () => recount(service)),
		every(SCRUB_EVERY_MS, "scrub", () => service.scrub()),
		every(SECRET_EVERY_MS, "secret", () => service.careForSecret()),
		every(BACKUP_EVERY_MS, "backup", () => service.backUpWhenDue()),
		// Not waited for: a code that comes while a slow mail is on its way has a lane of its own, which only another call starts.
		every(MAIL_EVERY_MS, "mail", async () => sendMail(service)),
		every(USAGE_EVERY_MS, "usage", () => service.writeUsage()),
		every(WATCH_EVERY_MS, "watch", () => service.watchParts()),
		every(IMAGE_HOSTS_EVERY_MS, "image hosts", () => service.lookAtImageHosts()),
		// Its settings change at its admin address while services run.
		every(DURABILITY_EVERY_MS, "durability", () => service.lookAtDatabase()),
		every(BILLING_EVERY_MS, "billing", () => service.catchUpBilling()),
	];

	giveBackLeftovers();

	let stage: AbortController | undefined;

	async function stop(status: number): Promise<void> {
		service.drain();
		listening.drain();
		// Its heart goes on: what its last requests have claimed is theirs until they are answered.
		for (const endChore of chores) endChore();
		// Balancers see it at their next probe: until then they go on sending, and nobody who comes is turned away.
		stage = new AbortController();
		await pause(config.drainMs, stage.signal);
		stage = new AbortController();
		await listening.stop(DRAIN_GRACE_MS, stage.signal);
		await metrics.stop(0);
		endWatch();
		endHeart();
		await service.close();
		await telemetry?.close();
		process.exit(status);
	}
	function begin(status: number): void {
		stop(status).catch((cause: unknown) => {
			log.error("the service could not end in order", { cause });
			process.exit(1);
		});
	}
	onAsked((signal) => {
		log.info(stage ? "stopping sooner" : "stopping", { signal });
		// Somebody who asks again has no time for the stage that it is in: first the listeners close, then what runs is cut.
		if (stage) stage.abort();
		else begin(0);
	});
	const { meters } = service.rooms;
	watchUncaught({ log, meters, end: () => stage ?? begin(1) });
	// Last: whoever hears that it runs may end it at once, in order.
	await announce(config, service);
}

function onAsked(stop: (signal: NodeJS.Signals) => void): void {
	let interruptedMs = Number.NEGATIVE_INFINITY;
	process.on("SIGTERM", stop);
	process.on("SIGINT", (signal) => {
		// A terminal sends Ctrl-C to this process and to npm, and npm sends it on: nobody asked twice.
		const isEcho = performance.now() - interruptedMs < ECHO_MS;
		interruptedMs = performance.now();
		if (!isEcho) stop(signal);
	});
}

async function listenOn({ listen: places, metrics, portsFrom }: Config, service: Service) {
	const refuse = (variable: string) => (cause: unknown) => Promise.reject(listenFailure(cause, variable));
	return {
		listening: await listen(places, service.handle, log).catch(refuse(portsFrom)),
		metrics: await listen(metrics.listen ? [metrics.listen] : [], service.handleMetrics, log).catch(
			refuse("SVC_METRICS_LISTEN"),
		),
	};
}

/** Keeps the connections within what this process may have open; returns what ends that. */
function boundConnections({ rooms }: Service, listening: Listening): () => void {
	const limit = descriptorLimit();
	const sockets = limit === undefined ? undefined : openSockets();
	if (limit === undefined || !sockets) {
		log.warn("this system does not tell of open connections: they are bounded by nothing but its own limits");
		return () => undefined;
	}
	if (limit < FEW_DESCRIPTORS) {
		const advice = `allow ${FEW_DESCRIPTORS} or more (ulimit -n, or LimitNOFILE of the unit)`;
		log.warn("this process may open few files and connections at once", { limit, advice });
	}
	const { proxies } = config.proxyTrust;
	const isProxy = (address: string) => isWithin(address, proxies);
	const { ports, busy } = listening;
	return watchConnections({ sockets, bounds: boundsWithin(limit), ports, busy, isProxy, log, meters: rooms.meters });
}

/** Ends early when `hurry` aborts. */
function pause(milliseconds: number, hurry: AbortSignal): Promise<void> {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, milliseconds);
		hurry.addEventListener("abort", () => {
			clearTimeout(timer);
			resolve();
		});
	});
}

/** What is in the database and the store one process sweeps for all. */
async function sweep(service: Service): Promise<void> {
	if (!service.leads()) {
		await service.sweepStaged();
		return;
	}
	const swept = await service.sweep();
	if (Object.values(swept).some((count) => count > 0)) log.info("swept", { ...swept });
}

function sendMail(service: Service): void {
	service.sendMail().catch((cause: unknown) => log.error("a chore failed", { name: "mail", cause }));
}

async function recount(service: Service): Promise<void> {
	const drifts = await service.recountWhenDue();
	// Counters change in the same commit as their rows: if they ever differ, the operator has to know.
	if (drifts.length > 0) log.error("counters had drifted and were corrected", { drifts });
}

/** Also while nobody asks for anything. */
function steadily(milliseconds: number, work: () => void): () => void {
	const timer = setInterval(work, milliseconds);
	return () => clearInterval(timer);
}

/**
 * A chore that takes longer than its interval is not joined by a second one, and one that fails is tried again next time. What is returned
 * ends it.
 */
function every(
	milliseconds: number,
	name: string,
	work: () => Promise<unknown>,
	repeat: (milliseconds: number, work: () => void) => () => void = timers.every,
): () => void {
	let busy = false;
	let isOver = false;
	async function run(): Promise<void> {
		if (busy) return;
		busy = true;
		try {
			await work();
		} catch (cause) {
			// The database is closed without waiting for a chore: the next start does it anew.
			if (isOver) log.info("a chore was cut off by the end", { name, cause });
			else log.error("a chore failed", { name, cause });
		} finally {
			busy = false;
		}
	}
	// Also runs at the start: otherwise a service that is restarted every day would never run its daily chores.
	const begin = () => {
		run().catch((cause: unknown) => log.error("a chore failed", { name, cause }));
	};
	begin();
	const end = repeat(milliseconds, begin);
	return () => {
		isOver = true;
		end();
	};
}
