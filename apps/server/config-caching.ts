import type { Caching } from "@svc/cdn/ages";
import type { Reader } from "./variables.ts";

/* How long caches keep pictures. */

const YEAR_SECONDS = 31_536_000;
/** A delete shows everywhere after so long, where nobody is told of it. */
const UNPURGED_SECONDS = 300;

/** @throws nothing: what is wrong is noted in `read` */
export function readCaching(read: Reader): Caching {
	const maxAgeSeconds = readSeconds(read, "SVC_CDN_MAX_AGE") ?? UNPURGED_SECONDS;
	const shared = "SVC_CDN_SHARED_MAX_AGE";
	const sharedMaxAgeSeconds = readSeconds(read, shared);
	if ((sharedMaxAgeSeconds ?? 0) > UNPURGED_SECONDS) {
		read.fault(shared, `at most ${UNPURGED_SECONDS}: nothing tells the caches in front of a delete`);
	}
	return { maxAgeSeconds, sharedMaxAgeSeconds, surrogateKeys: false };
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
