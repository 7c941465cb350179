import type { Database } from "@svc/base/database/client";
import type { Meters } from "@svc/base/ports";
import { Counter, Gauge, Histogram, Registry } from "prom-client";

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export interface PrometheusMeters extends Meters {
	/** The text that Prometheus reads. */
	text(): Promise<string>;
}

/** Metrics come into being with their first use; what they mean is in their name. */
export function prometheusMeters(): PrometheusMeters {
	const registry = new Registry();
	const registers = [registry];
	const counters = new Map<string, Counter>();
	const histograms = new Map<string, Histogram>();
	const gauges = new Map<string, { read: () => number; labels: Readonly<Record<string, string>> }[]>();

	const meters: PrometheusMeters = {
		count(name, labels = {}, by = 1) {
			const made = counters.get(name) ?? new Counter({ name, help: name, labelNames: Object.keys(labels), registers });
			counters.set(name, made);
			made.inc(labels, by);
		},
		observe(name, value, labels = {}) {
			const made =
				histograms.get(name) ??
				new Histogram({ name, help: name, labelNames: Object.keys(labels), buckets: SECONDS, registers });
			histograms.set(name, made);
			made.observe(labels, value);
		},
		gauge(name, read, labels = {}) {
			const others = gauges.get(name);
			if (others) {
				others.push({ read, labels });
				return;
			}
			const readings = [{ read, labels }];
			gauges.set(name, readings);
			new Gauge({
				name,
				help: name,
				labelNames: Object.keys(labels),
				registers,
				collect() {
					for (const one of readings) this.set(one.labels, one.read());
				},
			});
		},
		text: () => registry.metrics(),
	};
	const started = performance.now();
	meters.gauge("process_resident_memory_bytes", () => process.memoryUsage.rss());
	meters.gauge("process_uptime_seconds", () => (performance.now() - started) / 1_000);
	meters.gauge("process_cpu_seconds", () => {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1e6;
	});
	return meters;
}

/** Wraps the database and measures how long each change takes until it is durable, or refused. */
export function measured(database: Database, meters: Meters): Database {
	return {
		...database,
		async write(steps) {
			const startedMs = performance.now();
			try {
				return await database.write(steps);
			} finally {
				meters.observe("svc_commit_seconds", (performance.now() - startedMs) / 1_000);
			}
		},
	};
}

/** How late timers fire, in seconds: what every request waits for besides its own work. */
export function watchLoopLag(meters: Meters, everyMs = 500): () => void {
	let lag = 0;
	let due = performance.now() + everyMs;
	const timer = setInterval(() => {
		lag = Math.max(0, performance.now() - due) / 1_000;
		due = performance.now() + everyMs;
	}, everyMs);
	meters.gauge("svc_event_loop_lag_seconds", () => lag);
	return () => clearInterval(timer);
}
