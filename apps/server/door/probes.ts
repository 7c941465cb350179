import type { Readiness } from "@svc/api/kit/rooms";
import { isSameSecret } from "@svc/base/crypto/secrets";
import { Failure } from "@svc/base/failure";
import { bodiless } from "@svc/base/http/bodiless";
import type { MetricsConfig } from "../config/config-door.ts";
import { isLoopback, peerAddress } from "./client-address.ts";
import { refusal } from "./refusal.ts";

/* What balancers and Prometheus ask. They call by address, so these paths answer whatever the Host is. */

/** A request without a Host, as balancers send it over HTTP/1.0, has a path alone for an address. */
const PROBE = /^(?:https?:\/\/[^/?#]*)?\/(healthz|readyz|metrics|tls\/ask)(?:[?#]|$)/;
const HEADERS = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

export interface ProbeParts {
	readonly metrics: MetricsConfig;
	readonly readiness: () => Promise<Readiness>;
	/** The text that Prometheus reads. */
	readonly metricsText: () => Promise<string>;
	readonly addressOf: (request: Request) => string;
	/** Whether an App's images are served at this host. */
	readonly isImageHost: (host: string) => boolean;
	/** Whether it is one of the proxies that are trusted. */
	readonly isProxy: (address: string) => boolean;
}

export interface Probes {
	/** At the addresses of the service. */
	readonly atService: (request: Request) => Promise<Response>;
	/** At the address that is for metrics alone. */
	readonly atMetrics: (request: Request) => Promise<Response>;
}

export function isProbe(url: string): boolean {
	return PROBE.test(url);
}

export function openProbes(parts: ProbeParts): Probes {
	const { metrics } = parts;
	const isOpen = metrics.listen ? () => false : mayRead(parts);
	return {
		atService: (request) => answer(parts, request, { metrics: isOpen, "tls/ask": mayAsk(parts) }),
		atMetrics: (request) => answer(parts, request, {}),
	};
}

/** Who may know that there are metrics; the token is asked for afterwards. */
function mayRead({ metrics, addressOf }: ProbeParts): (request: Request) => boolean {
	if (metrics.token !== undefined || metrics.open) return () => true;
	// A proxy on this machine is a loopback peer too, and calls for everybody.
	return (request) => isLoopback(peerAddress(request)) && isLoopback(addressOf(request));
}

/** Whoever makes certificates on demand. What comes by a proxy is asked by whom that names: strangers are not to learn which hosts there are. */
function mayAsk({ addressOf, isProxy }: ProbeParts): (request: Request) => boolean {
	return (request) => isLoopback(addressOf(request)) || isProxy(addressOf(request));
}

/** Who may ask what, by its name; the rest everybody may. */
type Asks = Readonly<Record<string, (request: Request) => boolean>>;

async function answer(parts: ProbeParts, request: Request, may: Asks): Promise<Response> {
	const name = PROBE.exec(request.url)?.[1];
	if (name === undefined || may[name]?.(request) === false) {
		return refusal(new Failure("not_found"), 404);
	}
	if (request.method !== "GET" && request.method !== "HEAD") {
		return refusal(Failure.saying("bad_request", "This address takes GET, HEAD."), 405, { Allow: "GET, HEAD" });
	}
	const response = await probe(parts, request, name);
	return request.method === "HEAD" ? await bodiless(response) : response;
}

async function probe(parts: ProbeParts, request: Request, name: string): Promise<Response> {
	if (name === "healthz")
		return new Response("ok\n", { headers: { ...HEADERS, "Content-Type": "text/plain; charset=utf-8" } });
	if (name === "tls/ask") {
		const host = new URL(request.url).searchParams.get("domain")?.toLowerCase().replace(/\.$/, "") ?? "";
		if (!parts.isImageHost(host)) return refusal(new Failure("not_found"), 404);
		return new Response("ok\n", { headers: { ...HEADERS, "Content-Type": "text/plain; charset=utf-8" } });
	}
	if (name === "readyz") {
		const readiness = await parts.readiness();
		return Response.json(readiness, { status: readiness.ready ? 200 : 503, headers: HEADERS });
	}
	if (!(await hasToken(request, parts.metrics.token))) {
		const failure = Failure.saying("unauthorized", "Send SVC_METRICS_TOKEN: Authorization: Bearer <token>.");
		return refusal(failure, 401, { "WWW-Authenticate": "Bearer" });
	}
	const headers = { ...HEADERS, "Content-Type": "text/plain; version=0.0.4; charset=utf-8" };
	return new Response(await parts.metricsText(), { headers });
}

async function hasToken(request: Request, token: string | undefined): Promise<boolean> {
	if (token === undefined) return true;
	const sent = /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1];
	return sent !== undefined && (await isSameSecret(token, sent));
}
