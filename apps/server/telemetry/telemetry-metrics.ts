import { type HrTime, ValueType } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
	AggregationTemporality,
	DataPointType,
	type MetricData,
	type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import { METERS } from "@svc/base/pace/meters";
import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from "prom-client";
import type { PrometheusMeters } from "./meters.ts";

/* The same metrics that Prometheus reads, as OpenTelemetry has them. */

type Read = MetricObjectWithValues<MetricValue<string>>;

/** @param read is awaited before: it looks at what costs a query */
export function metricProducer(
	meters: PrometheusMeters,
	read: () => Promise<void>,
	resource: Resource,
): MetricProducer {
	const startTime = hrTime(Date.now());
	return {
		async collect() {
			await read();
			const endTime = hrTime(Date.now());
			const values = await meters.values();
			const metrics = values.map((metric) => dataOf(metric, { startTime, endTime }));
			return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: "svc" }, metrics }] }, errors: [] };
		},
	};
}

interface Span {
	readonly startTime: HrTime;
	readonly endTime: HrTime;
}

function dataOf({ name, help, values }: Read, span: Span): MetricData {
	const unit = name.endsWith("_bytes") ? "By" : name.includes("_seconds") ? "s" : "1";
	const descriptor = { name, description: help, unit, valueType: ValueType.DOUBLE };
	const common = { descriptor, aggregationTemporality: AggregationTemporality.CUMULATIVE };
	const kind = METERS[name as keyof typeof METERS].kind;
	if (kind === "histogram") {
		return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, span) };
	}
	const dataPoints = values.map(({ labels, value }) => ({ ...span, attributes: { ...labels }, value }));
	return kind === "counter"
		? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
		: { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus has a value for each bound, with all below it; OpenTelemetry a list of what lies between them. */
function histograms(values: readonly MetricValue<string>[], span: Span) {
	const series = new Map<
		string,
		{ labels: Record<string, string>; boundaries: number[]; upTo: number[]; sum: number; count: number }
	>();
	for (const { labels, value, metricName = "" } of values as readonly MetricValueWithName<string>[]) {
		const { le, ...own } = labels as Record<string, string | number>;
		const attributes = Object.fromEntries(Object.entries(own).map(([label, text]) => [label, String(text)]));
		const key = JSON.stringify(attributes);
		const one = series.get(key) ?? { labels: attributes, boundaries: [], upTo: [], sum: 0, count: 0 };
		series.set(key, one);
		if (metricName.endsWith("_sum")) one.sum = value;
		else if (metricName.endsWith("_count")) one.count = value;
		else {
			one.upTo.push(value);
			if (Number.isFinite(Number(le))) one.boundaries.push(Number(le));
		}
	}
	return [...series.values()].map(({ labels, boundaries, upTo, sum, count }) => {
		const counts = upTo.map((total, place) => total - (upTo[place - 1] ?? 0));
		return { ...span, attributes: labels, value: { buckets: { boundaries, counts }, sum, count } };
	});
}

function hrTime(ms: number): HrTime {
	return [Math.floor(ms / 1_000), (ms % 1_000) * 1e6];
}
