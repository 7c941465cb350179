/*
 * Every metric of the service, once: `/metrics` shows them from the start, OpenTelemetry sends the same, and the board and alerts in deploy/
 * may name no other (a test compares). Conventions are those of Prometheus: `_total`, `_seconds`, `_bytes`; labels are few and bounded.
 */

interface Meter {
	readonly kind: "counter" | "gauge" | "histogram";
	readonly help: string;
	readonly labels?: readonly string[];
}

export const METERS = {
	svc_build_info: { kind: "gauge", help: "1, with what runs", labels: ["version", "runtime", "variant"] },
	svc_requests_total: {
		kind: "counter",
		help: "Answers of the API and the pages, by the route's path",
		labels: ["host", "route", "method", "status"],
	},
	svc_request_seconds: {
		kind: "histogram",
		help: "From a request's head to its answer, at the API and the pages",
		labels: ["host", "route"],
	},
	svc_request_wait_seconds: {
		kind: "gauge",
		help: "The longest that a request has waited before it was begun, in the last half to full minute; probes never wait",
	},
	svc_cdn_requests_total: { kind: "counter", help: "Answers of the transform host", labels: ["outcome"] },
	svc_cdn_render_seconds: { kind: "histogram", help: "How long a rendition takes once its turn has come" },
	svc_cdn_gate_running: { kind: "gauge", help: "Pictures that are being opened" },
	svc_cdn_gate_waiting: { kind: "gauge", help: "Pictures that wait for their turn" },
	svc_cdn_shed_total: { kind: "counter", help: "Pictures refused because the line was full or slow" },
	svc_cdn_abandoned_total: { kind: "counter", help: "Pictures whose visitors left the line" },
	svc_cdn_cache_bytes: { kind: "gauge", help: "Renditions kept on the disk" },
	svc_cdn_cache_hot_bytes: { kind: "gauge", help: "Renditions kept in memory" },
	svc_cdn_cache_entries: { kind: "gauge", help: "Renditions kept" },
	svc_cdn_remakes_total: {
		kind: "counter",
		help: "Renditions of earlier releases that were looked at",
		labels: ["outcome"],
	},
	svc_cdn_remakes_waiting: { kind: "gauge", help: "Renditions of earlier releases that wait to be looked at" },
	svc_cdn_cache_errors_total: { kind: "counter", help: "Failed calls on files of the cache", labels: ["operation"] },
	svc_workers: { kind: "gauge", help: "Processes that open pictures" },
	svc_workers_busy: { kind: "gauge", help: "Those of them that do" },
	svc_workers_resident_memory_bytes: { kind: "gauge", help: "Memory of all of them together" },
	svc_worker_deaths_total: { kind: "counter", help: "Workers that ended or were ended", labels: ["reason"] },
	svc_commit_seconds: { kind: "histogram", help: "Until a change is durable, or refused" },
	svc_read_seconds: { kind: "histogram", help: "Until a read of the database is answered" },
	svc_database_errors_total: {
		kind: "counter",
		help: "Reads and changes that failed for another reason than their conditions",
		labels: ["operation"],
	},
	svc_slow_queries_total: {
		kind: "counter",
		help: "Reads and changes that took longer than 50 ms",
		labels: ["operation"],
	},
	svc_database_writes_stalled_seconds: {
		kind: "gauge",
		help: "How long a libSQL server has left a change without an answer; 0 while it writes",
	},
	svc_database_relaxed: {
		kind: "gauge",
		help: "1 where a power cut of the libSQL server's machine takes acknowledged changes away, and nobody has accepted that",
	},
	svc_store_seconds: { kind: "histogram", help: "Until the store of pictures has answered", labels: ["operation"] },
	svc_store_errors_total: {
		kind: "counter",
		help: "Calls on the store of pictures that failed",
		labels: ["operation"],
	},
	svc_swept_total: { kind: "counter", help: "What the sweeps removed", labels: ["kind"] },
	svc_jobs_total: { kind: "counter", help: "Steps of jobs", labels: ["kind", "state"] },
	svc_webhook_attempts_total: { kind: "counter", help: "Tries to deliver an event to an App", labels: ["result"] },
	svc_purge_waiting: { kind: "gauge", help: "Tags that the caches in front are still to forget" },
	svc_purge_oldest_seconds: { kind: "gauge", help: "How long the first of them has waited" },
	svc_purge_failures_total: { kind: "counter", help: "Calls to them that came to nothing" },
	svc_jobs_waiting: { kind: "gauge", help: "Jobs that are due" },
	svc_jobs_oldest_seconds: { kind: "gauge", help: "How long the first of them has been due" },
	svc_scrub_checked_total: { kind: "counter", help: "Originals that were read and compared" },
	svc_scrub_last_complete_seconds: { kind: "gauge", help: "When all had been, in seconds since 1970; 0 before" },
	svc_blobs_damaged: { kind: "gauge", help: "Originals whose bytes are not what they were", labels: ["kind"] },
	svc_mail_sent_total: { kind: "counter", help: "Mails that ended", labels: ["class", "outcome"] },
	svc_mail_waiting: { kind: "gauge", help: "Mails that are due", labels: ["class"] },
	svc_mail_oldest_seconds: { kind: "gauge", help: "How long the first of them has waited" },
	svc_billing_deliveries_total: { kind: "counter", help: "What the payment processor delivered", labels: ["outcome"] },
	svc_billing_waiting: { kind: "gauge", help: "Deliveries that are not worked off" },
	svc_billing_last_delivery_seconds: { kind: "gauge", help: "Since the last delivery" },
	svc_billing_subscriptions: { kind: "gauge", help: "Subscriptions", labels: ["access"] },
	svc_backup_last_seconds: {
		kind: "gauge",
		help: "When the last backup was whole, in seconds since 1970; 0 without one, and no value where a database server makes its own",
	},
	svc_parts_failing: { kind: "gauge", help: "1 while operators are told that a part fails", labels: ["part"] },
	svc_disk_free_bytes: { kind: "gauge", help: "Room on the disk of the data directory" },
	svc_certificate_expires_seconds: {
		kind: "gauge",
		help: "When the certificate of a server that we call ends, in seconds since 1970",
		labels: ["server"],
	},
	svc_processes: { kind: "gauge", help: "Processes on this database that live" },
	svc_leads: { kind: "gauge", help: "1 in the process that does the chores of all" },
	svc_clock_skew_seconds: {
		kind: "gauge",
		help: "This machine's clock against the database's; more than 0: it is ahead",
	},
	svc_connections: { kind: "gauge", help: "Open connections" },
	svc_connections_cut_total: { kind: "counter", help: "Connections that were too many" },
	svc_uncaught_total: { kind: "counter", help: "Errors that no code caught: each is a bug, and in the log" },
	svc_event_loop_lag_seconds: {
		kind: "gauge",
		help: "How late timers fire: what every request waits for besides its own work",
	},
	process_resident_memory_bytes: { kind: "gauge", help: "Memory of this process, without its workers" },
	process_uptime_seconds: { kind: "gauge", help: "Since the start" },
	process_cpu_seconds_total: { kind: "counter", help: "Processor time of this process, without its workers" },
} as const satisfies Readonly<Record<string, Meter>>;

type NamesOf<Kind extends Meter["kind"]> = {
	[Name in keyof typeof METERS]: (typeof METERS)[Name]["kind"] extends Kind ? Name : never;
}[keyof typeof METERS];

export type CounterName = NamesOf<"counter">;
export type GaugeName = NamesOf<"gauge">;
export type HistogramName = NamesOf<"histogram">;
