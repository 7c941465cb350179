import { statusOf } from "@svc/api/kit/refusals/failure";
import { FAILURE_CODES, Failure, type FailureCode } from "@svc/base/failure";
import { ERROR_TYPES } from "@svc/base/http/envelope";
import { undeclared } from "./declared.ts";

/*
 * What holds for every answer of the REST API, whatever was asked: each answer that a test gets in this process is checked against all of it.
 * "Never" and "always" are proven by that, rather than by a few examples.
 */

export interface Deployment {
	readonly variant: string;
	/** Origins of the API and of the transform host. */
	readonly base: string;
	readonly cdn: string;
	/** Whether an App's images are served at this host. */
	readonly isImageHost: (host: string) => boolean;
	/** The API document of the version that is served. */
	readonly readDocument: () => Promise<unknown>;
	/** On a database over a network, an answer whose counters could not be read in time goes without them. */
	readonly isRemote?: boolean;
}

/** An answer that was read to its end. */
export interface Answer {
	readonly method: string;
	readonly url: URL;
	/** The `Authorization` header of the request. */
	readonly authorization: string | null;
	readonly status: number;
	readonly headers: Headers;
	/** Undefined where it is no JSON. */
	readonly body: unknown;
	readonly deployment: Deployment;
}

/** Says what is wrong; undefined where the rule holds. */
type Check = (answer: Answer) => string | undefined;

type Shape = Readonly<Record<string, unknown>>;

/** A rule of the management API, which has no statement of its own. */
export const SHOWN_ONCE = "a secret is shown once";

/** A rule of ours: the specification fixes the body alone. */
export const EXPLAINED = "a refusal says where it is explained, and nothing else does";

/** The rules, by the statements that they prove. */
export const RULES: Readonly<Record<string, Check>> = {
	"endpoints.json-bodies": isJson,
	"errors.body-single-object": isErrorAlone,
	"errors.type, errors.code, errors.message": isErrorWhole,
	"errors.action-shape, errors.action-wait-only": isActionRight,
	"errors.success-clean": isSuccessClean,
	[EXPLAINED]: isExplained,
	"limits.header.cors-exposed": isExposed,
	"limits.header.processing-time": hasProcessingTime,
	"endpoints.usage-headers-on-success": hasUsageHeaders,
	"list.envelope.object, list.envelope.data, list.envelope.pagination, list.cursor.terminal": isListWhole,
	"list.next-url.carries-filter, list.next-url.carries-limit": leadsOn,
	"image.fields.object, image.fields.url, image.status.values, image.fields.page_url-absent, image.fields.public-absent, image.fields.page_url":
		areImagesRight,
	"image.status.list-ready-only, image.status.list-ready-or-processing, image.status.failed-never-servable":
		isListedReady,
	"tombstone.deleted": areTombstonesRight,
	"billing.status.dates-iso-utc": areDatesIso,
	"price.fields.interval, price.fields.trial_days": arePricesRight,
	[SHOWN_ONCE]: showsNoSecret,
};

const JSON_TYPE = /^application\/json\b/;

/** How many answers were checked in this process. */
export const checked = { answers: 0 };

/** Checks an answer of the API; others are left alone. @throws Error that names the rules that it breaks */
export async function checkAnswer(request: Request, response: Response, deployment: Deployment): Promise<void> {
	const url = new URL(request.url);
	if (url.origin !== deployment.base || !url.pathname.startsWith("/v1/") || request.method === "OPTIONS") return;
	// What was compressed on the way out is what tests of compression read for themselves.
	if (response.headers.has("content-encoding")) return;
	const isText = JSON_TYPE.test(response.headers.get("content-type") ?? "") && request.method !== "HEAD";
	const answer = {
		...{ method: request.method, url, deployment, status: response.status, headers: response.headers },
		authorization: request.headers.get("authorization"),
		body: isText ? await readJson(response.clone()) : undefined,
	};
	checked.answers += 1;
	const more = await undeclared(answer, request.headers.get("content-type"));
	const broken = [...faultsOf(answer), ...(more === undefined ? [] : [more])];
	if (broken.length > 0) {
		throw new Error(`${answer.method} ${url.pathname}${url.search} ${answer.status}: ${broken.join("; ")}`);
	}
}

