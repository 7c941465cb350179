/* The caches in front, and how each of them is told to forget what it has under a tag. */

export const PURGE_KINDS = ["cloudflare", "fastly", "http"] as const;
export const PURGE_METHODS = ["POST", "PURGE", "BAN", "DELETE", "GET"] as const;

export interface PurgeTarget {
	readonly kind: (typeof PURGE_KINDS)[number];
	/** Of kind `http` it may hold {@link TAG}. */
	readonly url: string;
	readonly token: string | undefined;
	readonly method: (typeof PURGE_METHODS)[number];
}

/** One call, and the tags that are settled by it. */
export interface PurgeCall {
	readonly tags: readonly string[];
	readonly method: string;
	readonly url: string;
	readonly headers: Readonly<Record<string, string>>;
	/** Undefined where the address says all. */
	readonly body: string | undefined;
}

/** Stands in an address for the tag. */
export const TAG = "{tag}";
/** The vendors' own limits; a cache of one's own is asked for as many at once as Cloudflare. */
const TAGS_IN_A_CALL = { cloudflare: 100, fastly: 256, http: 100 } as const;
/** Where each tag is a call, so many are on their way at once. */
const CALLS_AT_ONCE = 16;

/** How many tags are sent in one turn. */
export function tagsAtOnce(target: PurgeTarget): number {
	return isCallPerTag(target) ? CALLS_AT_ONCE : TAGS_IN_A_CALL[target.kind];
}

/** The calls of one turn, which are made at once. */
export function callsOf(target: PurgeTarget, tags: readonly string[]): readonly PurgeCall[] {
	const { kind, url, method } = target;
	const headers = authorization(target);
	if (isCallPerTag(target)) {
		return tags.map((tag) => {
			const address = url.replaceAll(TAG, encodeURIComponent(tag));
			return { tags: [tag], method, url: address, headers, body: undefined };
		});
	}
	const body = JSON.stringify(kind === "fastly" ? { surrogate_keys: tags } : { tags });
	return [{ tags, method, url, headers: { ...headers, "Content-Type": "application/json" }, body }];
}

function isCallPerTag({ kind, url }: PurgeTarget): boolean {
	return kind === "http" && url.includes(TAG);
}

function authorization({ kind, token }: PurgeTarget): Readonly<Record<string, string>> {
	if (token === undefined) return {};
	return kind === "fastly" ? { "Fastly-Key": token } : { Authorization: `Bearer ${token}` };
}
