import { setTimeout } from "node:timers/promises";
import { Failure } from "@svc/base/failure";
import { isCutOff } from "@svc/base/http/cut-off";
import { networkOf } from "@svc/base/http/network";
import { isTurnTaken, takeTurn } from "@svc/base/pace/turns";
import type { Log } from "@svc/base/ports";
import type { Config } from "../config/config.ts";
import type { ListenAddress } from "../config/config-types.ts";
import { bunListener } from "../runtime/bun-listener.ts";
import type { Listener, RefusedStatus } from "../runtime/listener.ts";
import { nodeListener } from "../runtime/node-listener.ts";
import { canonical, clientAddresses, type Peer, rememberPeer } from "./client-address.ts";
import { compressing } from "./compression.ts";
import { boundedInFlight } from "./in-flight.ts";
import { isProbe } from "./probes.ts";
import { refusal } from "./refusal.ts";
import { type RequestWaits, requestWaits } from "./request-waits.ts";

type Handle = (request: Request) => Response | Promise<Response>;

export type Dispatch = (request: Request, peer?: Peer) => Response | Promise<Response>;

/** The handlers of the three addresses, and of the probes at all of them. */
export interface Sites {
	readonly probes: Handle;
	readonly api: Handle;
	readonly pages: Handle;
	readonly cdn: Handle;
	/** The one of an App alone, where a Host is its own. */
	readonly cdnOf?: (host: string) => Handle | undefined;
	/** What the last one has answered before, where that is all there is to do. */
	readonly cdnAgain: (request: Request) => Response | undefined;
}

export interface Listening {
	/** The ports that were really bound, in the order asked for. */
	readonly ports: readonly number[];
	/** The connections on which a request is being answered, as `address port`. */
	busy(): ReadonlySet<string>;
	/** From now on each answer ends its connection, and says so; new connections are still taken. */
	drain(): void;
	/** Takes no new connections, lets what is under way finish for at most `graceMs` or until `hurry` aborts, then cuts. */
	stop(graceMs: number, hurry?: AbortSignal): Promise<void>;
}

type Door = Pick<Config, "baseUrl" | "webUrl" | "cdnUrl" | "proxyTrust">;

/** Longer than balancers keep a connection by default, which is 60 seconds at AWS and in nginx: whoever closes second loses no request. */
const IDLE_TIMEOUT_SECONDS = 75;
const YEAR_SECONDS = 31_536_000;
/** Of a request's address and its headers, each with the colon, the space and the end of the line. */
const HEAD_MAX_BYTES = 16_384;
const HEADER_EXTRA = 4;
/** Past this the runtime refuses; what is between is refused where CORS and the like are known. */
const RUNTIME_HEAD_MAX_BYTES = 65_536;

/** These paths are the API's where the API and the pages share a host. */
const API_PATHS = /^\/(v\d+(\/|$)|openapi\.json$|llms\.txt$|mcp$|docs(\/|$))/;

/**
 * Sends a request to the site whose address it names. An unknown Host is refused before any routing, but for probes. Of many requests that come at once
 * those that a turn has no room for are begun in a later one, those of each network in turn. Probes wait for none, nor does what costs no more than waiting:
 * a kept picture would stand behind changes, each of which makes a turn long.
 */
