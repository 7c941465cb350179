import {
	type Attributes,
	type Context,
	DiagLogLevel,
	diag,
	ROOT_CONTEXT,
	type Span,
	SpanKind,
	SpanStatusCode,
	type Tracer,
	trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import {
	BatchSpanProcessor,
	ParentBasedSampler,
	TraceIdRatioBasedSampler,
	TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log, LogFacts, Meters } from "@svc/base/ports";
import type { Dispatch } from "../door/listen.ts";
import type { PrometheusMeters } from "./meters.ts";
import { metricProducer } from "./telemetry-metrics.ts";

/*
 * Traces and metrics for OpenTelemetry. This file is loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set: without it nothing of it is in the
 * way of a request. The exporters read the other OTEL_… variables themselves.
 */

/** Durations that become spans of their own, within the request or chore that they belong to. */
const SPANS: Readonly<Record<string, string>> = {
	svc_read_seconds: "database read",
	svc_commit_seconds: "database commit",
	svc_store_seconds: "store",
	svc_cdn_render_seconds: "render",
};

const TOLD_EVERY_MS = 60_000;

export interface Telemetry {
	/** Begins a span with each request, as part of the caller's trace where its `traceparent` says so. */
	traced(handle: Dispatch): Dispatch;
	/** What is measured in a request is also told of its span. */
	watched(meters: PrometheusMeters): PrometheusMeters;
	/** Lines that are written in a request name its trace. */
	named(log: Log): Log;
	/** Sends the meters from now on. */
	send(meters: PrometheusMeters, read: () => Promise<void>): void;
	/** Sends what is left; never rejects. */
	close(): Promise<void>;
}

interface About {
	/** The service's, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES say otherwise. */
	readonly name: string;
	readonly version: string;
	/** How many of the traces that begin here are kept: 0 to 1. Those that a caller began are kept as the caller says. */
	readonly ratio: number;
	/** How often metrics are sent. */
	readonly everyMs: number;
}

export function openTelemetry(about: About, log: Log): Telemetry {
	tellFaults(log);
	const contexts = new AsyncLocalStorageContextManager().enable();
	const propagator = new W3CTraceContextPropagator();
	const resource = defaultResource()
		.merge(resourceFromAttributes({ "service.name": about.name, "service.version": about.version }))
		.merge(detectResources({ detectors: [envDetector] }));
	const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(about.ratio) });
	const spanProcessors = [new BatchSpanProcessor({ exporter: new OTLPTraceExporter() })];
	const spans = new TracerProvider({ resource, sampler, spanProcessors });
	const tracer = spans.getTracer("svc", about.version);
	const current = () => trace.getSpan(contexts.active());
	let sender: MeterProvider | undefined;
	return {
		traced: (handle) => (request, peer) => {
			const from = propagatedBy(propagator, request);
			const span = tracer.startSpan(request.method, { kind: SpanKind.SERVER }, from);
			return contexts.with(trace.setSpan(from, span), () => ended(span, request, () => handle(request, peer)));
		},
		watched: (meters) => ({ ...meters, observe: observing(meters, tracer, () => contexts.active()) }),
		named(log) {
			const at = (level: keyof Log) => (message: string, facts?: LogFacts) => {
				const span = current()?.spanContext();
				log[level](message, span ? { ...facts, trace_id: span.traceId, span_id: span.spanId } : facts);
			};
			return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
		},
		send(meters, read) {
			const reader = new PeriodicExportingMetricReader({
				exporter: new OTLPMetricExporter(),
				exportIntervalMillis: about.everyMs,
				exportTimeoutMillis: about.everyMs,
				metricProducers: [metricProducer(meters, read, resource)],
			});
			sender = new MeterProvider({ resource, readers: [reader] });
		},
		async close() {
			await Promise.allSettled([spans.shutdown(), sender?.shutdown()]);
		},
	};
}

/** What cannot be sent is dropped, and said once a minute at most. */
function tellFaults(log: Log): void {
	let toldMs = Number.NEGATIVE_INFINITY;
	const tell = (message: string) => {
		if (performance.now() - toldMs < TOLD_EVERY_MS) return;
		toldMs = performance.now();
		log.warn("traces and metrics could not be sent", { message });
	};
	const ignore = () => undefined;
	const logger = { error: tell, warn: ignore, info: ignore, debug: ignore, verbose: ignore };
	diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}

function propagatedBy(propagator: W3CTraceContextPropagator, { headers }: Request): Context {
	return propagator.extract(ROOT_CONTEXT, headers, {
		get: (carrier: Headers, name) => carrier.get(name) ?? undefined,
		keys: (carrier: Headers) => [...carrier.keys()],
	});
}

type Answering = Response | Promise<Response>;

/** The path stays out: it may hold secrets. The route, where there is one, comes with what is measured of the request. */
function ended(span: Span, { method, url }: Request, answer: () => Answering): Answering {
	const { host } = new URL(url);
	span.setAttributes({ "http.request.method": method, "server.address": host });
	const finish = (response: Response) => {
		span.setAttributes({
			"http.response.status_code": response.status,
			"svc.request_id": response.headers.get("x-request-id") ?? "",
		});
		if (response.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
		span.end();
		return response;
	};
	const fail = (cause: unknown): never => {
		span.setStatus({ code: SpanStatusCode.ERROR, message: String(cause) });
		span.end();
		throw cause;
	};
	try {
		const answering = answer();
		return answering instanceof Promise ? answering.then(finish, fail) : finish(answering);
	} catch (cause) {
		return fail(cause);
	}
}

function observing(meters: Meters, tracer: Tracer, active: () => Context): Meters["observe"] {
	return (name, seconds, labels) => {
		meters.observe(name, seconds, labels);
		const within = active();
		const span = trace.getSpan(within);
		if (!span?.isRecording()) return;
		if (name === "svc_request_seconds") nameOf(span, labels);
		const part = SPANS[name];
		if (part === undefined) return;
		const endedMs = Date.now();
		const attributes: Attributes = { ...labels };
		tracer.startSpan(part, { startTime: endedMs - seconds * 1_000, attributes }, within).end(endedMs);
	};
}

function nameOf(span: Span, { host = "", route = "" }: Readonly<Record<string, string>> = {}): void {
	span.setAttributes({ "http.route": route, "svc.host": host });
	// Until then it is named by its method.
	if (route !== "" && "name" in span) span.updateName(`${String(span.name)} ${route}`);
}