export function faultsOf(answer: Answer): readonly string[] {
	return Object.entries(RULES).flatMap(([ids, check]) => {
		const fault = check(answer);
		return fault === undefined ? [] : [`${fault} [${ids}]`];
	});
}

async function readJson(response: Response): Promise<unknown> {
	const text = await response.text();
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** Bytes come from the two addresses that show operators a picture, or hand out what was asked to be exported. */
const BYTES = /\/(preview|export|images\.zip|exports\/[^/]+\/(file|download|masters\/[^/]+))$/;

function isJson({ method, url, status, headers, body }: Answer): string | undefined {
	if (method === "HEAD" || (status < 300 && BYTES.test(url.pathname))) return undefined;
	// A file that was asked for as such.
	if (status === 200 && url.pathname === "/v1/usage/daily" && url.searchParams.get("format") === "csv")
		return undefined;
	if (status === 204 || status === 304) return undefined;
	if (!JSON_TYPE.test(headers.get("content-type") ?? "")) return `is ${headers.get("content-type")}`;
	return isObject(body) ? undefined : "is no JSON object";
}

function isErrorAlone({ status, body, method }: Answer): string | undefined {
	if (status < 400 || method === "HEAD") return undefined;
	return isObject(body) && Object.keys(body).join() === "error" ? undefined : "has more, or less, than the error";
}

function isErrorWhole({ status, body }: Answer): string | undefined {
	const error = errorOf(status, body);
	if (!error) return undefined;
	const { type, code, message, details } = error;
	if (!FAILURE_CODES.includes(code as FailureCode)) return `has the code ${code}`;
	if (!ERROR_TYPES.some((one) => one === type)) return `has the type ${type}`;
	if (typeof message !== "string" || message.length === 0) return "has no message";
	if (details !== undefined && !isDetails(details)) return "has details that are not lists of texts by name";
	const known = [false, true].map((timedOut) => statusOf(new Failure(code as FailureCode, undefined, { timedOut })));
	// A known address with another method: the table of codes has no word of its own for it.
	if (status === 405 && code === "bad_request") return undefined;
	return known.includes(status) ? undefined : `has the code ${code}`;
}

function isDetails(details: unknown): boolean {
	return (
		isObject(details) &&
		Object.values(details).every((texts) => Array.isArray(texts) && texts.every((text) => typeof text === "string"))
	);
}

function isActionRight({ status, body, headers, deployment }: Answer): string | undefined {
	const action = errorOf(status, body)?.action;
	const header = headers.get("retry-after");
	if (action === undefined) return header === null ? undefined : "has Retry-After without an action";
	if (!isObject(action)) return "has an action that is no object";
	const { type, retry_after: seconds } = action;
	const types = deployment.variant === "current" ? ["wait"] : ["wait", "upgrade"];
	if (!types.some((one) => one === type)) return `has the action ${type}`;
	return actionFault(action) ?? secondsFault(type === "wait", seconds, header);
}

function actionFault({ type: _, retry_after: __, label, url, ...more }: Shape): string | undefined {
	if (Object.keys(more).length > 0) return `has an action with ${Object.keys(more)}`;
	const isText = [label, url].every((text) => text === undefined || typeof text === "string");
	return isText ? undefined : "has a label that is no text";
}

function secondsFault(waits: boolean, seconds: unknown, header: string | null): string | undefined {
	if (!waits) return seconds === undefined && header === null ? undefined : "has seconds to no wait";
	return Number.isInteger(seconds) && header === String(seconds)
		? undefined
		: "waits for other seconds than Retry-After";
}

function isExplained({ status, headers, body, deployment, url }: Answer): string | undefined {
	const code = (body as { readonly error?: { readonly code?: string } } | undefined)?.error?.code;
	const isRefusal = status >= 400 && code !== undefined && url.pathname.startsWith("/v1/");
	const wanted = isRefusal ? `<${deployment.base}/docs/reference/errors#${code}>; rel="help"` : null;
	if (headers.get("link") === wanted) return undefined;
	return `Link is ${headers.get("link")}, not ${wanted}`;
}

function isSuccessClean({ status, body }: Answer): string | undefined {
	if (status >= 400 || !isObject(body)) return undefined;
	return "error" in body || "action" in body ? "is a success with an error or an action" : undefined;
}

const OURS = /^(x-(monthly|storage|limits|processing|request|ratelimit|svc)-.*|retry-after|idempotent-replayed)$/;

/** Those of upload tickets say themselves which pages may read them. */
const OF_TICKETS = /^\/v1\/uploads\//;

function isExposed({ url, headers }: Answer): string | undefined {
	if (headers.get("access-control-allow-origin") !== "*" && !OF_TICKETS.test(url.pathname))
		return "is not for every origin";
	const exposed = new Set((headers.get("access-control-expose-headers") ?? "").toLowerCase().split(/,\s*/));
	const hidden = [...headers.keys()].filter((name) => OURS.test(name) && !exposed.has(name));
	return hidden.length === 0 ? undefined : `hides ${hidden} from scripts`;
}

function hasProcessingTime({ method, url, headers }: Answer): string | undefined {
	if (method !== "POST" || url.pathname !== "/v1/images") return undefined;
	return /^\d+$/.test(headers.get("x-processing-time") ?? "") ? undefined : "has no X-Processing-Time";
}

const COUNTERS = ["X-Monthly-Uploads", "X-Storage"] as const;
const COUNTED = /^\/v1\/(images(\/.*)?|usage|key|auth\/exchange|billing\/(status|plans))$/;

function hasUsageHeaders({ url, status, authorization, headers, deployment }: Answer): string | undefined {
	const faults = COUNTERS.flatMap((name) => {
		const [used, limit, remaining] = ["Used", "Limit", "Remaining"].map((part) => headers.get(`${name}-${part}`));
		if (used === null && limit === null && remaining === null) return ["none"];
		if (![used, limit, remaining].every((text) => /^\d+$/.test(text ?? ""))) return [`${name} with ${used}, ${limit}`];
		return Number(remaining) === Math.max(0, Number(limit) - Number(used)) ? [] : [`${name} that do not add up`];
	});
	if (faults.length === 2 && faults.every((fault) => fault === "none")) {
		const needed = status < 300 && authorization !== null && COUNTED.test(url.pathname) && !deployment.isRemote;
		return needed ? "has no usage headers" : undefined;
	}
	return faults.length === 0 ? undefined : `has ${faults.join(" and ")}`;
}

function isListWhole({ body }: Answer): string | undefined {
	if (!isObject(body) || body.object !== "list") return undefined;
	const { data, pagination } = body;
	if (!Array.isArray(data) || !isObject(pagination)) return "is a list without data or pagination";
	const { has_more: more, next_cursor: cursor, next_url: next } = pagination;
	if (typeof more !== "boolean") return "is a list that does not say whether there is more";
	const ends = more ? typeof cursor === "string" && typeof next === "string" : cursor === null && next === null;
	return ends ? undefined : "is a list whose end says something else than its cursor";
}

/** The next page has the same address, filter and length. */
function leadsOn({ body, url, deployment }: Answer): string | undefined {
	const next = isObject(body) && isObject(body.pagination) ? body.pagination.next_url : undefined;
	if (typeof next !== "string") return undefined;
	const on = new URL(next);
	if (`${on.origin}${on.pathname}` !== `${deployment.base}${url.pathname}`) return `goes on at ${next}`;
	const lost = [...url.searchParams].find(
		([name, value]) => name !== "cursor" && name !== "limit" && /^(label|ids)/.test(name) && !carries(on, name, value),
	);
	if (lost) return `goes on without ${lost}`;
	const limit = url.searchParams.get("limit");
	return limit === null || on.searchParams.get("limit") === limit ? undefined : "goes on with another limit";
}

function carries(next: URL, name: string, value: string): boolean {
	const parts = (text: string | null) => new Set((text ?? "").split(","));
	return parts(value).symmetricDifference(parts(next.searchParams.get(name))).size === 0;
}

const STATUSES: ReadonlySet<unknown> = new Set(["ready", "processing", "failed", "blocked"]);

function areImagesRight({ body, deployment }: Answer): string | undefined {
	return firstFault(body, (one) => (isImage(one) ? imageFault(one, deployment) : undefined));
}

function isImage(one: Shape): boolean {
	return typeof one.filename === "string" && "object" in one && "sizes" in one;
}

function imageFault(one: Shape, { variant, cdn, isImageHost }: Deployment): string | undefined {
	if (one.object !== "image") return "is an image that says it is none";
	if (typeof one.url !== "string") return "has an image without its address";
	const at = new URL(one.url);
	if (at.origin !== cdn && !isImageHost(at.host)) return "has an image without its address";
	if (!STATUSES.has(one.status)) return `has an image that is ${one.status}`;
	if (variant === "current") return "public" in one || "page_url" in one ? "has public or page_url" : undefined;
	return typeof one.page_url === "string" ? undefined : "has an image without page_url";
}

function isListedReady({ url, body, deployment }: Answer): string | undefined {
	if (url.pathname !== "/v1/images" || !isObject(body) || !Array.isArray(body.data)) return undefined;
	const listed = deployment.variant === "legacy" ? ["ready", "processing"] : ["ready"];
	const other = (body.data as Shape[]).find(({ status }) => !listed.includes(String(status)));
	return other && `lists an image that is ${other.status}`;
}

function areTombstonesRight({ body }: Answer): string | undefined {
	return firstFault(body, (one) => {
		if (!("deleted" in one) || !("id" in one) || !("object" in one)) return undefined;
		return one.deleted === true ? undefined : "has a tombstone of what is not deleted";
	});
}

const DATE = /(_at|_until|^trial_end|_period_end|^resend_after|^resets_at)$/;
const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

function areDatesIso({ body }: Answer): string | undefined {
	return firstFault(body, (one) => {
		const wrong = Object.entries(one).find(
			([name, value]) => DATE.test(name) && typeof value === "string" && !ISO_UTC.test(value),
		);
		return wrong && `has the date ${wrong.join(": ")}`;
	});
}

function arePricesRight({ body }: Answer): string | undefined {
	return firstFault(body, (one) => {
		if (one.object !== "price") return undefined;
		if (one.interval !== "month" && one.interval !== "year") return `has a price by the ${one.interval}`;
		return Number.isInteger(one.trial_days) ? undefined : "has a price without days of its trial";
	});
}

/** A secret is in the answer that makes it, and in no other. */
function showsNoSecret({ method, body }: Answer): string | undefined {
	if (method === "POST" || body === undefined) return undefined;
	return /svc_(sk_live|sk_test|live|test|ses|pat)_[0-9A-Za-z]{38}/.test(JSON.stringify(body))
		? "shows a secret"
		: undefined;
}

function errorOf(status: number, body: unknown): Shape | undefined {
	return status >= 400 && isObject(body) && isObject(body.error) ? body.error : undefined;
}

function isObject(value: unknown): value is Shape {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What callers put there themselves is theirs. */
const THEIRS: ReadonlySet<string> = new Set(["metadata", "labels", "changes", "details", "payload"]);

/** The first fault of an object in the answer, at any depth. */
function firstFault(value: unknown, check: (one: Shape) => string | undefined): string | undefined {
	if (Array.isArray(value)) return value.map((item) => firstFault(item, check)).find((fault) => fault !== undefined);
	if (!isObject(value)) return undefined;
	const inner = Object.entries(value).filter(([name]) => !THEIRS.has(name));
	return (
		check(value) ??
		firstFault(
			inner.map(([, item]) => item),
			check,
		)
	);
}