export function dispatcher(config: Door, sites: Sites, waits: RequestWaits = requestWaits()): Dispatch {
	const hosts = sitesByHost(config, sites);
	const probes: Site = { handle: sites.probes, peerOf: asked };
	const addressOf = clientAddresses(config.proxyTrust);

	async function handleLater({ handle }: Site, request: Request, peer: Peer | undefined): Promise<Response> {
		// Its connection may have ended by then.
		if (peer) rememberPeer(request, asked(peer));
		await waits.note(takeTurn(networkOf(addressOf(request), 56)));
		return await handle(request);
	}

	/** Made for each request: those of an App's own host change while the service runs. */
	function appHost(host: string): Site | undefined {
		const handle = sites.cdnOf?.(host.replace(/\.(?=:|$)/, ""));
		return handle && { handle: secured(config.cdnUrl, handle), peerOf: (of) => of };
	}

	function begin(site: Site, request: Request, peer: Peer | undefined): Response | Promise<Response> {
		if (site !== probes && isTurnTaken()) return handleLater(site, request, peer);
		if (peer) rememberPeer(request, site.peerOf(peer));
		return site.handle(request);
	}

	return (request, peer) => {
		const host = request.headers.get("host")?.toLowerCase() ?? "";
		const named = hosts.get(host) ?? appHost(host);
		const again = named?.again?.(request);
		if (again) return again;
		const site = isProbe(request.url) ? probes : named;
		// A CONNECT names a host and no path: there is no address in it to route.
		if (!site || (site !== probes && !request.url.startsWith("http"))) return misdirected();
		return begin(site, request, peer);
	};
}

interface Site {
	readonly handle: Handle;
	readonly again?: Sites["cdnAgain"];
	/** How a request's peer is remembered. */
	readonly peerOf: (peer: Peer) => Peer;
}

function sitesByHost(
	{ baseUrl, webUrl, cdnUrl, proxyTrust }: Door,
	{ api, pages, cdn, cdnAgain }: Sites,
): Map<string, Site> {
	const hosts = new Map<string, Site>();
	const add = (origin: string, handle: Handle, more: Omit<Site, "handle">) => {
		for (const host of hostsOf(origin)) hosts.set(host, { handle: secured(origin, handle), ...more });
	};
	const together = hostsOf(baseUrl).some((host) => hostsOf(webUrl).includes(host));
	const within = (handle: Handle) => bounded(boundedInFlight(compressing(handle), clientAddresses(proxyTrust)));
	add(webUrl, within(pages), { peerOf: asked });
	add(baseUrl, within(together ? sharedHost(api, pages) : api), { peerOf: asked });
	// A kept answer of the transform host comes so fast that asking for the peer and looking through all headers would be a good part of it.
	add(cdnUrl, cdn, { peerOf: (peer) => peer, again: secured(cdnUrl, cdnAgain) });
	return hosts;
}

/** Asked at once, because a connection that is gone later says nothing. */
function asked(peer: Peer): Peer {
	const address = peer();
	return () => address;
}

/** A browser that has seen an https origin of ours never again asks there without. */
function secured<Answered extends Response | Promise<Response> | undefined>(
	origin: string,
	handle: (request: Request) => Answered,
): (request: Request) => Answered {
	if (!origin.startsWith("https:")) return handle;
	const mark = <Ready extends Response | undefined>(answer: Ready) => {
		answer?.headers.set("Strict-Transport-Security", `max-age=${YEAR_SECONDS}`);
		return answer;
	};
	return (request) => {
		const answer = handle(request);
		return (answer instanceof Promise ? answer.then(mark) : mark(answer)) as Answered;
	};
}

/** Refuses what is too large to be looked at, in the envelope. */
function bounded(handle: Handle): Handle {
	return (request) => {
		let size = request.url.length;
		for (const [name, value] of request.headers) size += name.length + value.length + HEADER_EXTRA;
		if (size <= HEAD_MAX_BYTES) return handle(request);
		const message = `The address and the headers of a request have ${HEAD_MAX_BYTES} bytes together at most.`;
		return refusal(Failure.saying("bad_request", message), 431);
	};
}

/** The API and the pages share a host: a path that neither knows is refused in the form that the caller reads. */
function sharedHost(api: Handle, pages: Handle): Handle {
	return async (request) => {
		if (API_PATHS.test(pathOf(request.url))) return api(request);
		const answer = await pages(request);
		if (request.headers.get("accept")?.includes("text/html")) return answer;
		if (answer.status === 404) return api(request);
		return answer.status === 405 ? wrongMethod(answer.headers.get("allow") ?? "GET") : answer;
	};
}

