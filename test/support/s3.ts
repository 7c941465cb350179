import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { s3Url } from "@svc/storage/s3/place";
import { ACCESS_KEY_ID, REGION, Refusal, SECRET_ACCESS_KEY, verify } from "./s3-signature.ts";

/* A strict object store in this process: it verifies every signature, knows conditional writes and ranges, and fails on demand. */

const BUCKET = "pictures";
const CHECKSUM = "x-amz-checksum-sha256";

/** What becomes of one request instead of its answer. */
export type Fault =
	| { readonly kind: "refuse"; readonly status: number; readonly code: string }
	/** Done, but nobody is told. */
	| { readonly kind: "lose-answer" }
	/** The connection breaks after some bytes of the request's body. */
	| { readonly kind: "break-upload"; readonly afterBytes: number }
	/** The connection breaks after half of the answer's body. */
	| { readonly kind: "break-answer" }
	/** The connection stays open and nothing comes. */
	| { readonly kind: "silence" }
	/** The answer begins and does not go on. */
	| { readonly kind: "stall-answer" }
	| { readonly kind: "redirect"; readonly location: string }
	/** Whoever asks is killed, before it is done or once it is done; `kill` sees to it. */
	| { readonly kind: "kill"; readonly when: "before" | "after"; readonly kill: () => void };

export interface Seen {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingMessage["headers"];
	/** 0: it was ended before an answer. */
	status: number;
}

interface Stored {
	readonly body: Buffer;
	/** Default: when the store was opened. */
	readonly writtenMs?: number;
	readonly headers: Readonly<Record<string, string>>;
}

interface FakeS3Options {
	/** False: like stores that do not know conditional writes. */
	readonly conditional?: boolean;
	/** False: like stores that forget `x-amz-meta-`. */
	readonly metadata?: boolean;
	/** False: like stores that refuse a checksum with an object. */
	readonly checksums?: boolean;
	/** False: like stores whose access key may not list, which must not learn what is missing. */
	readonly listing?: boolean;
	/** Of its clock. */
	readonly skewMs?: number;
	/** How many objects a list holds at most. Default: as many as are asked for. */
	readonly pageObjects?: number;
}

export interface FakeS3 {
	/** What an adapter needs to be told. */
	readonly bucket: {
		readonly endpoint: string;
		readonly bucket: string;
		readonly region: string;
		readonly accessKeyId: string;
		readonly secretAccessKey: string;
	};
	/** The same as a deployment says it. */
	readonly env: Readonly<Record<string, string>>;
	readonly objects: Map<string, Stored>;
	/** Those that a service keeps for images, and not for itself. */
	blobs(): Map<string, Stored>;
	readonly seen: Seen[];
	/** The next `times` requests that fit meet the fault. */
	fail(method: string, fault: Fault, times?: number, matching?: RegExp): void;
	/** No fault waits any more. */
	heal(): void;
	close(): Promise<void>;
}

