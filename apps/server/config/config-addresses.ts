import type { ListenAddress } from "./config-types.ts";
import type { VariableReader } from "./variables.ts";

/* Where the service is reached, and where it listens. */

interface Origins {
	/** Without a trailing slash. */
	readonly baseUrl: string;
	readonly webUrl: string;
	readonly cdnUrl: string;
}

export interface AddressConfig extends Origins {
	readonly listen: readonly ListenAddress[];
	/** The variable that chooses the ports, for whoever finds one of them taken. */
	readonly portsFrom: string;
}

const ORIGINS = ["SVC_BASE_URL", "SVC_WEB_URL", "SVC_CDN_URL"] as const;
const DEFAULT_PORT = 3_000;
const MOST_PORT = 65_535;
const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;
const EVERY_INTERFACE = /^(0\.0\.0\.0|::)$/;

/**
 * `PORT` alone moves both addresses: the images are on the next port. Beside public addresses it is the one port of all of them, as hosts
 * mean it. From `SVC_LISTEN` alone the addresses are made.
 */
export function readAddresses(read: VariableReader): AddressConfig {
	const port = readPort(read);
	const sent = read.listen("SVC_LISTEN");
	const isNamed = ORIGINS.some((name) => read.isSet(name));
	if (isNamed && port !== undefined && !sent) requireHosts(read);
	const origins = readOrigins(read, isNamed ? onPorts(DEFAULT_PORT) : defaults(read, port, sent));
	const own = isNamed && port !== undefined ? [{ hostname: hostnameOf(origins), port }] : listenFrom(origins);
	const otherwise = isNamed && port === undefined ? ORIGINS.join(", ") : "PORT";
	return { ...origins, listen: sent ?? own, portsFrom: sent ? "SVC_LISTEN" : otherwise };
}

function readPort(read: VariableReader): number | undefined {
	if (read.optional("PORT") === undefined) return undefined;
	const port = read.integer("PORT", DEFAULT_PORT, 1);
	// The next one has to be a port as well.
	if (port >= MOST_PORT) read.fault("PORT", `a port below ${MOST_PORT}`);
	return read.isAtFault("PORT") ? undefined : port;
}

/** On one port it is the Host that tells the images from the rest. */
function requireHosts(read: VariableReader): void {
	for (const name of ["SVC_BASE_URL", "SVC_CDN_URL"]) {
		if (!read.isSet(name))
			read.fault(name, "an address of its own, since with PORT and public addresses all share one port");
	}
}

function readOrigins(read: VariableReader, [api, images]: readonly [string, string]): Origins {
	const baseUrl = read.origin("SVC_BASE_URL", api);
	const webUrl = read.origin("SVC_WEB_URL", baseUrl);
	const cdnUrl = read.origin("SVC_CDN_URL", images);
	if (cdnUrl === webUrl || cdnUrl === baseUrl) {
		read.fault(
			"SVC_CDN_URL",
			"another origin than SVC_BASE_URL and SVC_WEB_URL, so that stored bytes never share one with cookies",
		);
	}
	return { baseUrl, webUrl, cdnUrl };
}

function defaults(
	read: VariableReader,
	port: number | undefined,
	sent: readonly ListenAddress[] | undefined,
): readonly [string, string] {
	const [api, images] = sent ?? [];
	if (!api || sent?.some((place) => place.port === 0)) return onPorts(port ?? DEFAULT_PORT);
	if (images) return [originOf(api), originOf(images)];
	read.fault("SVC_LISTEN", "two of host:port, the API's and the images', unless SVC_BASE_URL and SVC_CDN_URL are set");
	return onPorts(DEFAULT_PORT);
}

function onPorts(api: number): readonly [string, string] {
	return [`http://localhost:${api}`, `http://localhost:${api + 1}`];
}

function originOf({ hostname, port }: ListenAddress): string {
	const host = hostname.includes(":") ? `[${hostname}]` : hostname;
	return `http://${EVERY_INTERFACE.test(hostname) || LOOPBACK.test(host) ? "localhost" : host}:${port}`;
}

function hostnameOf({ baseUrl, webUrl, cdnUrl }: Origins): string {
	const all = [baseUrl, webUrl, cdnUrl].map((origin) => URL.parse(origin)?.hostname ?? "");
	return all.every((host) => LOOPBACK.test(host)) ? "127.0.0.1" : "0.0.0.0";
}

/** Loopback names listen on loopback; anything else is meant to be reached from outside. One entry per port. */
function listenFrom({ baseUrl, webUrl, cdnUrl }: Origins): ListenAddress[] {
	const byPort = new Map<number, ListenAddress>();
	for (const origin of [baseUrl, webUrl, cdnUrl]) {
		const url = URL.parse(origin);
		if (!url) continue;
		const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
		const isLocal = LOOPBACK.test(url.hostname) && byPort.get(port)?.hostname !== "0.0.0.0";
		byPort.set(port, { hostname: isLocal ? "127.0.0.1" : "0.0.0.0", port });
	}
	return [...byPort.values()];
}
