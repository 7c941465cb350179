import type { ImageFormat } from "@svc/base/enumerations";
import { PARAMETERS } from "@svc/images/transform/parameters";

/** The parts of an image's address in a request line. */
export interface Address {
	/** From the slash before the team hash: what is signed. */
	readonly path: string;
	readonly teamHash: string;
	readonly imageId: string;
	readonly extension: ImageFormat;
	/** The raw query, without the question mark. */
	readonly query: string;
}

/** A longer query is not a transform that a person or program wrote, and is ignored like any other invalid value. */
const MAX_QUERY_LENGTH = 16_384;

/** Nothing is decoded: no part of an address that we give out needs an escape, and two spellings would be two cache entries downstream. */
const ADDRESS = /^https?:\/\/[^/?#]+(\/([\w-]{1,64})\/([\w-]{1,64})\.([a-z]{3,4}))(?:\?([^#]*))?$/;

/** What belongs to an address besides the parameters of a picture. */
const IN_ADDRESSES: ReadonlySet<string> = new Set(["preset", "sig", "exp"]);

const EXTENSIONS: ReadonlyMap<string, ImageFormat> = new Map([
	["jpg", "jpg"],
	["jpeg", "jpg"],
	["png", "png"],
	["webp", "webp"],
	["avif", "avif"],
	["gif", "gif"],
	["svg", "svg"],
	["bmp", "bmp"],
	["ico", "ico"],
]);

/** What a header may repeat of an address. */
const SHOWN_NAME = /^[\w.-]{1,32}$/;
const SHOWN_MAX = 5;
const AFTER_NAME = /[=&]/;

/**
 * The names in a query that are no parameter, such as `width`, with commas between them; undefined where there are none. They are ignored (specification,
 * "Transform host"), and somebody looks for hours why.
 */
export function ignoredNames(query: string): string | undefined {
	if (query === "") return undefined;
	const unknown = new Set<string>();
	for (const pair of query.split("&")) {
		const [name = ""] = pair.split(AFTER_NAME, 1);
		if (!Object.hasOwn(PARAMETERS, name) && !IN_ADDRESSES.has(name) && SHOWN_NAME.test(name)) unknown.add(name);
	}
	return unknown.size === 0 ? undefined : [...unknown].slice(0, SHOWN_MAX).join(", ");
}

/** Undefined for everything that cannot be the address of an image; it needs no question to the database. */
export function parseAddress(url: string): Address | undefined {
	const [, path, teamHash, imageId, suffix = "", query = ""] = ADDRESS.exec(url) ?? [];
	const extension = EXTENSIONS.get(suffix);
	if (!path || !teamHash || !imageId || !extension) return undefined;
	return { path, teamHash, imageId, extension, query: query.length > MAX_QUERY_LENGTH ? "" : query };
}
