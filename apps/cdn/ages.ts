import type { Image } from "@svc/images/images";
import type { Rendition } from "./renditions/rendition.ts";

/** How long caches may keep answers. */
export interface Caching {
	/** Of all caches, browsers too, which nobody can purge. */
	readonly maxAgeSeconds: number;
	/** Of the caches in front of this host alone; undefined where they are told nothing of their own. */
	readonly sharedMaxAgeSeconds: number | undefined;
	/** Whether the tags are sent as `Surrogate-Key` as well. */
	readonly surrogateKeys: boolean;
}

/** What is answered about, and when. */
interface Shown {
	readonly image: Image;
	readonly rendition: Rendition;
	readonly caching: Caching;
	readonly nowMs: number;
	/** When the signature of the address ends, in seconds since 1970. */
	readonly exp?: number | undefined;
}

/** How long an old answer may be shown while a new one is fetched, and while there is none to be had. */
const WHILE_REVALIDATE_SECONDS = 60;
const IF_ERROR_SECONDS = 86_400;

/**
 * The answer is fresh until the first of the visible images expires, or the signature, and old answers are not shown beyond that either.
 * @param briefSeconds where the answer may be another one in a moment: no cache keeps it for longer, or shows it when it is old
 */
export function ageHeaders(shown: Shown, briefSeconds?: number): Record<string, string> {
	const { maxAgeSeconds, sharedMaxAgeSeconds } = shown.caching;
	const left = secondsLeft(shown);
	const directives = (seconds: number) =>
		briefSeconds === undefined ? lasting(seconds, left) : `max-age=${Math.min(seconds, briefSeconds, left)}`;
	return {
		"Cache-Control": `public, ${directives(maxAgeSeconds)}`,
		...(sharedMaxAgeSeconds !== undefined && { "CDN-Cache-Control": directives(sharedMaxAgeSeconds) }),
	};
}

function lasting(seconds: number, left: number): string {
	const age = Math.min(seconds, left);
	const stale = [
		["stale-while-revalidate", Math.min(WHILE_REVALIDATE_SECONDS, left - age)],
		["stale-if-error", Math.min(IF_ERROR_SECONDS, left - age)],
	] as const;
	// Where every answer is to be asked for anew, an old one is shown only if there is no other.
	const told = stale.filter(([name, most]) => most > 0 && (seconds > 0 || name === "stale-if-error"));
	return [`max-age=${age}`, ...told.map(([name, most]) => `${name}=${most}`)].join(", ");
}

/** Whether what is shown ends at a time that is known already. */
export function endsEver(shown: Shown): boolean {
	return secondsLeft(shown) !== Number.POSITIVE_INFINITY;
}

/** Whole seconds; infinite where nothing of it ends. */
function secondsLeft({ image, rendition, exp, nowMs }: Shown): number {
	const layerEnds = Object.values(rendition.layers).map(({ expiresMs }) => expiresMs);
	const ends = [image.expiresMs, ...layerEnds, exp === undefined ? null : exp * 1_000];
	return Math.min(
		...ends.map((endMs) => Math.max(0, Math.floor(((endMs ?? Number.POSITIVE_INFINITY) - nowMs) / 1_000))),
	);
}

/** What a cache knows an answer by when it is purged: the images that it shows, and the storage of the first. */
export function tagHeaders({ image, rendition, caching }: Shown): Record<string, string> {
	const ids = new Set([image.id, ...Object.values(rendition.layers).map(({ id }) => id)]);
	const tags = [...ids, storageTag(image.teamHash)];
	return { "Cache-Tag": tags.join(","), ...(caching.surrogateKeys && { "Surrogate-Key": tags.join(" ") }) };
}

function storageTag(teamHash: string): string {
	return `t-${teamHash}`;
}
