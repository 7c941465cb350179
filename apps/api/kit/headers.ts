import type { Addresses } from "@svc/base/addresses";
import type { Usage } from "@svc/images/usage";

/** Every header of ours that a script on another origin may read (specification, "Limits"). */
const EXPOSED = [
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
].join(", ");

/** On every answer. Keys travel in a header that the browser never sends by itself, so any origin may call. */
export const COMMON_HEADERS = {
	"Access-Control-Allow-Origin": "*",
	"Access-Control-Expose-Headers": EXPOSED,
	"Cache-Control": "no-store",
	"X-Content-Type-Options": "nosniff",
} as const;

export const PREFLIGHT_HEADERS = {
	...COMMON_HEADERS,
	"Access-Control-Allow-Methods": "GET, HEAD, POST, PATCH, DELETE",
	"Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, X-Svc-User, X-Svc-App",
	"Access-Control-Max-Age": "7200",
} as const;

export function usageHeaders(usage: Usage): Record<string, string> {
	return {
		"X-Monthly-Uploads-Used": String(usage.uploadsThisMonth),
		"X-Monthly-Uploads-Limit": String(usage.uploadsLimit),
		"X-Monthly-Uploads-Remaining": String(Math.max(0, usage.uploadsLimit - usage.uploadsThisMonth)),
		"X-Storage-Used": String(usage.bytes),
		"X-Storage-Limit": String(usage.bytesLimit),
		"X-Storage-Remaining": String(Math.max(0, usage.bytesLimit - usage.bytes)),
	};
}

const ANONYMOUS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Svc-Action"].join(", ");

/** The creates that a caller without a key has left in this hour. */
interface RateWindow {
	readonly limit: number;
	readonly remaining: number;
	readonly resetsMs: number;
}

/** Sent instead of the usage headers where no storage is filled; a window that cannot be read is left out. */
export function anonymousHeaders(addresses: Addresses, window: RateWindow | undefined): Record<string, string> {
	return {
		...(window && {
			"X-RateLimit-Limit": String(window.limit),
			"X-RateLimit-Remaining": String(window.remaining),
			// Unix time in whole seconds; by then the window has ended for certain.
			"X-RateLimit-Reset": String(Math.ceil(window.resetsMs / 1_000)),
		}),
		// A structured field (RFC 9651): what to do, and where.
		"X-Svc-Action": `signup; url="${signUpUrl(addresses)}"`,
		"Access-Control-Expose-Headers": `${EXPOSED}, ${ANONYMOUS}`,
	};
}

/** A person who signs in there for the first time has an account. */
export function signUpUrl({ web }: Addresses): string {
	return `${web}/account`;
}
