import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { METERS } from "@svc/base/pace/meters";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

/* A collector that takes OTLP over HTTP, and the real program that sends to it. */

interface Sent {
	readonly path: string;
	readonly body: string;
}

interface Attribute {
	readonly key: string;
	readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface Span {
	readonly name: string;
	readonly traceId: string;
	readonly spanId: string;
	readonly parentSpanId?: string;
	readonly attributes: readonly Attribute[];
}

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const CALLER = "b7ad6b7169203331";
const sent: Sent[] = [];
const collector = Bun.serve({
	port: 0,
	async fetch(request) {
		sent.push({ path: new URL(request.url).pathname, body: await request.text() });
		return Response.json({});
	},
});
let server: ServerProcess;
let key = "";
let requestId = "";

beforeAll(async () => {
	server = await startProcess({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`, SVC_LOG: "info" });
	await server.ready();
	key = /svc_sk_test_[0-9A-Za-z]{38}/.exec(server.stdout())?.[0] ?? "";
	const body = new FormData();
	body.append("file", new Blob([await plain(20, 10)]), "a.png");
	const headers = { Authorization: `Bearer ${key}`, traceparent: `00-${TRACE}-${CALLER}-01` };
	const answer = await fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers });
	expect(answer.status).toBe(201);
	requestId = answer.headers.get("X-Request-Id") ?? "";
	const { id, url } = (await answer.json()) as { id: string; url: string };
	expect((await fetch(`${url}?w=9`)).status).toBe(200);
	expect(
		(await fetch(`${server.baseUrl}/v1/images/${id}`, { headers: { Authorization: `Bearer ${key}` } })).status,
	).toBe(200);
	await fetch(`${server.baseUrl}/account/undo/a-secret-of-somebody`);
	// What is left is sent before it ends.
	expect(await server.stop()).toBe(0);
});
afterAll(async () => {
	await collector.stop(true);
	await removeData(server.dataDir);
});

const bodies = (path: string) => sent.filter((one) => one.path === path).map(({ body }) => body);
const spans = () =>
	bodies("/v1/traces")
		.map((body) => JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] })
		.flatMap(({ resourceSpans }) =>
			resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
		);
const attribute = ({ attributes }: Span, name: string) => {
	const value = attributes.find(({ key: one }) => one === name)?.value;
	return value?.stringValue ?? value?.intValue;
};

describe("with a collector", () => {
	test("a request is a span in its caller's trace, named by its route, and the log names both", () => {
		const span = spans().find(({ parentSpanId }) => parentSpanId === CALLER);
		expect(span).toMatchObject({ name: "POST /v1/images", traceId: TRACE });
		if (!span) return;
		expect(attribute(span, "http.response.status_code")).toBe(201);
		expect(attribute(span, "svc.request_id")).toBe(requestId);
		const line = server
			.stderr()
			.split("\n")
			.find((one) => one.includes(requestId));
		expect(JSON.parse(line ?? "{}")).toMatchObject({ request_id: requestId, trace_id: TRACE, span_id: span.spanId });
	});

	test("what it waits for are spans within it: database and store", () => {
		const own = spans().find(({ parentSpanId }) => parentSpanId === CALLER)?.spanId;
		const names = spans()
			.filter(({ parentSpanId }) => parentSpanId === own)
			.map(({ name }) => name);
		for (const name of ["database read", "database commit", "store"]) expect(names).toContain(name);
	});

	test("no key, no path with a secret and no picture's address is in what is sent", () => {
		const all = sent.map(({ body }) => body).join("");
		expect(all).toContain("/account/undo/:token");
		for (const secret of [key, "a-secret-of-somebody", "img_"]) expect(all).not.toContain(secret);
	});

	test("every metric is sent under its name, with unit and kind", () => {
		const metrics = bodies("/v1/metrics")
			.map(
				(body) => JSON.parse(body) as { resourceMetrics: { scopeMetrics: { metrics: Record<string, unknown>[] }[] }[] },
			)
			.flatMap(({ resourceMetrics }) =>
				resourceMetrics.flatMap((one) => one.scopeMetrics.flatMap((scope) => scope.metrics)),
			);
		for (const [name, { kind }] of Object.entries(METERS)) {
			const found = metrics.find((one) => one.name === name);
			expect(Object.keys(found ?? {}), name).toContain(
				{ counter: "sum", gauge: "gauge", histogram: "histogram" }[kind],
			);
		}
	});
});

test("an address that takes nothing stops nothing, and is said once", async () => {
	const away = await startProcess({
		OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
		OTEL_METRIC_EXPORT_INTERVAL: "200",
	});
	await away.ready();
	await away.said("could not be sent");
	expect((await fetch(`${away.baseUrl}/readyz`)).status).toBe(200);
	expect(await away.stop()).toBe(0);
	expect(away.stderr().split("traces and metrics could not be sent")).toHaveLength(2);
	await removeData(away.dataDir);
});
