import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import { shellWord } from "@svc/base/text";
import { isMailAddress, type MailAddress, parseMailAddress, parseSmtpUrl, type SmtpServer } from "@svc/mail/smtp-url";
import { LOG_LEVELS, type LogLevel } from "@svc/operator/recent-log";
import type { BackupSchedule } from "@svc/operator/room";
import { parseS3Url } from "@svc/storage/s3/place";
import type { Bucket } from "@svc/storage/s3/requests";
import type { ProxyTrust } from "../door/client-address.ts";
import * as variants from "../variants.ts";
import { type AddressConfig, readAddresses } from "./config-addresses.ts";
import { type BackupBucket, readBackupBucket, readBackupSchedule } from "./config-backups.ts";
import { type CachingConfig, readCaching } from "./config-caching.ts";
import {
	type MetricsConfig,
	readBootstrapSecret,
	readDeploymentSecrets,
	readMetrics,
	readProxyTrust,
	readTelemetry,
	type TelemetryConfig,
} from "./config-door.ts";
import { readBackupKeys, readS3Keys, S3_FORM } from "./config-s3.ts";
import { readScan, type ScanConfig } from "./config-scan.ts";
import type { DatabaseConfig } from "./config-types.ts";
import { settle } from "./old-names.ts";
import { TUNING, tuned } from "./tuning.ts";
import { type Environment, refuseUnknown, VariableReader } from "./variables.ts";

/* Everything that a deployment can set, read from the environment once. */

type VariantName = keyof typeof variants;
const VARIANT_NAMES = Object.keys(variants) as readonly VariantName[];

type StorageConfig =
	| { readonly kind: "files"; readonly dir: string }
	| (Bucket & {
			readonly kind: "s3";
			/** Files are received here on their way to the bucket. */
			readonly dir: string;
	  });

type MailConfig =
	| { readonly kind: "outbox" }
	| { readonly kind: "smtp"; readonly server: SmtpServer; readonly from: MailAddress };

type ProcessorConfig =
	| { readonly kind: "simulated" }
	/** A live deployment takes no simulated money. */
	| { readonly kind: "none" }
	| {
			readonly kind: "stripe";
			readonly secretKey: string;
			readonly webhookSecret: string;
			readonly apiBase: string | undefined;
	  };

export interface Config extends AddressConfig, CachingConfig, ScanConfig {
	readonly variant: VariantName;
	readonly mode: "test" | "live";
	readonly testPeople: boolean;
	readonly name: string;
	/** Where finders of faults write. */
	readonly supportEmail: string | undefined;
	readonly dataDir: string;
	/** How a command of the CLI begins where this was started: what is printed works as it stands there. */
	readonly command: string;
	readonly database: DatabaseConfig;
	readonly storage: StorageConfig;
	readonly mail: MailConfig;
	readonly processor: ProcessorConfig;
	readonly bootstrapSecret: string | undefined;
	/** What the variable holds: the secret of the deployment, and while it is changed the one before it. Empty where it is not set. */
	readonly deploymentSecrets: readonly string[];
	readonly proxyTrust: ProxyTrust;
	readonly metrics: MetricsConfig;
	/** Undefined: no traces are made, and none of what makes them is loaded. */
	readonly telemetry: TelemetryConfig | undefined;
	/** For so long a service that stops shows it and goes on answering. */
	readonly drainMs: number;
	/** Undefined: backups are made only when somebody asks. */
	readonly backupSchedule: BackupSchedule | undefined;
	/** What lets the service into a bucket with backups. */
	readonly backupKeys: ReturnType<typeof readBackupKeys>;
	/** Undefined: backups lie in the data directory. */
	readonly backupTo: BackupBucket | undefined;
	readonly cacheMaxBytes: number;
	/** Of the smallest size of each picture, which has a bound of its own. */
	readonly smallMaxBytes: number;
	/** Bound on the bytes of all images created without a key, where that is possible. */
	readonly anonymousMaxBytes: number;
	/** Processes that open pictures. */
	readonly renderConcurrency: number;
	/** Bytes that their work may take at once: never more than half of what the machine has. */
	readonly renderMemoryBytes: number;
	readonly renderQueue: number;
	/** Whether sizes are made after an upload. */
	readonly warmSizes: boolean;
	/** What becomes of a picture that is like a blocked one without being the same. */
	readonly similar: "lock" | "block" | "off";
	/** Calls per key and second; 0: no limit. */
	readonly keyRate: number;
	readonly keyBurst: number;
	readonly createRate: number;
	readonly createBurst: number;
	/** Sign-in codes per hour and address; 0: no limit. */
	readonly signInIpRate: number;
	readonly signInEmailRate: number;
	/** What people agree to when they connect to an App; raised, they are asked again. */
	readonly consentVersion: number;
	/** Mails in a minute; 0 stands for any number. */
	readonly mailRate: number;
	/** `host:port` pairs that URL import may reach although private. */
	readonly importAllow: readonly string[];
	/** The DNS server that is asked for the records of image hosts; undefined: the system's. */
	readonly dnsServer: string | undefined;
	/** Milliseconds. */
	readonly publicCutoffMs: number;
	readonly graceDays: number;
	/** Within how many days every stored original is read and compared; 0: never. */
	readonly scrubDays: number;
	/** Path of an ONNX file. */
	readonly segmentModel: string | undefined;
	readonly logLevel: LogLevel;
	/** Names of earlier releases that are set, each with what it is called now. */
	readonly oldNames: readonly string[];
}

