import type { ImageFormat } from "@svc/base/enumerations";

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

/** Undefined for everything that cannot be the address of an image; it needs no question to the database. */
export function parseAddress(url: string): Address | undefined {
	const [, path, teamHash, imageId, suffix = "", query = ""] = ADDRESS.exec(url) ?? [];
	const extension = EXTENSIONS.get(suffix);
	if (!path || !teamHash || !imageId || !extension) return undefined;
	return { path, teamHash, imageId, extension, query: query.length > MAX_QUERY_LENGTH ? "" : query };
}
