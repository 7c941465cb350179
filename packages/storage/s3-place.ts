import type { S3Requests } from "./s3-requests.ts";

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
