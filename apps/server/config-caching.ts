import type { Caching } from "@svc/cdn/ages";
import { PURGE_KINDS, PURGE_METHODS, type PurgeTarget, TAG } from "@svc/purging/target";
import type { Reader } from "./variables.ts";

/* How long caches keep pictures, and which of them are told when that is too long. */

const YEAR_SECONDS = 31_536_000;
/** A delete shows everywhere after so long, where nobody is told of it. */
const UNPURGED_SECONDS = 300;

/** For the caches in front, where they are told. */
const PURGED_SECONDS = 86_400;

export interface CachingConfig {
	readonly caching: Caching;
	/** Undefined: no cache is told of anything. */
	readonly purge: PurgeTarget | undefined;
}

export function readCaching(read: Reader): CachingConfig {
	const purge = readPurge(read);
	const maxAgeSeconds = readSeconds(read, "SVC_CDN_MAX_AGE") ?? UNPURGED_SECONDS;
	const shared = "SVC_CDN_SHARED_MAX_AGE";
	const sharedMaxAgeSeconds = readSeconds(read, shared) ?? (purge && PURGED_SECONDS);
	if (!purge && (sharedMaxAgeSeconds ?? 0) > UNPURGED_SECONDS) {
		read.fault(
			shared,
			`at most ${UNPURGED_SECONDS} while SVC_PURGE is off: nothing tells the caches in front of a delete`,
		);
	}
	return { caching: { maxAgeSeconds, sharedMaxAgeSeconds, surrogateKeys: purge?.kind === "fastly" }, purge };
}

function readPurge(read: Reader): PurgeTarget | undefined {
	const kind = read.oneOf("SVC_PURGE", ["off", ...PURGE_KINDS], "off");
	if (kind === "off") {
		read.unused(["SVC_PURGE_URL", "SVC_PURGE_TOKEN", "SVC_PURGE_METHOD"]);
		return undefined;
	}
	const url = read.optional("SVC_PURGE_URL") ?? "";
	const token = read.optional("SVC_PURGE_TOKEN");
	const method = read.oneOf("SVC_PURGE_METHOD", PURGE_METHODS, "POST");
	if (!isAddress(url)) read.fault("SVC_PURGE_URL", URLS[kind]);
	if (token === undefined ? kind !== "http" : !/^[!-~]+$/.test(token)) {
		read.fault("SVC_PURGE_TOKEN", "a token that may purge, without spaces");
	}
	if (kind !== "http" && method !== "POST") read.fault("SVC_PURGE_METHOD", "POST, but for SVC_PURGE=http");
	if (method === "GET" && !url.includes(TAG))
		read.fault("SVC_PURGE_METHOD", `GET only where SVC_PURGE_URL has ${TAG} in it`);
	return { kind, url, token, method };
}

const URLS = {
	cloudflare: "https://api.cloudflare.com/client/v4/zones/<id of the zone>/purge_cache",
	fastly: "https://api.fastly.com/service/<id of the service>/purge",
	http: `the http:// or https:// address of the cache, with ${TAG} in it where each tag is to be a call`,
} as const;

/** Braces and brackets of a form that nobody has filled in are no address. */
function isAddress(url: string): boolean {
	const parsed = URL.parse(url.replaceAll(TAG, "t"));
	return (
		parsed !== null &&
		/^https?:$/.test(parsed.protocol) &&
		!parsed.username &&
		!/[<>{}\s]/.test(url.replaceAll(TAG, ""))
	);
}

function readSeconds(read: Reader, name: string): number | undefined {
	if (!read.isSet(name)) {
		read.unused([name]);
		return undefined;
	}
	const seconds = read.integer(name, 0, 0);
	if (seconds > YEAR_SECONDS) read.fault(name, `at most ${YEAR_SECONDS}`);
	return seconds;
}

/** What whoever runs the service should know of its ages. */
export function cachingWarning({ maxAgeSeconds }: Caching): string | undefined {
	if (maxAgeSeconds <= UNPURGED_SECONDS) return undefined;
	return `SVC_CDN_MAX_AGE is ${maxAgeSeconds}: browsers cannot be purged, and may show a deleted picture for so many seconds`;
}
