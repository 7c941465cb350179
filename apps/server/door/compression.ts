import { promisify } from "node:util";
import { gzip, zstdCompress } from "node:zlib";

/* Texts become a fifth of their size; pictures are compressed as they are, and never come through here. */

type Bytes = Uint8Array<ArrayBuffer>;
type Coding = (typeof ALL)[number];

/** The first one is taken where a client likes several as much. */
const ALL = ["zstd", "gzip"] as const;

const CODINGS: Readonly<Record<Coding, (bytes: Bytes) => Promise<Bytes>>> = {
	zstd: async (bytes) => new Uint8Array(await promisify(zstdCompress)(bytes)),
	gzip: async (bytes) => new Uint8Array(await promisify(gzip)(bytes, { level: 4 })),
};

const TEXT = /^(?:text\/(?:html|css|javascript|plain|markdown)|application\/json|image\/svg\+xml)\b/;
/** Written while it is read, and as long as it pleases. */
const STREAMED = /^application\/xml\b/;
/** What fits into one packet comes no sooner when it is smaller. */
const MIN_BYTES = 1_024;
/** Past this the time and the memory are worth more. */
const MAX_BYTES = 8_388_608;
/** Answers that are the same for everybody: the pages of the documentation and what they load, a few kilobytes each. */
const KEPT_MAX = 256;

/**
 * Compresses the texts that a handler answers a GET with, where the client can read that. A HEAD that is answered with the length of
 * what would be compressed for a GET says none instead (RFC 9110, 8.6). Answers that must not be changed on their way
 * (`no-transform`) stay as they are: those that hold a secret beside what a stranger chose, whose size would tell how much of the
 * secret was guessed (BREACH).
 */
export function compressing(
	handle: (request: Request) => Response | Promise<Response>,
): (request: Request) => Promise<Response> {
	const kept = new Map<string, Promise<Bytes>>();
	return async (request) => {
		const answer = await handle(request);
		const type = answer.headers.get("content-type") ?? "";
		if (!isEligible(request, answer, type)) return answer;
		answer.headers.append("Vary", "Accept-Encoding");
		const isStreamed = STREAMED.test(type);
		// The web's stream of compressed bytes does not know zstd.
		const coding = preferredCoding(request.headers.get("accept-encoding"), isStreamed ? ["gzip"] : ALL);
		if (coding === undefined) return answer;
		if (request.method === "HEAD") return unmeasured(answer, coding);
		return isStreamed ? streamed(answer, coding) : await shrunk(answer, coding, kept);
	};
}

function isEligible({ method }: Request, { status, headers }: Response, type: string): boolean {
	if (!(TEXT.test(type) || STREAMED.test(type))) return false;
	const isRead = method === "GET" || method === "HEAD";
	if (!isRead || status < 200 || status === 204 || status === 206 || status === 304) return false;
	return !headers.has("content-encoding") && !(headers.get("cache-control") ?? "").includes("no-transform");
}

/** What has no end yet has no length either; it is never read. */
function unmeasured(answer: Response, coding: Coding): Response {
	const bytes = Number(answer.headers.get("content-length") ?? MIN_BYTES);
	return bytes < MIN_BYTES || bytes > MAX_BYTES ? answer : encoded(answer, coding, new ReadableStream());
}

function streamed(answer: Response, coding: Coding): Response {
	if (!answer.body) return answer;
	return encoded(answer, coding, answer.body.pipeThrough(new CompressionStream("gzip")));
}

async function shrunk(answer: Response, coding: Coding, kept: Map<string, Promise<Bytes>>): Promise<Response> {
	const plain = new Uint8Array(await answer.arrayBuffer());
	const { headers } = answer;
	if (plain.length < MIN_BYTES || plain.length > MAX_BYTES) {
		headers.set("Content-Length", String(plain.length));
		return new Response(plain, answer);
	}
	const version = headers.get("cache-control")?.includes("public") ? headers.get("etag") : null;
	const name = `${coding} ${version}`;
	const compressed = kept.get(name) ?? CODINGS[coding](plain);
	if (version !== null && kept.size < KEPT_MAX) kept.set(name, compressed);
	return encoded(answer, coding, await compressed);
}

function encoded(answer: Response, coding: Coding, body: Bytes | ReadableStream): Response {
	const headers = new Headers(answer.headers);
	headers.set("Content-Encoding", coding);
	if (body instanceof Uint8Array) headers.set("Content-Length", String(body.length));
	else headers.delete("Content-Length");
	// The bytes differ from those that the strong tag names.
	const tag = headers.get("etag");
	if (tag?.startsWith('"')) headers.set("ETag", `W/${tag}`);
	return new Response(body, { status: answer.status, headers });
}

/** The coding that the client likes most; undefined where it names none of those offered (RFC 9110, section 12.5.3). */
export function preferredCoding(accepted: string | null, offered: readonly Coding[] = ALL): Coding | undefined {
	if (accepted === null) return undefined;
	const weights = new Map(
		accepted.split(",").map((entry) => {
			const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
			const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
			return [name, q === undefined ? 1 : Number(q) || 0];
		}),
	);
	const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get("*") ?? 0;
	const [best] = offered.toSorted((a, b) => weightOf(b) - weightOf(a));
	return best !== undefined && weightOf(best) > 0 ? best : undefined;
}
