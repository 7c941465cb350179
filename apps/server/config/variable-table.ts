import { TUNING, TUNING_OPTIONS } from "./tuning.ts";

/* Every variable in a few words: `--help` and `.env.example` are made from this, and a test holds it to what is really read. */

interface VariableRow {
	readonly name: string;
	/** What it is without being set; empty where there is nothing. */
	readonly standard: string;
	readonly about: string;
}

/** What {@link TUNING} takes. */
export const OPTIONS: readonly VariableRow[] = TUNING_OPTIONS.map(([name, standard, about]) => ({
	name,
	standard,
	about,
}));

export interface VariableGroup {
	readonly title: string;
	readonly variables: readonly VariableRow[];
}

type Rows = readonly (readonly [name: string, standard: string, about: string])[];

function group(title: string, rows: Rows): VariableGroup {
	return { title, variables: rows.map(([name, standard, about]) => ({ name, standard, about })) };
}

export const VARIABLES: readonly VariableGroup[] = [
	group("Addresses", [
		[
			"PORT",
			"3000",
			"the port of the API and the pages, and the next one that of the images; with public addresses the one port of all",
		],
		["SVC_BASE_URL", "http://localhost:3000", "the API's public address"],
		["SVC_WEB_URL", "", "the pages' public address, by default SVC_BASE_URL"],
		["SVC_CDN_URL", "http://localhost:3001", "the images' public address; never the same origin as the others"],
		[
			"SVC_LISTEN",
			"",
			"host:port[,host:port], by default what the addresses say; behind a proxy one serves all by their Host",
		],
		["SVC_TRUSTED_PROXIES", "127.0.0.0/8,::1/128", "proxies whose X-Forwarded-For is believed, or none"],
		[
			"SVC_CLIENT_ADDRESS_HEADER",
			"",
			"a header with the client's address that those proxies set, such as CF-Connecting-IP",
		],
	]),
	group("The service", [
		["SVC_NAME", "Svc", "what the service calls itself"],
		["SVC_MODE", "test", "live gives keys the prefix svc_sk_live_, and takes no simulated payments"],
		["SVC_VARIANT", "current", "which interface is served: current, transition or legacy"],
		[
			"SVC_BOOTSTRAP_SECRET",
			"",
			"20 characters or more: the first start then makes no operator, POST /v1/operator/bootstrap does",
		],
		[
			"SVC_DEPLOYMENT_SECRET",
			"",
			"32 random bytes or more, as `openssl rand -base64 32` makes: what links and tickets are made with; a file of the data directory by default, required beside a database server",
		],
		[
			"SVC_TEST_PEOPLE",
			"on",
			"addresses with +svc_test sign in with a fixed code; off where strangers reach a test deployment",
		],
		["SVC_CONSENT_VERSION", "1", "raised when what people agree to at /connect has changed"],
		["SVC_SUPPORT_EMAIL", "", "where people write who found a fault: /.well-known/security.txt names it"],
		["SVC_DRAIN_SECONDS", "0", "how long a service that stops still takes connections; 5 in live mode"],
		["SVC_LOG", "info", "debug, info, warn or error; on a terminal in test mode warn, when left out"],
		[TUNING, "", "what hardly anybody changes, as key_burst=400,warm_sizes=off; its options stand at the end"],
	]),
	group("Data", [
		["SVC_DATA_DIR", "./data", "the folder of the database, the pictures and what is kept of them"],
		["SVC_DATABASE_URL", "", "libsql://… or http://… of a libSQL server, which several services may share"],
		["SVC_DATABASE_TOKEN", "", "what that server lets in"],
		[
			"SVC_DATABASE_RELAXED",
			"off",
			"on accepts a server that does not sync each commit in live mode: loses the last seconds in a power cut",
		],
		[
			"SVC_STORAGE",
			"files",
			"files in the data directory, or a bucket: s3://host/bucket?region=us-east-1, with &tls=off for plain HTTP",
		],
		["AWS_ACCESS_KEY_ID", "", "of a key that may put, get, delete and list objects in the bucket"],
		["AWS_SECRET_ACCESS_KEY", "", "its secret; a key for a time has AWS_SESSION_TOKEN as well"],
	]),
	group("Backups", [
		["SVC_BACKUP_EVERY", "", "how often one is made without being asked for, such as 6h or 1d"],
		["SVC_BACKUP_KEEP", "7", "how many of those stay"],
		["SVC_BACKUP_TO", "", "s3://host/bucket/folder?region=us-east-1; by default they lie in the data directory"],
		["AWS_BACKUP_ACCESS_KEY_ID", "", "a key of the backups' own, by default AWS_ACCESS_KEY_ID"],
		["AWS_BACKUP_SECRET_ACCESS_KEY", "", "the secret of that key"],
	]),
	group("Mail", [
		[
			"SVC_SMTP_URL",
			"",
			"smtp:// or smtps://[user:password@]host[:port]; without it operators read the mail in the service",
		],
		["SVC_MAIL_FROM", "", "post@example.com, or Name <post@example.com>"],
	]),
	group("Payments", [
		[
			"SVC_STRIPE_SECRET_KEY",
			"",
			"sk_… or a restricted rk_…, of the mode that SVC_MODE says; without it payments are simulated in test mode, and none in live mode",
		],
		["SVC_STRIPE_WEBHOOK_SECRET", "", "whsec_…"],
	]),
	group("Limits", [
		["SVC_KEY_RATE", "50", "calls per key and second; 0: no limit"],
		["SVC_CREATE_RATE", "10", "creates per key and second; 0: no limit"],
		["SVC_SIGN_IN_EMAIL_RATE", "5", "sign-in codes per hour for an e-mail address"],
		["SVC_SIGN_IN_IP_RATE", "30", "sign-in codes per hour for a network address"],
		[
			"SVC_DNS_SERVER",
			"",
			"address or address:port of the DNS server that is asked for the records of image hosts, by default the system's",
		],
		["SVC_IMPORT_ALLOW", "", "host:port[,host:port] that URL import may reach although private"],
	]),
	group("Pictures", [
		[
			"SVC_CACHE_MAX_BYTES",
			String(2 * 1_024 ** 3),
			"renditions kept on the disk; with a bucket, originals as well, in a quarter of it",
		],
		[
			"SVC_RENDER_CONCURRENCY",
			"",
			"processes that open pictures, by default as many as there are cores, and two at least",
		],
		[
			"SVC_SIMILAR",
			"lock",
			"what happens to a picture that is like a blocked one: lock, block, or off; the same picture is always blocked",
		],
		["SVC_RENDER_MEMORY", String(640 * 1_024 ** 2), "bytes of memory that all of them together may take"],
		["SVC_CDN_MAX_AGE", "300", "seconds for which every cache may keep a picture; browsers cannot be told of a delete"],
		[
			"SVC_PURGE",
			"off",
			"the cache in front that is told of deletes: cloudflare://zone, fastly://service, or its http:// URL",
		],
		["SVC_PURGE_TOKEN", "", "what lets the service purge"],
		["SVC_SCAN_URL", "", "a service of your own that judges each new picture: passes, flags, locks or blocks it"],
		["SVC_SCAN_SECRET", "", "whsec_…, with which it knows that this service asks"],
		[
			"SVC_SCAN_ABSENT",
			"pass",
			"lock: while it does not answer, new pictures are locked until it or an operator has seen them",
		],
	]),
	group("Metrics", [
		["SVC_METRICS_TOKEN", "", "the bearer that /metrics needs"],
		["SVC_METRICS_LISTEN", "", "the only host:port that serves /metrics"],
		[
			"OTEL_EXPORTER_OTLP_ENDPOINT",
			"",
			"where traces and metrics are sent; OpenTelemetry's OTEL_TRACES_SAMPLER_ARG (1) and OTEL_METRIC_EXPORT_INTERVAL (60000) count as well",
		],
	]),
];