export async function fakeS3(options: FakeS3Options = {}): Promise<FakeS3> {
	const objects = new Map<string, Stored>();
	const seen: Seen[] = [];
	const faults: { method: string; fault: Fault; times: number; matching: RegExp }[] = [];

	function takeFault(method: string, path: string): Fault | undefined {
		const found = faults.find((one) => one.times > 0 && one.method === method && one.matching.test(path));
		if (found) found.times--;
		return found?.fault;
	}

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { method = "", url = "", headers } = request;
		const entry: Seen = { method, path: url, headers, status: 0 };
		seen.push(entry);
		const fault = takeFault(method, url);
		if (fault?.kind === "silence") return;
		const body = await receive(request, fault);
		if (body === undefined) return;
		if (fault?.kind === "kill" && fault.when === "before") {
			fault.kill();
			return;
		}
		const result = outcome(request, body, fault);
		if (fault?.kind === "kill") fault.kill();
		if (fault?.kind === "lose-answer" || fault?.kind === "kill") {
			request.socket.destroy();
			return;
		}
		entry.status = result.status;
		send(request, response, result, fault);
	}

	function outcome(request: IncomingMessage, body: Buffer, fault: Fault | undefined): Outcome {
		try {
			if (fault?.kind === "redirect")
				return { status: 307, headers: { location: fault.location }, body: Buffer.alloc(0) };
			if (fault?.kind === "refuse") throw new Refusal(fault.status, fault.code);
			verify(request, body, Date.now() + (options.skewMs ?? 0));
			return fulfil(objects, options, request, body);
		} catch (cause) {
			if (!(cause instanceof Refusal)) throw cause;
			return refused(cause, request, options);
		}
	}

	const server = createServer((request, response) => {
		answer(request, response).catch(() => request.socket.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		bucket: {
			endpoint,
			bucket: BUCKET,
			region: REGION,
			accessKeyId: ACCESS_KEY_ID,
			secretAccessKey: SECRET_ACCESS_KEY,
		},
		env: {
			SVC_STORAGE: s3Url({ endpoint, bucket: BUCKET, path: "", region: REGION }),
			AWS_ACCESS_KEY_ID: ACCESS_KEY_ID,
			AWS_SECRET_ACCESS_KEY: SECRET_ACCESS_KEY,
		},
		objects,
		blobs: () => new Map([...objects].filter(([key]) => key.startsWith("img_"))),
		seen,
		fail(method, fault, times = 1, matching = /./) {
			faults.push({ method, fault, times, matching });
		},
		heal() {
			faults.length = 0;
		},
		async close() {
			server.closeAllConnections();
			await new Promise<void>((resolve) => server.close(() => resolve()));
		},
	};
}

interface Outcome {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
}

/** Undefined when the connection broke. */
async function receive(request: IncomingMessage, fault: Fault | undefined): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of request) {
			chunks.push(chunk);
			bytes += chunk.length;
			if (fault?.kind === "break-upload" && bytes > fault.afterBytes) {
				request.socket.destroy();
				return undefined;
			}
		}
	} catch {
		return undefined;
	}
	const body = Buffer.concat(chunks);
	return String(body.length) === (request.headers["content-length"] ?? "0") ? body : undefined;
}

function send(request: IncomingMessage, response: ServerResponse, result: Outcome, fault: Fault | undefined): void {
	const length = request.method === "HEAD" ? {} : { "content-length": String(result.body.length) };
	response.writeHead(result.status, { date: new Date().toUTCString(), ...length, ...result.headers });
	if (fault?.kind !== "break-answer" && fault?.kind !== "stall-answer") {
		response.end(request.method === "HEAD" ? undefined : result.body);
		return;
	}
	response.write(result.body.subarray(0, result.body.length / 2));
	if (fault.kind === "break-answer") setTimeout(() => request.socket.destroy(), 20);
}