function wrongMethod(allow: string): Response {
	const failure = Failure.saying("bad_request", `This address takes ${allow}.`);
	return refusal(failure, 405, { Allow: allow });
}

/** The Host headers that mean an origin: on loopback all of its names do, so that a typed 127.0.0.1 works. */
function hostsOf(origin: string): string[] {
	const url = new URL(origin);
	const port = url.port ? `:${url.port}` : "";
	const loopback = ["localhost", "127.0.0.1", "[::1]"];
	return loopback.includes(url.hostname) ? loopback.map((name) => name + port) : [url.host];
}

function pathOf(url: string): string {
	const start = url.indexOf("/", url.indexOf("://") + 3);
	const end = url.search(/[?#]/);
	return url.slice(start, end === -1 ? undefined : end);
}

function misdirected(): Response {
	const failure = Failure.saying("bad_request", "This service does not answer for this Host.");
	return refusal(failure, 421);
}

const openListener = process.versions.bun === undefined ? nodeListener : bunListener;

const REFUSED: Readonly<Record<RefusedStatus, string>> = {
	400: "This is no request of HTTP 1.1 (RFC 9112).",
	405: "No address takes this method.",
	408: "The request did not come whole in time.",
	413: "The framing of this body is larger than what is in it.",
	417: "No expectation is met but 100-continue.",
	421: "This service does not answer for this Host.",
	431: `The address and the headers of a request have ${HEAD_MAX_BYTES} bytes together at most.`,
	505: "This service speaks HTTP 1.1.",
};

/** @throws Error where an address cannot be listened at */
export async function listen(addresses: readonly ListenAddress[], handle: Dispatch, log: Log): Promise<Listening> {
	let draining = false;
	const running = new Set<Request>();

	/** The runtime ends the connection after an answer with this header. */
	function finish(request: Request, answer: Response): Response {
		if (draining || isCutOff(request)) answer.headers.set("Connection", "close");
		return answer;
	}

	async function finishLater(request: Request, answer: Promise<Response>): Promise<Response> {
		running.add(request);
		try {
			return finish(request, await answer);
		} finally {
			running.delete(request);
		}
	}

	function open({ hostname, port }: ListenAddress): Promise<Listener> {
		return openListener({
			hostname,
			port,
			idleSeconds: IDLE_TIMEOUT_SECONDS,
			headMaxBytes: RUNTIME_HEAD_MAX_BYTES,
			fetch(request, peer) {
				const answer = handle(request, peer);
				return answer instanceof Promise ? finishLater(request, answer) : finish(request, answer);
			},
			failed(cause) {
				log.error("a request failed outside every handler", { cause });
				return refusal(new Failure("server_error"), 500);
			},
			refused: (status) => refusal(Failure.saying("bad_request", REFUSED[status]), status),
		});
	}

	const listeners: Listener[] = [];
	try {
		for (const address of addresses) listeners.push(await open(address));
	} catch (cause) {
		await Promise.all(listeners.map((listener) => listener.stop(true)));
		throw cause;
	}
	return {
		ports: listeners.map(({ port }) => port),
		busy() {
			const peers = [...running].map((request) => listeners.map((one) => one.peerOf(request)).find((peer) => peer));
			return new Set(peers.map((peer) => (peer ? `${canonical(peer.address)} ${peer.port}` : "")));
		},
		drain() {
			draining = true;
		},
		async stop(graceMs, hurry) {
			draining = true;
			const closed = Promise.all(listeners.map((listener) => listener.stop()));
			const deadline = performance.now() + graceMs;
			const isBusy = () => listeners.some(({ pending }) => pending > 0);
			while (isBusy() && performance.now() < deadline && !hurry?.aborted) await setTimeout(20);
			await Promise.all(listeners.map((listener) => listener.stop(true)));
			await closed;
		},
	};
}
