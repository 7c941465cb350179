import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { AwsV4Signer } from "aws4fetch";
import { folderLabel } from "../fitting.ts";
import { noPictureByName } from "./names.ts";
import type { Download, FoundImage, ImageSource, Pairs, SourceOptions } from "./source.ts";
import { fileFrom, type SourcePlace, textFrom, unlike } from "./source-calls.ts";

/*
 * A bucket of Amazon or of anybody who speaks its language. Its files are fetched from here, with the keys of this machine: an address
 * that was signed would end before its turn came, and would stay readable in the image's metadata.
 */

/** SHA-256 of nothing, for requests without a body. */
const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const PAGE_OBJECTS = 1_000;
const KEYS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (and AWS_REGION)";

interface Bucket extends SourcePlace {
	readonly endpoint: string;
	readonly name: string;
	readonly region: string;
	readonly accessKeyId: string;
	readonly secretAccessKey: string;
	readonly sessionToken: string | undefined;
}

/** @throws UsageError, LocalError */
export function openS3(options: SourceOptions): ImageSource {
	const { from, prefix: more = "", publicUrl } = options;
	const [, name, path = ""] = /^s3:\/\/([^/]+)\/?(.*)$/s.exec(from) ?? [];
	if (name === undefined) throw new UsageError(`"${from}" names no bucket.`, "svc migrate s3://bucket/folder/");
	const bucket = bucketOf(name, options);
	const base = publicUrl === undefined ? undefined : publicBase(publicUrl);
	return {
		name: `s3://${name}`,
		place: `${bucket.endpoint}/${name}`,
		async *list(signal) {
			let line = 0;
			for await (const object of objects(bucket, path + more, signal)) {
				if (object.key.endsWith("/")) continue;
				line++;
				yield listed(bucket, base, object, line);
			}
		},
	};
}

function bucketOf(name: string, { env, endpoint, fetch, tell }: SourceOptions): Bucket {
	const [accessKeyId, secretAccessKey, sessionToken] = [
		env.AWS_ACCESS_KEY_ID,
		env.AWS_SECRET_ACCESS_KEY,
		env.AWS_SESSION_TOKEN,
	];
	if (!accessKeyId || !secretAccessKey) {
		throw new LocalError(
			`The keys of the bucket are missing: set ${KEYS}.`,
			"A profile of the AWS tools becomes that by: aws configure export-credentials --format env",
			EXIT.auth,
		);
	}
	const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || "us-east-1";
	const address = endpoint ?? (env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || `https://s3.${region}.amazonaws.com`);
	if (!/^https?:/.test(address) || !URL.canParse(address))
		throw new UsageError(`"${address}" is no address of an S3 service.`);
	const secrets = [secretAccessKey, accessKeyId, sessionToken ?? ""];
	return {
		...{ title: `The bucket ${name}`, keys: KEYS, secrets, fetch, tell },
		...{ endpoint: address.replace(/\/+$/, ""), name, region, accessKeyId, secretAccessKey, sessionToken },
	};
}

function publicBase(address: string): string {
	if (!URL.canParse(address))
		throw new UsageError(`"${address}" is no address.`, "--public-url https://pics.example.com");
	return address.replace(/\/+$/, "");
}

interface Stored {
	readonly key: string;
	readonly bytes: number;
	readonly date: string;
	readonly etag: string;
}

async function* objects(bucket: Bucket, prefix: string, signal: AbortSignal): AsyncGenerator<Stored> {
	for (let after: string | undefined; ; ) {
		const page = pageIn(bucket, await textFrom(bucket, () => signed(bucket, listPath(prefix, after)), signal));
		yield* page.objects;
		// A list that goes round would never end.
		if (page.next !== undefined && page.next === after) throw unlike(bucket);
		after = page.next;
		if (after === undefined) return;
	}
}

function listPath(prefix: string, after: string | undefined): string {
	const query = new Map([
		["encoding-type", "url"],
		["list-type", "2"],
		["max-keys", String(PAGE_OBJECTS)],
		["prefix", prefix],
	]);
	if (after !== undefined) query.set("continuation-token", after);
	return `?${[...query].map(([name, value]) => `${name}=${encoded(value)}`).join("&")}`;
}

