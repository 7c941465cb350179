/* Every variable in a few words: `--help` and `.env.example` are made from this, and a test holds it to what is really read. */

interface VariableRow {
	readonly name: string;
	/** What it is without being set; empty where there is nothing. */
	readonly standard: string;
	readonly about: string;
}

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
		["SVC_DRAIN_SECONDS", "0", "how long a service that stops still takes connections; 5 in live mode"],
		["SVC_LOG", "info", "debug, info, warn or error"],
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
		["SVC_STORAGE", "files", "s3 keeps the pictures in a bucket"],
		["SVC_S3_ENDPOINT", "", "https://…, without the bucket"],
		["SVC_S3_BUCKET", "", "its name"],
		["SVC_S3_REGION", "", "such as us-east-1, or auto"],
		["SVC_S3_ACCESS_KEY_ID", "", "a key that may put, get, delete and list objects"],
		["SVC_S3_SECRET_ACCESS_KEY", "", "its secret"],
		["SVC_SCRUB_DAYS", "30", "within how many days every stored original is read and compared; 0: never"],
	]),
	group("Backups", [
		["SVC_BACKUP_EVERY", "", "how often one is made without being asked for, such as 6h or 1d"],
		["SVC_BACKUP_KEEP", "7", "how many of those stay"],
		["SVC_BACKUP_TO", "", "s3://bucket/folder; by default they lie in the data directory"],
		["SVC_BACKUP_S3_ENDPOINT", "", "how that bucket is reached, by default as SVC_S3_…"],
		["SVC_BACKUP_S3_REGION", "", "its region"],
		["SVC_BACKUP_S3_ACCESS_KEY_ID", "", "its key"],
		["SVC_BACKUP_S3_SECRET_ACCESS_KEY", "", "the secret of that key"],
	]),
	group("Mail", [
		["SVC_MAIL", "outbox", "smtp sends it; until then operators read it in the service"],
		["SVC_SMTP_URL", "", "smtp:// or smtps://[user:password@]host[:port]"],
		["SVC_MAIL_FROM", "", "post@example.com, or Name <post@example.com>"],
		["SVC_MAIL_RATE", "300", "mails a minute; 0: any number"],
	]),
	group("Payments", [
		["SVC_PROCESSOR", "simulated", "stripe takes real money in live mode"],
		["SVC_STRIPE_SECRET_KEY", "", "sk_… or a restricted rk_…, of the mode that SVC_MODE says"],
		["SVC_STRIPE_WEBHOOK_SECRET", "", "whsec_…"],
		["SVC_STRIPE_API_BASE", "", "another address of Stripe's API, for tests"],
		["SVC_GRACE_DAYS", "3", "how long a plan outlives a failed renewal"],
	]),
	group("Limits", [
		["SVC_KEY_RATE", "50", "calls per key and second; 0: no limit"],
		["SVC_KEY_BURST", "200", "how many of them at once"],
		["SVC_CREATE_RATE", "10", "creates per key and second; 0: no limit"],
		["SVC_CREATE_BURST", "50", "how many of them at once"],
		["SVC_SIGN_IN_EMAIL_RATE", "5", "sign-in codes per hour for an e-mail address"],
		["SVC_SIGN_IN_IP_RATE", "30", "sign-in codes per hour for a network address"],
		[
			"SVC_ANONYMOUS_MAX_BYTES",
			String(10 * 1_024 ** 3),
			"with SVC_VARIANT=legacy: bytes of all images that were created without a key",
		],
		["SVC_IMPORT_ALLOW", "", "host:port[,host:port] that URL import may reach although private"],
		["SVC_PUBLIC_CUTOFF", "2026-11-01T00:00:00Z", "when the current interface begins to refuse public images"],
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
		["SVC_RENDER_MEMORY", String(640 * 1_024 ** 2), "bytes of memory that all of them together may take"],
		["SVC_RENDER_QUEUE", "256", "thumbnails that wait for their turn"],
		["SVC_WARM_SIZES", "on", "the sizes s, m and l are made after an upload, where an App shows them; or off"],
		["SVC_CDN_MAX_AGE", "300", "seconds for which every cache may keep a picture; browsers cannot be told of a delete"],
		[
			"SVC_CDN_SHARED_MAX_AGE",
			"",
			"seconds for the caches in front alone: 86400 where they are purged, else at most 300",
		],
		["SVC_PURGE", "off", "the caches in front are told of deletes: cloudflare, fastly, or http"],
		["SVC_PURGE_URL", "", "where they are told; of http with {tag} in it a call for each tag"],
		["SVC_PURGE_TOKEN", "", "what lets the service purge"],
		["SVC_PURGE_METHOD", "POST", "of http: POST, PURGE, BAN, DELETE or GET"],
		["SVC_SEGMENT_MODEL", "", "an ONNX file that finds subjects in place of the built-in models"],
	]),
	group("Metrics", [
		["SVC_METRICS_TOKEN", "", "the bearer that /metrics needs"],
		["SVC_METRICS_LISTEN", "", "the only host:port that serves /metrics"],
		["OTEL_EXPORTER_OTLP_ENDPOINT", "", "where traces and metrics are sent, as OpenTelemetry names it"],
		["OTEL_TRACES_SAMPLER_ARG", "1", "which part of the requests is traced, from 0 to 1"],
		["OTEL_METRIC_EXPORT_INTERVAL", "60000", "milliseconds between two reports of the metrics"],
	]),
];
