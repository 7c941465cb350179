import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/* Written from the published rules and not from the adapter's signing, so that both can only agree by being right. */

export const REGION = "eu-test-1";
export const ACCESS_KEY_ID = "AKTESTTESTTEST";
export const SECRET_ACCESS_KEY = "not/a+real=secret";
const MAX_SKEW_MS = 15 * 60_000;
const ALGORITHM = "AWS4-HMAC-SHA256";

/** What is answered instead of what was asked for. */
export class Refusal extends Error {
	readonly status: number;
	readonly code: string;

	constructor(status: number, code: string) {
		super(code);
		this.status = status;
		this.code = code;
	}
}

/**
 * By "Signature Version 4 signing process", for headers, with a signed payload.
 * @throws Refusal as a real store would
 */
export function verify(request: IncomingMessage, body: Buffer, nowMs: number): void {
	const { headers } = request;
	const sent = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
		headers.authorization ?? "",
	);
	if (!sent) throw new Refusal(403, "AccessDenied");
	const [, credential = "", names = "", signature = ""] = sent;
	const [accessKeyId, date = "", region, service, end] = credential.split("/");
	if (accessKeyId !== ACCESS_KEY_ID) throw new Refusal(403, "InvalidAccessKeyId");
	if (region !== REGION || service !== "s3" || end !== "aws4_request") {
		throw new Refusal(400, "AuthorizationHeaderMalformed");
	}
	const stamp = String(headers["x-amz-date"]);
	const sentMs = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/, "$1-$2-$3:$4:$5"));
	if (!(Math.abs(nowMs - sentMs) <= MAX_SKEW_MS)) throw new Refusal(403, "RequestTimeTooSkewed");
	requireSigned(headers, names.split(";"));
	const hash = String(headers["x-amz-content-sha256"]);
	const scope = `${date}/${region}/s3/aws4_request`;
	const toSign = [ALGORITHM, stamp, scope, sha256(canonical(request, names.split(";"), hash))].join("\n");
	const expected = [date, REGION, "s3", "aws4_request", toSign].reduce<Buffer>(
		(key, part) => createHmac("sha256", key).update(part).digest(),
		Buffer.from(`AWS4${SECRET_ACCESS_KEY}`),
	);
	if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) throw new Refusal(403, "SignatureDoesNotMatch");
	if (hash !== sha256(body)) throw new Refusal(400, "XAmzContentSHA256Mismatch");
}

function requireSigned(headers: IncomingMessage["headers"], signed: readonly string[]): void {
	const needed = ["host", ...Object.keys(headers).filter((name) => name.startsWith("x-amz-"))];
	if (!needed.every((name) => signed.includes(name))) throw new Refusal(403, "AccessDenied");
	if (signed.toSorted().join() !== signed.join()) throw new Refusal(403, "SignatureDoesNotMatch");
}

function canonical(
	{ method = "", url = "", headers }: IncomingMessage,
	names: readonly string[],
	hash: string,
): string {
	const [path = "", query = ""] = url.split("?");
	const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}\n`).join("");
	return [method, path, query.split("&").toSorted().join("&"), lines, names.join(";"), hash].join("\n");
}

function sha256(bytes: string | Buffer): string {
	return createHash("sha256").update(bytes).digest("hex");
}
