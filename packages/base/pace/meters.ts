/*
 * Every metric of the service, once: `/metrics` shows them from the start, OpenTelemetry sends the same, and the board and alerts in deploy/
 * may name no other (a test compares). Conventions are those of Prometheus: `_total`, `_seconds`, `_bytes`; labels are few and bounded.
 */

interface Meter<Kind = "counter" | "gauge" | "histogram"> {
	readonly kind: Kind;
	readonly help: string;
	readonly labels: readonly string[];
}

type NewMeter<Kind extends Meter["kind"]> = (help: string, ...labels: readonly string[]) => Meter<Kind>;

const counter: NewMeter<"counter"> = (help, ...labels) => ({ kind: "counter", help, labels });
const gauge: NewMeter<"gauge"> = (help, ...labels) => ({ kind: "gauge", help, labels });
const histogram: NewMeter<"histogram"> = (help, ...labels) => ({ kind: "histogram", help, labels });

export const METERS = {
	svc_build_info: gauge("1, with what runs", "version", "runtime", "variant"),
	svc_requests_total: counter(
		"Answers of the API and the pages, by the route's path",
		"host",
		"route",
		"method",
		"status",
	),
	svc_request_seconds: histogram("From a request's head to its answer, at the API and the pages", "host", "route"),
	svc_request_wait_seconds: gauge(
		"The longest that a request has waited before it was begun, in the last half to full minute; probes never wait",
	),
	svc_cdn_requests_total: counter("Answers of the transform host", "outcome"),
	svc_cdn_render_seconds: histogram("How long a rendition takes once its turn has come"),
	svc_cdn_gate_running: gauge("Pictures that are being opened"),
	svc_cdn_gate_waiting: gauge("Pictures that wait for their turn"),
	svc_cdn_shed_total: counter("Pictures refused because the line was full or slow"),
	svc_cdn_abandoned_total: counter("Pictures whose visitors left the line"),
	svc_cdn_cache_bytes: gauge("Renditions kept on the disk"),
	svc_cdn_cache_small_bytes: gauge("The smallest sizes of pictures, which are kept apart on the disk"),
	svc_cdn_cache_hot_bytes: gauge("Renditions kept in memory"),
	svc_cdn_cache_entries: gauge("Renditions kept"),
	svc_cdn_remakes_total: counter(
		"Renditions of earlier releases, and those asked for often, that were looked at",
		"outcome",
	),
	svc_cdn_compact_bytes_total: counter(
		"Renditions that were made again in fewer bytes: the bytes of each before, and since",
		"of",
	),
	svc_cdn_remakes_waiting: gauge("Renditions of earlier releases that wait to be looked at"),
	svc_cdn_cache_errors_total: counter("Failed calls on files of the cache", "operation"),
	svc_workers: gauge("Processes that open pictures"),
	svc_workers_busy: gauge("Those of them that do"),
	svc_workers_resident_memory_bytes: gauge("Memory of all of them together"),
	svc_worker_deaths_total: counter("Workers that ended or were ended", "reason"),
	svc_commit_seconds: histogram("Until a change is durable, or refused"),
	svc_read_seconds: histogram("Until a read of the database is answered"),
	svc_database_errors_total: counter(
		"Reads and changes that failed for another reason than their conditions",
		"operation",
	),
	svc_slow_queries_total: counter("Reads and changes that took longer than 50 ms", "operation"),
	svc_database_writes_stalled_seconds: gauge(
		"How long a libSQL server has left a change without an answer; 0 while it writes",
	),
	svc_database_relaxed: gauge(
		"1 where a power cut of the libSQL server's machine takes acknowledged changes away, and nobody has accepted that",
	),
	svc_store_seconds: histogram("Until the store of pictures has answered", "operation"),
	svc_store_errors_total: counter("Calls on the store of pictures that failed", "operation"),
	svc_scans_total: counter("What the judge of pictures said, or that it did not", "result"),
	svc_swept_total: counter("What the sweeps removed", "kind"),
	svc_jobs_total: counter("Steps of jobs", "kind", "state"),
	svc_webhook_attempts_total: counter("Tries to deliver an event to an App", "result"),
	svc_purge_waiting: gauge("Tags that the caches in front are still to forget"),
	svc_purge_oldest_seconds: gauge("How long the first of them has waited"),
	svc_purge_failures_total: counter("Calls to them that came to nothing"),
	svc_jobs_waiting: gauge("Jobs that are due"),
	svc_jobs_oldest_seconds: gauge("How long the first of them has been due"),
	svc_scrub_checked_total: counter("Originals that were read and compared"),
	svc_scrub_last_complete_seconds: gauge("When all had been, in seconds since 1970; 0 before"),
	svc_blobs_damaged: gauge("Originals whose bytes are not what they were", "kind"),
	svc_mail_sent_total: counter("Mails that ended", "class", "outcome"),
	svc_mail_waiting: gauge("Mails that are due", "class"),
	svc_mail_oldest_seconds: gauge("How long the first of them has waited"),
	svc_billing_deliveries_total: counter("What the payment processor delivered", "outcome"),
	svc_billing_waiting: gauge("Deliveries that are not worked off"),
	svc_billing_last_delivery_seconds: gauge("Since the last delivery"),
	svc_billing_subscriptions: gauge("Subscriptions", "access"),
	svc_backup_last_seconds: gauge(
		"When the last backup was whole, in seconds since 1970; 0 without one, and no value where a database server makes its own",
	),
	svc_parts_failing: gauge("1 while operators are told that a part fails", "part"),
	svc_disk_free_bytes: gauge("Room on the disk of the data directory"),
	svc_certificate_expires_seconds: gauge(
		"When the certificate of a server that we call ends, in seconds since 1970",
		"server",
	),
	svc_processes: gauge("Processes on this database that live"),
	svc_leads: gauge("1 in the process that does the chores of all"),
	svc_clock_skew_seconds: gauge("This machine's clock against the database's; more than 0: it is ahead"),
	svc_connections: gauge("Open connections"),
	svc_connections_cut_total: counter("Connections that were too many"),
	svc_uncaught_total: counter("Errors that no code caught: each is a bug, and in the log"),
	svc_event_loop_lag_seconds: gauge("How late timers fire: what every request waits for besides its own work"),
	process_resident_memory_bytes: gauge("Memory of this process, without its workers"),
	process_uptime_seconds: gauge("Since the start"),
	process_cpu_seconds_total: counter("Processor time of this process, without its workers"),
};

type NamesOf<Kind extends Meter["kind"]> = {
	[Name in keyof typeof METERS]: (typeof METERS)[Name]["kind"] extends Kind ? Name : never;
}[keyof typeof METERS];

export type CounterName = NamesOf<"counter">;
export type GaugeName = NamesOf<"gauge">;
export type HistogramName = NamesOf<"histogram">;
