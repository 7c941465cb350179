import type { S3Requests } from "./requests.ts";

/** A folder of a bucket, as `s3://bucket/path` writes it. */
export interface S3Place {
	readonly bucket: string;
	/** Without slashes at its ends; empty for the whole bucket. */
	readonly path: string;
}

/** Part of every address and signature, where nothing in them is escaped. */
export const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{2,62}$/;
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const PATH_MAX = 400;

/** Undefined for anything but `s3://bucket` and folders below it. */
export function parseS3Place(text: string): S3Place | undefined {
	const [, bucket = "", rest = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(text) ?? [];
	const path = rest.replace(/\/$/, "");
	if (!BUCKET_NAME.test(bucket) || path.length > PATH_MAX) return undefined;
	return path === "" || path.split("/").every((segment) => SEGMENT.test(segment)) ? { bucket, path } : undefined;
}

/** A bucket with the store that has it, and a folder of it. */
export interface S3Address extends S3Place {
	/** An origin. */
	readonly endpoint: string;
	readonly region: string;
}

/** What stores without regions take as well. */
const REGION = "us-east-1";
/** Part of every address and signature, where nothing in them is escaped. */
const REGION_NAME = /^[A-Za-z0-9_-]+$/;

/**
 * Undefined for anything but `s3://host[:port]/bucket[/folder]`, with `region=` (default us-east-1) and `tls=off` or `on` behind a
 * question mark: a name and a password above all, which belong into no address.
 */
export function parseS3Url(text: string): S3Address | undefined {
	// Not by URL alone, which would take `..` out of the path.
	const [, authority = "", below = "", query = ""] = /^s3:\/\/([^/?#@\s]+)\/([^?#]*)(?:\?([^#]*))?$/.exec(text) ?? [];
	const asked = new URLSearchParams(query);
	const { region = REGION, tls = "on", ...others } = Object.fromEntries(asked);
	const isTwice = new Set(asked.keys()).size !== asked.size;
	const place = parseS3Place(`s3://${below}`);
	const server = URL.parse(`${tls === "off" ? "http" : "https"}://${authority}`);
	if (!place || !server || isTwice || Object.keys(others).length > 0) return undefined;
	if (!REGION_NAME.test(region) || !/^o(n|ff)$/.test(tls)) return undefined;
	return { ...place, endpoint: server.origin, region };
}

/** The text that {@link parseS3Url} reads. */
export function s3Url({ endpoint, region, ...place }: S3Address): string {
	const { protocol, host } = new URL(endpoint);
	return `s3://${host}/${placeText(place).slice("s3://".length)}?region=${region}${protocol === "http:" ? "&tls=off" : ""}`;
}

/**
 * A backup as it is named: by its bucket, as the service names it, in the store that the service knows, or whole, with the store.
 * Undefined where it is neither.
 * @param known the store that the service keeps its backups or its pictures in
 */
export function findNamedPlace(text: string, known: Omit<S3Address, keyof S3Place> | undefined): S3Address | undefined {
	if (!known || text.includes("?")) return parseS3Url(text);
	const { endpoint, region } = known;
	const within = `s3://${new URL(endpoint).host}/`;
	const place = parseS3Place(text.startsWith(within) ? `s3://${text.slice(within.length)}` : text);
	return place && { ...place, endpoint, region };
}

export function placeText({ bucket, path }: S3Place): string {
	return path === "" ? `s3://${bucket}` : `s3://${bucket}/${path}`;
}

/** The same requests, to what lies below a folder of the bucket. Keys that a list answers with begin with it all the same. */
export function requestsBelow(requests: S3Requests, path: string): S3Requests {
	if (path === "") return requests;
	return {
		send(request, receive) {
			const query = request.query && new URLSearchParams(request.query);
			if (query?.has("list-type")) query.set("prefix", `${path}/${query.get("prefix") ?? ""}`);
			// A list is asked of the bucket itself.
			const key = request.key === "" ? "" : `${path}/${request.key}`;
			return requests.send({ ...request, key, ...(query && { query }) }, receive);
		},
	};
}
