import { invalid } from "@svc/base/failure";

/** Every header of ours that a script on another origin may read (specification, "Limits"). */
export const EXPOSED = [
	"X-Monthly-Uploads-Used",
	"X-Monthly-Uploads-Limit",
	"X-Monthly-Uploads-Remaining",
	"X-Storage-Used",
	"X-Storage-Limit",
	"X-Storage-Remaining",
	"X-Limits-Enforced",
	"Retry-After",
	"Idempotent-Replayed",
	"X-Processing-Time",
	"X-Request-Id",
	"Link",
].join(", ");

/** On every answer. Keys travel in a header that the browser never sends by itself, so any origin may call. */
export const COMMON_HEADERS = {
	"Access-Control-Allow-Origin": "*",
	"Access-Control-Expose-Headers": EXPOSED,
	"Cache-Control": "no-store",
	"X-Content-Type-Options": "nosniff",
} as const;

/**
 * What a browser is told before it sends something from another origin: for every path the methods that any path takes, so that a script sees the 404
 * or 405 that it gets.
 */
export function preflightHeaders(methods: Iterable<string>): Readonly<Record<string, string>> {
	return {
		...COMMON_HEADERS,
		"Access-Control-Allow-Methods": [...new Set(["GET", "HEAD", ...methods])].join(", "),
		"Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, X-Svc-User, X-Svc-App",
		"Access-Control-Max-Age": "7200",
	};
}

/** The Idempotency-Key, checked before a byte of the body is read. */
export function readKey(request: Request): string | undefined {
	const sent = request.headers.get("idempotency-key");
	if (sent === null) return undefined;
	if (!/^[\x20-\x7e]{1,255}$/.test(sent)) {
		throw invalid("Idempotency-Key", "must be 1 to 255 printable ASCII characters");
	}
	return sent;
}
