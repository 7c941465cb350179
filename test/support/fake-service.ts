import type { Image } from "@svc/sdk/shapes";
import type { Fetch } from "@svc/sdk/wire/request";
import { documentOf } from "./documents.ts";
import { type Documented, examplesOf } from "./examples.ts";

/* A service that answers what the API document says, for the tests of its clients. */

export interface Sent {
	readonly method: string;
	/** With its query, decoded. */
	readonly path: string;
	readonly headers: Headers;
	readonly body: unknown;
}

// Tests of clients look for this text in every output.
const HIDDEN = "svc_sk_test_secret";

const AT = "2026-01-01T00:00:00.000Z";
const KEY = { name: "First", permissions: ["read", "write"], prefix: "svc_sk_test_", last4: "wxyz" };
const IMAGE = {
	...{ id: "img_1", url: "http://cdn.test/t/img_1.png", filename: "cat.png", format: "png", width: 3, height: 2 },
	...{ bytes: 70, caption: "A cat", labels: { album: "pets", "a.b": "dotted" } },
};

/** What tests of clients look for; all else is as the document has it. */
const KNOWN = {
	Account: { email: "ada@example.com", operator: true },
	App: { name: "My first App" },
	AppProfile: { homepage_url: "https://example.com" },
	AppReference: { name: "My first App" },
	BatchResult: { errors: [] },
	Image: IMAGE,
	ImportItem: { index: 0, state: "created", image_id: "img_1", error: null },
	Job: { kind: "app.delete", state: "done", done: 2, total: 2 },
	Key: KEY,
	Login: { id: "lgn_1", secret: `svc_lgn_${HIDDEN}` },
	ManagedKey: { ...KEY, last_used_at: AT },
	Member: { id: "acc_1", email: "ada@example.com" },
	ModerationBatchResult: { errors: [] },
	// The key that the service says it was called with, so that a new one passes its check.
	NewKey: { ...KEY, secret: "svc_sk_test_made" },
	NewSession: { secret: `svc_ses_${HIDDEN}`, device_token: `nonce.${HIDDEN}` },
	Token: { scopes: ["images:read", "images:write"] },
	NewToken: { secret: "svc_pat_shown_once" },
	Session: { expires_at: "2026-02-01T00:00:00.000Z" },
	TrashRestore: { restored: ["tra_1", "tra_2"] },
	RedirectUri: { uri: "https://app.example.com/callback" },
};

const DOCUMENT = await documentOf<Documented>();
const { named, example, routes } = examplesOf(DOCUMENT, KNOWN);

export const FAKE_IMAGE = named("Image") as Image;

// One grey pixel.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** A picture, as the transform host and the authenticated preview answer. */
function fakePicture(): Response {
	return new Response(Buffer.from(PNG, "base64"), { headers: { "content-type": "image/png" } });
}

/** What is not in the document. */
const UNDOCUMENTED: readonly (readonly [path: RegExp, answer: () => unknown])[] = [
	[/^\/t\//, fakePicture],
	[/^\/openapi\.json$/, () => DOCUMENT],
	[/^\/healthz$/, () => new Response("ok\n", { headers: { date: "Thu, 01 Jan 2026 00:00:00 GMT" } })],
	[/^\/readyz$/, () => ({ ready: true, checks: { database: "ok", blobs: "ok" } })],
];

function answerTo({ method, path, body }: Sent): unknown {
	const { pathname, searchParams } = new URL(path, "http://svc.test");
	if (method === "POST" && pathname.endsWith("/exports") && body === "{}") return named("Job");
	const [, other] = UNDOCUMENTED.find(([pattern]) => pattern.test(pathname)) ?? [];
	if (other) return other();
	const route = routes.find((one) => one.method === method && one.path.test(pathname));
	if (!route) return refusal(404, "not_found");
	if (!route.schema) return fakePicture();
	if (searchParams.get("format") === "csv") return new Response("date\n", { headers: { "content-type": "text/csv" } });
	const shape = route.schema.anyOf ? named(BY[searchParams.get("by") ?? "total"] ?? "Usage") : example(route.schema);
	return method === "DELETE" ? tombstone(shape, pathname) : shape;
}

/** What the use of an App is told by. */
const BY: Readonly<Record<string, string>> = { user: "UserUsageList", month: "MonthUsageList" };

/** Of what the address named; where a job does the deletion, that one. */
function tombstone(answer: unknown, pathname: string): unknown {
	if (typeof answer !== "object" || answer === null || !("deleted" in answer)) return answer;
	const [noun = "", id] = pathname.split("/").slice(-2);
	return { id, object: noun.replace(/s$/, ""), deleted: true };
}

/** What was deleted is gone from the transform host too. */
function isGone({ path }: Sent, sent: readonly Sent[]): boolean {
	const [, id] = /^\/t\/(\w+)\./.exec(path) ?? [];
	return id !== undefined && sent.some((earlier) => earlier.method === "DELETE" && earlier.path.endsWith(`/${id}`));
}

/** A service that answers what a healthy one would, and keeps what it was sent. */
export function fakeService(reply?: (sent: Sent) => Response | undefined): {
	readonly fetch: Fetch;
	readonly sent: Sent[];
} {
	const sent: Sent[] = [];
	return {
		sent,
		fetch: async (url, init) => {
			const { pathname, search } = new URL(url);
			const { method = "GET", body } = init;
			const one = { method, path: decodeURIComponent(pathname + search), headers: new Headers(init.headers), body };
			sent.push(one);
			const answer = reply?.(one) ?? (isGone(one, sent) ? refusal(404, "not_found") : answerTo(one));
			return answer instanceof Response ? answer : Response.json(answer, { headers: { "x-request-id": "req_1" } });
		},
	};
}

/** An error answer in the service's envelope. */
export function refusal(status: number, code: string, more: Record<string, unknown> = {}): Response {
	const error = { type: "some_error", code, message: `It was ${code}.`, ...more };
	return Response.json({ error }, { status, headers: { "x-request-id": "req_9" } });
}
