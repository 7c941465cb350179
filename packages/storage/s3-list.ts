import type { BlobPage } from "@svc/base/ports";
import { S3Error } from "./s3-errors.ts";
import type { S3Requests } from "./s3-requests.ts";

const PAGE_OBJECTS = 1_000;
/** Of a page of objects with long names, for the time limit. */
const PAGE_BYTES = 1_000_000;

/** One page of ListObjectsV2. */
export async function listObjects(requests: S3Requests, prefix: string, after?: string): Promise<BlobPage> {
	const query = new URLSearchParams({ "list-type": "2", "max-keys": String(PAGE_OBJECTS), prefix });
	if (after !== undefined) query.set("continuation-token", after);
	return await requests.send({ method: "GET", key: "", query, coming: PAGE_BYTES }, async (response) =>
		pageIn(await response.text()),
	);
}

/** Keys come as they are written in XML: one that needs an escape is none of a blob. */
function pageIn(xml: string): BlobPage {
	if (!xml.includes("<ListBucketResult")) throw new S3Error("the object store sent no list", { passing: true });
	const blobs = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, entry = ""]) => ({
		key: textOf(entry, "Key"),
		writtenMs: Date.parse(textOf(entry, "LastModified")),
	}));
	const next = textOf(xml, "IsTruncated") === "true" ? unescaped(textOf(xml, "NextContinuationToken")) : undefined;
	if (next === "") throw new S3Error("the object store sent a list that cannot be continued", { passing: true });
	return { blobs, next };
}

function textOf(xml: string, name: string): string {
	return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim() ?? "";
}

function unescaped(text: string): string {
	return text
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&quot;", '"')
		.replaceAll("&#34;", '"')
		.replaceAll("&amp;", "&");
}