/** In words that repeat what must not reach a log, as real stores do. */
function refused({ status, code }: Refusal, request: IncomingMessage, { skewMs = 0 }: FakeS3Options): Outcome {
	const told = `${request.headers.authorization} ${ACCESS_KEY_ID} StringToSign`;
	const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${told}</Message></Error>`;
	return { status, headers: { date: new Date(Date.now() + skewMs).toUTCString() }, body: Buffer.from(body) };
}

function fulfil(objects: Map<string, Stored>, options: FakeS3Options, request: IncomingMessage, body: Buffer): Outcome {
	const [, bucket, ...rest] = new URL(request.url ?? "", "http://s3").pathname.split("/");
	if (bucket !== BUCKET) throw new Refusal(404, "NoSuchBucket");
	const key = decodeURIComponent(rest.join("/"));
	switch (request.method) {
		case "PUT":
			return write(objects, options, request, key, body);
		case "DELETE":
			objects.delete(key);
			return { status: 204, headers: {}, body: Buffer.alloc(0) };
		case "GET":
		case "HEAD":
			if (key === "") return list(objects, options, request);
			if (options.listing === false && !objects.has(key)) throw new Refusal(403, "AccessDenied");
			return read(objects, request, key);
		default:
			throw new Refusal(405, "MethodNotAllowed");
	}
}

/** CopyObject: the bytes and what was kept with them. */
function copy(objects: Map<string, Stored>, source: string, key: string): Outcome {
	const found = objects.get(decodeURIComponent(source).replace(`/${BUCKET}/`, ""));
	if (!found) throw new Refusal(404, "NoSuchKey");
	objects.set(key, { ...found, writtenMs: Date.now() });
	const body = "<CopyObjectResult><LastModified>now</LastModified></CopyObjectResult>";
	return { status: 200, headers: { "content-type": "application/xml" }, body: Buffer.from(body) };
}

function write(
	objects: Map<string, Stored>,
	{ conditional = true, metadata = true, checksums = true }: FakeS3Options,
	{ headers }: IncomingMessage,
	key: string,
	body: Buffer,
): Outcome {
	const checksum = headers[CHECKSUM];
	if (checksum !== undefined && !checksums) throw new Refusal(501, "NotImplemented");
	if (checksum !== undefined && checksum !== createHash("sha256").update(body).digest("base64"))
		throw new Refusal(400, "BadDigest");
	const source = headers["x-amz-copy-source"];
	if (source !== undefined) return copy(objects, String(source), key);
	if (conditional && headers["if-none-match"] === "*" && objects.has(key)) throw new Refusal(412, "PreconditionFailed");
	const kept = Object.entries(headers).filter(
		([name]) => name === CHECKSUM || (metadata && name.startsWith("x-amz-meta-")),
	);
	const etag = `"${createHash("md5").update(body).digest("hex")}"`;
	objects.set(key, {
		body,
		writtenMs: Date.now(),
		headers: { etag, ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])) },
	});
	return { status: 200, headers: { etag }, body: Buffer.alloc(0) };
}

function read(objects: Map<string, Stored>, { method, headers }: IncomingMessage, key: string): Outcome {
	const found = objects.get(key);
	if (!found) throw new Refusal(404, "NoSuchKey");
	const { body } = found;
	const { [CHECKSUM]: checksum, ...kept } = found.headers;
	const others = { ...kept, "last-modified": new Date(found.writtenMs ?? Date.now()).toUTCString() };
	const asked = headers["x-amz-checksum-mode"] === "ENABLED" && checksum !== undefined;
	const told = { ...others, ...(asked && { [CHECKSUM]: checksum }) };
	if (method === "HEAD") {
		return { status: 200, headers: { ...told, "content-length": String(body.length) }, body };
	}
	if (headers.range === undefined) return { status: 200, headers: told, body };
	const [first = -1, last = -1] = /^bytes=(\d+)-(\d+)$/.exec(headers.range)?.slice(1).map(Number) ?? [];
	if (first < 0 || first > last || first >= body.length) throw new Refusal(416, "InvalidRange");
	const end = Math.min(last, body.length - 1);
	const range = { "content-range": `bytes ${first}-${end}/${body.length}` };
	return { status: 206, headers: { ...others, ...range }, body: body.subarray(first, end + 1) };
}

/** ListObjectsV2. Its token says nothing to whoever looks at it, and needs an escape in XML and in an address. */
function list(objects: Map<string, Stored>, options: FakeS3Options, request: IncomingMessage): Outcome {
	const query = new URL(request.url ?? "", "http://s3").searchParams;
	if (options.listing === false) throw new Refusal(403, "AccessDenied");
	if (query.get("list-type") !== "2") throw new Refusal(501, "NotImplemented");
	const [, after = ""] = /^&\+(.*)$/.exec(atob(query.get("continuation-token") ?? "")) ?? [];
	if (query.has("continuation-token") && after === "") throw new Refusal(400, "InvalidArgument");
	const keys = [...objects.keys()].filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after).toSorted();
	const page = keys.slice(0, Math.min(options.pageObjects ?? 1_000, Number(query.get("max-keys") ?? 1_000)));
	const entries = page.map((key) => {
		const { body, writtenMs = 0 } = objects.get(key) ?? { body: "" };
		return `<Contents><Key>${key.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</Key><LastModified>${new Date(writtenMs).toISOString()}</LastModified><Size>${body.length}</Size></Contents>`;
	});
	const next =
		page.length < keys.length ? `<NextContinuationToken>${btoa(`&+${page.at(-1)}`)}</NextContinuationToken>` : "";
	const xml = `<?xml version="1.0"?>\n<ListBucketResult><IsTruncated>${next !== ""}</IsTruncated>${entries.join("\n")}${next}</ListBucketResult>`;
	return { status: 200, headers: { "content-type": "application/xml" }, body: Buffer.from(xml) };
}
