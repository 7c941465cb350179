import type { Database } from "@svc/base/database/client";
import { SLOW_MS } from "@svc/base/database/queries";
import { Failure } from "@svc/base/failure";
import { METERS } from "@svc/base/pace/meters";
import { timers } from "@svc/base/pace/paced-timers";
import type { BlobStore, Meters } from "@svc/base/ports";
import { explained } from "@svc/images/keep/master-damage";
import type { MetricObjectWithValues, MetricValue } from "prom-client";
// Each by itself: the package as a whole loads what it sends to a gateway with, and what several processes share.
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Labels = Readonly<Record<string, string>>;

export interface PrometheusMeters extends Meters {
	/** The text that Prometheus reads. */
	text(): Promise<string>;
	/** The same as values. */
	values(): Promise<readonly MetricObjectWithValues<MetricValue<string>>[]>;
}

/** Every metric is there from the start, so that an alert on one that is missing means something. */
export function prometheusMeters(): PrometheusMeters {
	const registry = new Registry();
	const counters = new Map<string, Counter>();
	const histograms = new Map<string, Histogram>();
	const gauges = new Map<string, Gauge>();
	const readings = new Map<string, { read: () => number; labels: Labels }[]>();
	for (const [name, meter] of Object.entries(METERS)) {
		const described = {
			name,
			help: meter.help,
			labelNames: [...meter.labels],
			registers: [registry],
		};
		if (meter.kind === "counter") counters.set(name, new Counter({ ...described, collect: counted(name, readings) }));
		else if (meter.kind === "gauge") gauges.set(name, new Gauge({ ...described, collect: gauged(name, readings) }));
		else histograms.set(name, new Histogram({ ...described, buckets: SECONDS }));
	}

	const meters: PrometheusMeters = {
		count: (name, labels = {}, by = 1) => counters.get(name)?.inc(labels, by),
		observe: (name, value, labels = {}) => histograms.get(name)?.observe(labels, value),
		gauge(name, read, labels = {}) {
			readings.set(name, [...(readings.get(name) ?? []), { read, labels }]);
		},
		text: () => registry.metrics(),
		values: () => registry.getMetricsAsJSON(),
	};
	watchProcess(meters);
	return meters;
}

type Readings = ReadonlyMap<string, readonly { read: () => number; labels: Labels }[]>;

function gauged(name: string, readings: Readings) {
	return function (this: Gauge): void {
		const read = readings.get(name);
		// The package begins at 0, which would be told of what nobody measures.
		if (!read) this.remove({});
		for (const one of read ?? []) this.set(one.labels, one.read());
	};
}

/** A total that something else counts. */
function counted(name: string, readings: Readings) {
	return function (this: Counter): void {
		const read = readings.get(name);
		if (!read) return;
		this.reset();
		for (const one of read) this.inc(one.labels, one.read());
	};
}

function watchProcess(meters: Meters): void {
	const started = performance.now();
	meters.gauge("process_resident_memory_bytes", () => process.memoryUsage.rss());
	meters.gauge("process_uptime_seconds", () => (performance.now() - started) / 1_000);
	meters.gauge("process_cpu_seconds_total", () => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1e6;
	});
}
/** Wraps the database and measures how long each read and change takes, and how many fail. */
export function measured(database: Database, meters: Meters): Database {
	meters.gauge("svc_database_writes_stalled_seconds", () => database.stalledMs() / 1_000);
	async function timed<T>(operation: "read" | "write", work: () => Promise<T>): Promise<T> {
		const startedMs = performance.now();
		try {
			return await work();
		} catch (error) {
			meters.count("svc_database_errors_total", { operation });
			throw error;
		} finally {
			const name = operation === "read" ? "svc_read_seconds" : "svc_commit_seconds";
			const ms = performance.now() - startedMs;
			meters.observe(name, ms / 1_000);
			if (ms > SLOW_MS) meters.count("svc_slow_queries_total", { operation });
		}
	}
	return {
		...database,
		read: (query) => timed("read", () => database.read(query)),
		rows: (sql, args, many) => timed("read", () => database.rows(sql, args, many)),
		write: (steps) => timed("write", () => database.write(steps)),
	};
}

/** Wraps the store of pictures in the same way. */
export function measuredStore(blobs: BlobStore, meters: Meters): BlobStore {
	async function timed<T>(operation: string, work: () => Promise<T>): Promise<T> {
		const startedMs = performance.now();
		try {
			return await work();
		} catch (error) {
			// What is too large, or no file at all, is the caller's fault.
			if (!(error instanceof Failure) || error.code === "upload_failed")
				meters.count("svc_store_errors_total", { operation });
			throw error;
		} finally {
			meters.observe("svc_store_seconds", (performance.now() - startedMs) / 1_000, { operation });
		}
	}
	const failedRead = async (cause: unknown) => {
		meters.count("svc_store_errors_total", { operation: "read" });
		return cause;
	};
	const { expected } = blobs;
	return {
		local: blobs.local,
		...(expected && {
			expected: (key, bytes) => {
				const blob = expected(key, bytes);
				return {
					...blob,
					read: () => timed("read", () => blob.read()),
					stream: (range) => explained(blob.stream(range), failedRead),
				};
			},
		}),
		stage: (chunks, maxBytes) => timed("stage", () => blobs.stage(chunks, maxBytes)),
		put: (key, staged) => timed("put", () => blobs.put(key, staged)),
		replace: (key, staged) => timed("replace", () => blobs.replace(key, staged)),
		find: (key) => timed("find", () => blobs.find(key)),
		remove: (key) => timed("remove", () => blobs.remove(key)),
		list: (prefix, after) => timed("list", () => blobs.list(prefix, after)),
		probe: () => timed("probe", () => blobs.probe()),
		sweepStaged: (beforeMs) => timed("sweep", () => blobs.sweepStaged(beforeMs)),
	};
}

/** How late timers fire, in seconds: what every request waits for besides its own work. */
export function watchLoopLag(meters: Meters, everyMs = 500): () => void {
	let lag = 0;
	meters.gauge("svc_event_loop_lag_seconds", () => lag);
	return timers.every(everyMs, (dueMs) => {
		lag = Math.max(0, performance.now() - dueMs) / 1_000;
	});
}
