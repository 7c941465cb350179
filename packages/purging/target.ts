/* The caches in front, and how each of them is told to forget what it has under a tag. */

const METHODS = ["POST", "PURGE", "BAN", "DELETE", "GET"] as const;

export interface PurgeTarget {
	readonly kind: "cloudflare" | "fastly" | "http";
	/** Of kind `http` it may hold {@link TAG}. */
	readonly url: string;
	readonly token: string | undefined;
	readonly method: (typeof METHODS)[number];
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
const TAG = "{tag}";
/** What {@link parsePurgeUrl} takes, in words. */
export const PURGE_FORMS = `off, cloudflare://<id of the zone>, fastly://<id of the service>, or the http:// or https:// URL of a cache, with ${TAG} in it where each tag is to be a call and with a method before it where that is not POST: purge+, ban+, delete+ or, with ${TAG}, get+http://…`;

/**
 * Undefined for what is no such URL. `cloudflare+https://…` and `fastly+https://…` are their calls at another address.
 * A name and a password are refused: the token stands beside it.
 */
export function parsePurgeUrl(text: string): Omit<PurgeTarget, "token"> | undefined {
	const [, vendor, id] = /^(cloudflare|fastly):\/\/([\w-]+)$/.exec(text) ?? [];
	if (vendor === "cloudflare") {
		return { kind: vendor, url: `https://api.cloudflare.com/client/v4/zones/${id}/purge_cache`, method: "POST" };
	}
	if (vendor === "fastly") return { kind: vendor, url: `https://api.fastly.com/service/${id}/purge`, method: "POST" };
	const [, word = "post", url = ""] = /^(?:([a-z]+)\+)?(https?:\/\/.*)$/.exec(text) ?? [];
	if (!isAddress(url)) return undefined;
	if (word === "cloudflare" || word === "fastly") return { kind: word, url, method: "POST" };
	const method = METHODS.find((one) => one.toLowerCase() === word);
	if (!method || (method === "GET" && !url.includes(TAG))) return undefined;
	return { kind: "http", url, method };
}

/** Braces and brackets of a form that nobody has filled in are no address. */
function isAddress(url: string): boolean {
	const parsed = URL.parse(url.replaceAll(TAG, "t"));
	if (!parsed || parsed.username || parsed.password) return false;
	return !/[<>{}\s]/.test(url.replaceAll(TAG, ""));
}

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