const MIB = 1_024 ** 2;
const GIB = 1_024 ** 3;

/**
 * Pure: the same environment gives the same configuration.
 * @throws ConfigError listing every variable that is wrong: its name, what it got, what it takes
 */
export function readConfig(env: Environment): Config {
	const { env: settled, faults, oldNames } = settle(env);
	const read = new VariableReader(settled, faults);
	const config = readAll(read);
	refuseUnknown(read);
	read.finish();
	return { ...config, oldNames };
}

/** Every variable that the service or its tools know. */
export function variableNames(): readonly string[] {
	// What is read only beside another one is read then.
	const read = new VariableReader({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318" });
	readAll(read);
	return read.names;
}

function readAll(read: VariableReader): Omit<Config, "oldNames"> {
	const mode = read.oneOf("SVC_MODE", ["test", "live"], "test");
	const dataDir = resolve(read.text("SVC_DATA_DIR", "./data"));
	const addresses = readAddresses(read);
	const database = readDatabase(read, dataDir);
	const keyRate = read.integer("SVC_KEY_RATE", 50, 0);
	const createRate = read.integer("SVC_CREATE_RATE", 10, 0);
	read.unused([TUNING]);
	return {
		variant: read.oneOf("SVC_VARIANT", VARIANT_NAMES, "current"),
		mode,
		testPeople: readTestPeople(read, mode),
		name: read.text("SVC_NAME", "Svc"),
		supportEmail: readSupportEmail(read),
		...addresses,
		dataDir,
		command: commandFor(read.text("SVC_COMMAND", "./svc"), dataDir),
		database,
		storage: readStorage(read, dataDir),
		mail: readMail(read),
		processor: readProcessor(read, mode),
		bootstrapSecret: readBootstrapSecret(read),
		deploymentSecrets: readDeploymentSecrets(read),
		proxyTrust: readProxyTrust(read),
		metrics: readMetrics(read, mode),
		telemetry: readTelemetry(read),
		drainMs: read.integer("SVC_DRAIN_SECONDS", mode === "live" ? 5 : 0, 0) * 1_000,
		backupSchedule: readBackupSchedule(read, database),
		backupKeys: readBackupKeys(read),
		backupTo: readBackupBucket(read, database),
		cacheMaxBytes: read.integer("SVC_CACHE_MAX_BYTES", 2 * GIB, 0),
		smallMaxBytes: read.integer(tuned("small_max_bytes"), 4 * GIB, 0),
		...readCaching(read),
		...readScan(read),
		renderConcurrency: read.integer("SVC_RENDER_CONCURRENCY", Math.max(2, availableParallelism()), 1),
		renderMemoryBytes: Math.min(read.integer("SVC_RENDER_MEMORY", 640 * MIB, 64 * MIB), memoryBytes() / 2),
		renderQueue: read.integer(tuned("render_queue"), 256, 0),
		warmSizes: read.oneOf(tuned("warm_sizes"), ["on", "off"], "on") === "on",
		similar: read.oneOf("SVC_SIMILAR", ["lock", "block", "off"], "lock"),
		keyRate,
		keyBurst: read.integer(tuned("key_burst"), Math.max(1, 4 * keyRate), 1),
		createRate,
		createBurst: read.integer(tuned("create_burst"), Math.max(1, 5 * createRate), 1),
		anonymousMaxBytes: read.integer(tuned("anonymous_max_bytes"), 10 * GIB, 0),
		signInIpRate: read.integer("SVC_SIGN_IN_IP_RATE", 30, mode === "test" ? 0 : 1),
		signInEmailRate: read.integer("SVC_SIGN_IN_EMAIL_RATE", 5, mode === "test" ? 0 : 1),
		consentVersion: read.integer("SVC_CONSENT_VERSION", 1, 1),
		mailRate: read.integer(tuned("mail_rate"), 300, 0),
		importAllow: read.hostPorts("SVC_IMPORT_ALLOW"),
		dnsServer: read.serverAddress("SVC_DNS_SERVER"),
		publicCutoffMs: read.date(tuned("public_cutoff"), "2026-11-01T00:00:00Z"),
		graceDays: read.integer(tuned("grace_days"), 3, 0),
		scrubDays: read.integer(tuned("scrub_days"), 30, 0),
		segmentModel: read.optional(tuned("segment_model")),
		logLevel: read.oneOf("SVC_LOG", LOG_LEVELS, "info"),
	};
}

/** The CLI looks for its profile in `data` of the checkout; another folder has to be named. */
function commandFor(command: string, dataDir: string): string {
	if (dataDir === resolve("data")) return command;
	if (process.platform === "win32") return `cmd /c set "SVC_DATA_DIR=${dataDir}" "&" ${command}`;
	return `SVC_DATA_DIR=${shellWord(dataDir)} ${command}`;
}

/** What this machine has, or the container that this process runs in. */
function memoryBytes(): number {
	return Math.floor(process.constrainedMemory() || totalmem());
}

function readDatabase(read: VariableReader, dataDir: string): DatabaseConfig {
	const url = read.optional("SVC_DATABASE_URL");
	const token = read.optional("SVC_DATABASE_TOKEN");
	const isRelaxedAccepted = read.oneOf("SVC_DATABASE_RELAXED", ["on", "off"], "off") === "on";
	if (url === undefined) return { kind: "file", path: resolve(dataDir, "svc.db") };
	if (url.startsWith("file:")) return { kind: "file", path: resolve(url.slice("file:".length)) };
	const { username, password } = URL.parse(url) ?? { username: "", password: "" };
	if (!/^(libsql|https?):\/\//.test(url) || username || password) {
		read.fault("SVC_DATABASE_URL", "file:…, libsql://…, http://… or https://…, with the token in SVC_DATABASE_TOKEN");
	}
	return { kind: "remote", url, token, isRelaxedAccepted };
}

function readStorage(read: VariableReader, dataDir: string): StorageConfig {
	const files = { kind: "files", dir: resolve(dataDir, "images") } as const;
	const sent = read.text("SVC_STORAGE", files.kind);
	if (sent === files.kind) return files;
	const place = parseS3Url(sent);
	const isWhole = place?.path === "";
	if (!isWhole) read.fault("SVC_STORAGE", `files, or ${S3_FORM}`);
	const keys = readS3Keys(read, "pictures");
	if (!place) return files;
	const { endpoint, bucket, region } = place;
	return { kind: "s3", dir: files.dir, endpoint, bucket, region, ...keys };
}

/** In live mode a code that everybody knows would let everybody in. */
function readTestPeople(read: VariableReader, mode: "test" | "live"): boolean {
	const sent = read.oneOf("SVC_TEST_PEOPLE", ["on", "off"], "on");
	if (mode === "live" && read.isSet("SVC_TEST_PEOPLE")) read.fault("SVC_TEST_PEOPLE", "nothing when SVC_MODE is live");
	return mode === "test" && sent === "on";
}

function readSupportEmail(read: VariableReader): string | undefined {
	const sent = read.optional("SVC_SUPPORT_EMAIL");
	if (sent !== undefined && !isMailAddress(sent)) read.fault("SVC_SUPPORT_EMAIL", "an e-mail address");
	return sent;
}

/** Without a server of mail it stays where operators read it. */
function readMail(read: VariableReader): MailConfig {
	const url = read.optional("SVC_SMTP_URL");
	const sender = read.text("SVC_MAIL_FROM", "");
	if (url === undefined) return { kind: "outbox" };
	const server = parseSmtpUrl(url);
	const from = parseMailAddress(sender);
	if (!server) read.fault("SVC_SMTP_URL", "smtp:// or smtps://[user:password@]host[:port]");
	if (!from) read.fault("SVC_MAIL_FROM", "an address, or Name <address>");
	// A fault ends the start before either is used.
	return server && from ? { kind: "smtp", server, from } : { kind: "outbox" };
}

/** Stripe where its key is; without it test mode simulates payments, and a live deployment takes none. */
function readProcessor(read: VariableReader, mode: "test" | "live"): ProcessorConfig {
	const [key, webhook, base] = [
		"SVC_STRIPE_SECRET_KEY",
		"SVC_STRIPE_WEBHOOK_SECRET",
		tuned("stripe_api_base"),
	] as const;
	if (!read.isSet(key)) {
		read.unused([key, webhook, base]);
		return { kind: mode === "live" ? "none" : "simulated" };
	}
	const keys = `a key of Stripe's ${mode} mode, as SVC_MODE says: sk_${mode}_… or rk_${mode}_…`;
	return {
		kind: "stripe",
		secretKey: read.matching(key, mode === "live" ? /^[sr]k_live_\w{8,}$/ : /^[sr]k_test_\w{8,}$/, keys),
		webhookSecret: read.matching(
			webhook,
			/^whsec_[\w+/=-]{8,}$/,
			"the signing secret of a webhook of Stripe's: whsec_…",
		),
		apiBase: readStripeBase(read, base),
	};
}

/** Undefined for Stripe's own address. */
function readStripeBase(read: VariableReader, name: string): string | undefined {
	if (!read.isSet(name)) {
		read.unused([name]);
		return undefined;
	}
	const base = read.origin(name);
	const { protocol, hostname } = URL.parse(base) ?? { protocol: "", hostname: "" };
	const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
	// The secret key goes there with every call.
	if (protocol === "http:" && !loopback) read.fault(name, "an https origin, or one on loopback");
	return base;
}