function pageIn(
	bucket: Bucket,
	xml: string,
): { readonly objects: readonly Stored[]; readonly next: string | undefined } {
	if (!xml.includes("<ListBucketResult")) throw unlike(bucket);
	const isEncoded = textOf(xml, "EncodingType") === "url";
	const found = Array.from(xml.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, entry = ""]) => ({
		key: isEncoded ? decoded(textOf(entry, "Key")) : unescaped(textOf(entry, "Key")),
		bytes: Number(textOf(entry, "Size")),
		date: textOf(entry, "LastModified"),
		etag: unescaped(textOf(entry, "ETag")),
	}));
	const next = textOf(xml, "IsTruncated") === "true" ? unescaped(textOf(xml, "NextContinuationToken")) : undefined;
	if (next === "") throw unlike(bucket);
	return { objects: found, next };
}

function textOf(xml: string, name: string): string {
	return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.trim() ?? "";
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text.replaceAll("+", " "));
	} catch {
		return text;
	}
}

function unescaped(text: string): string {
	return text
		.replace(/&#(x?)([0-9a-f]{1,6});/gi, (_, hex: string, digits: string) =>
			String.fromCodePoint(Number.parseInt(digits, hex === "" ? 10 : 16)),
		)
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&quot;", '"')
		.replaceAll("&apos;", "'")
		.replaceAll("&amp;", "&");
}

function listed(
	bucket: Bucket,
	base: string | undefined,
	{ key, bytes, date, etag }: Stored,
	line: number,
): FoundImage {
	const own = `s3://${bucket.name}/${key}`;
	const why = noPictureByName(key);
	if (why !== undefined) return { line, address: own, why, isNoPicture: true };
	if (bytes === 0) return { line, address: own, why: "It is empty.", isNoPicture: true };
	if (key === "" || !canBeAsked(key))
		return { line, address: own, why: "No address can be made of its name.", isNoPicture: false };
	const picture = {
		line,
		...{ name: key, version: `${etag} ${bytes} ${date}`, filename: key.split("/").at(-1) },
		fields: { date, labels: folderLabel(key), metadata: {} },
	};
	if (base !== undefined) return { ...picture, address: `${base}/${path(key)}` };
	return { ...picture, address: own, download: (signal) => download(bucket, key, signal) };
}

/** Addresses take a part that is one dot or two for a way, however it is written. */
function canBeAsked(key: string): boolean {
	return !key.split("/").some((part) => part === "." || part === "..");
}

async function download(bucket: Bucket, key: string, signal: AbortSignal): Promise<Download> {
	const { headers, ...file } = await fileFrom(bucket, () => signed(bucket, path(key)), signal);
	return { ...file, metadata: ownMetadata(headers) };
}

function ownMetadata(headers: Headers): Pairs {
	const own = [...headers].filter(([name]) => name.startsWith("x-amz-meta-"));
	return Object.fromEntries(own.map(([name, value]) => [name.slice("x-amz-meta-".length), value]));
}

async function signed({ endpoint, name, region, accessKeyId, secretAccessKey, sessionToken }: Bucket, below: string) {
	const url = below.startsWith("?") ? `${endpoint}/${encoded(name)}${below}` : `${endpoint}/${encoded(name)}/${below}`;
	const signer = new AwsV4Signer({
		...{ url, method: "GET", service: "s3", region, accessKeyId, secretAccessKey },
		...(sessionToken && { sessionToken }),
		headers: { "x-amz-content-sha256": EMPTY_HASH },
	});
	const headers = new Headers((await signer.sign()).headers);
	// A compressed answer would not have the length that is declared.
	headers.set("accept-encoding", "identity");
	return { url, headers: Object.fromEntries(headers) };
}

function path(key: string): string {
	return key.split("/").map(encoded).join("/");
}

/** As signatures want it: everything but letters, digits and four signs. */
function encoded(text: string): string {
	return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
