import type { Caching } from "@svc/cdn/ages";
import { PURGE_FORMS, type PurgeTarget, parsePurgeUrl } from "@svc/purging/target";
import { tuned } from "./tuning.ts";
import type { VariableReader } from "./variables.ts";

/* How long caches keep pictures, and which of them are told when that is too long. */

const YEAR_SECONDS = 31_536_000;
/** A delete shows everywhere after so long, where nobody is told of it. */
const UNPURGED_SECONDS = 300;

/** For the caches in front, where they are told. */
const PURGED_SECONDS = 86_400;

/** How often a day a rendition is asked for before a dearer encoder is worth its bytes: where caches in front answer most requests, few come here. */
const OFTEN = { alone: 50, behindCaches: 3 };

export interface CachingConfig {
	readonly caching: Caching;
	/** How often a day a rendition is asked for before it is made once more in fewer bytes; 0: never. */
	readonly compactAfter: number;
	/** Undefined: no cache is told of anything. */
	readonly purge: PurgeTarget | undefined;
}

export function readCaching(read: VariableReader): CachingConfig {
	const purge = readPurge(read);
	const maxAgeSeconds = readSeconds(read, "SVC_CDN_MAX_AGE") ?? UNPURGED_SECONDS;
	const shared = tuned("cdn_shared_max_age");
	const sharedMaxAgeSeconds = readSeconds(read, shared) ?? (purge && PURGED_SECONDS);
	if (!purge && (sharedMaxAgeSeconds ?? 0) > UNPURGED_SECONDS) {
		read.fault(
			shared,
			`at most ${UNPURGED_SECONDS} while SVC_PURGE is off: nothing tells the caches in front of a delete`,
		);
	}
	const often = sharedMaxAgeSeconds === undefined ? OFTEN.alone : OFTEN.behindCaches;
	const compactAfter = read.integer(tuned("compact_after"), often, 0);
	return {
		...{ caching: { maxAgeSeconds, sharedMaxAgeSeconds, surrogateKeys: purge?.kind === "fastly" }, purge },
		compactAfter,
	};
}

function readPurge(read: VariableReader): PurgeTarget | undefined {
	const sent = read.text("SVC_PURGE", "off");
	const token = read.optional("SVC_PURGE_TOKEN");
	if (sent === "off") return undefined;
	const target = parsePurgeUrl(sent);
	if (!target) {
		read.fault("SVC_PURGE", PURGE_FORMS);
		return undefined;
	}
	if (token === undefined ? target.kind !== "http" : !/^[!-~]+$/.test(token)) {
		read.fault("SVC_PURGE_TOKEN", "a token that may purge, without spaces");
	}
	return { ...target, token };
}

function readSeconds(read: VariableReader, name: string): number | undefined {
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
