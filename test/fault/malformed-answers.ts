import type { Malformed } from "./malformed-requests.ts";

/* What an answer to a malformed request may look like. */

/** The codes with which the API may refuse what a caller sends, and their statuses (specification, "Errors"). */
const REFUSALS: Readonly<Record<string, { readonly type: string; readonly statuses: readonly number[] }>> = {
	unauthorized: { type: "authentication_error", statuses: [401] },
	forbidden: { type: "permission_error", statuses: [403] },
	user_forbidden: { type: "permission_error", statuses: [403] },
	not_found: { type: "invalid_request_error", statuses: [404] },
	// The table has no code for a wrong method, a Host, large headers or a range of no file; they share this one.
	bad_request: { type: "invalid_request_error", statuses: [400, 405, 416, 421, 431] },
	state_conflict: { type: "invalid_request_error", statuses: [409] },
	idempotency_key_conflict: { type: "idempotency_error", statuses: [409] },
	idempotency_key_in_progress: { type: "idempotency_error", statuses: [409] },
	idempotency_recovery_conflict: { type: "idempotency_error", statuses: [409] },
	validation_error: { type: "invalid_request_error", statuses: [422] },
};

/** An answer, read. */
export interface Received {
	readonly status: number;
	readonly headers: Headers;
	readonly text: string;
}

/** What a hosted page may refuse with. */
const PAGE_REFUSALS = new Set([400, 403, 404, 405, 410, 413, 415, 422, 429]);

/** What is wrong with an answer; undefined when nothing is. */
export function faultOf({ site, request, reads }: Malformed, { status, headers, text }: Received): string | undefined {
	if (status >= 500) {
		const shed = site === "cdn" && status === 503 && headers.has("Retry-After");
		return shed ? undefined : "a failure of ours";
	}
	if (status < 400 || !reads || request.method === "HEAD") return undefined;
	const isPage = headers.get("Content-Type")?.startsWith("text/html") ?? false;
	if (isPage && refusesWithPages(site, request))
		return PAGE_REFUSALS.has(status) ? undefined : "a page with an odd status";
	return envelopeFault(status, headers, text);
}

/** The documentation, beside the API, is for people as the hosted pages are. */
function refusesWithPages(site: Malformed["site"], request: Request): boolean {
	return site === "web" || (site === "api" && new URL(request.url).pathname.startsWith("/docs"));
}

function envelopeFault(status: number, headers: Headers, text: string): string | undefined {
	if (!headers.get("Content-Type")?.startsWith("application/json")) return "a refusal that is not JSON";
	const body = JSON.parse(text) as { error?: Record<string, unknown> };
	if (Object.keys(body).join() !== "error") return "not the envelope";
	const { type, code, message } = body.error ?? {};
	const refusal = REFUSALS[String(code)];
	if (!refusal?.statuses.includes(status)) return `code ${code} with status ${status}`;
	if (refusal.type !== type || typeof message !== "string" || message === "") return "a code of another type";
	return detailsFault(code, body.error?.details);
}

function detailsFault(code: unknown, details: unknown): string | undefined {
	if (code !== "validation_error") return details === undefined ? undefined : "details where nothing was validated";
	const lists = Object.values((details ?? {}) as Record<string, unknown>);
	const named = lists.length > 0 && lists.every((list) => Array.isArray(list) && list.length > 0);
	return named ? undefined : "a validation_error that names no field";
}
