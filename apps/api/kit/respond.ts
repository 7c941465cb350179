import { type ChangeNote, noting } from "@svc/base/change-notes";
import { Failure } from "@svc/base/failure";
import { errorBody } from "@svc/base/http/envelope";
import { loggedPath } from "@svc/base/http/logged-path";
import { newId } from "@svc/base/ids";
import { visitorOf } from "@svc/people/visitors";
import type { AddHeaders, Answer, Call, Once, RouteContext } from "./call-types.ts";
import { COMMON_HEADERS } from "./headers.ts";
import { asRequestFailure, statusOf } from "./refusals/failure.ts";
import { inOwnWords } from "./refusals/refusal-words.ts";
import type { ApiRooms } from "./rooms.ts";

/* From what a route's function says to what goes out: the envelope of failures, the headers of all answers, the log. */

const eachTime: Once = (run) => run();

export async function respond(
	rooms: ApiRooms,
	{ request, params = {}, template, seenAt, posted }: RouteContext,
	run: (call: Call, addHeaders: AddHeaders) => Promise<Answer>,
): Promise<Response> {
	const startedMs = performance.now();
	const requestId = visitorOf(request)?.requestId ?? newId("req");
	const url = new URL(request.url);
	const headers: Record<string, string> = { ...COMMON_HEADERS, "X-Request-Id": requestId };
	const seen = () => seenAt?.(url.pathname);
	const call = { request, url, params: readable(params), requestId, posted, seenAt: seen, once: eachTime };
	const note: ChangeNote = { changed: false };
	let answer: Answer;
	try {
		const work = () => run(call, (more) => Object.assign(headers, more));
		answer = await (request.method === "GET" ? work() : noting(note, work));
	} catch (cause) {
		const failure = asRequestFailure(cause, { method: request.method, seenAt: seen(), ...note });
		answer = failed(rooms, inOwnWords(failure, { ...call, mode: rooms.mode }), requestId);
	}
	const elapsedMs = performance.now() - startedMs;
	if (request.method === "POST" && url.pathname === "/v1/images") {
		headers["X-Processing-Time"] = String(Math.round(elapsedMs));
	}
	report(rooms, {
		request,
		route: template,
		path: loggedPath(url.pathname),
		status: answer.status,
		elapsedMs,
		requestId,
	});
	const { body } = answer;
	const sent = body instanceof ReadableStream ? body : JSON.stringify(body);
	if (typeof sent === "string") headers["Content-Length"] = String(Buffer.byteLength(sent));
	return new Response(sent, {
		status: answer.status,
		headers: { ...headers, "Content-Type": "application/json", ...answer.headers, ...helpFor(rooms, answer) },
	});
}

/** Where a refusal is explained. The body is the specification's, so that this is told beside it. */
function helpFor({ addresses }: ApiRooms, { status, body }: Answer): Readonly<Record<string, string>> | undefined {
	if (status < 400) return undefined;
	const { error } = (body ?? {}) as Partial<ReturnType<typeof errorBody>>;
	return error && { Link: `<${addresses.base}/docs/reference/errors#${error.code}>; rel="help"` };
}

/** An address that cannot be read has no parameters. */
function readable(params: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value ?? ""]));
}

function failed(rooms: ApiRooms, failure: Failure, requestId: string): Answer {
	const status = statusOf(failure);
	// A refusal is the caller's business; a failure of ours is logged whole, with the cause that the answer hides.
	if (status >= 500)
		rooms.log.error("request failed", { request_id: requestId, code: failure.code, cause: failure.cause });
	return { status, body: errorBody(failure), ...retryAfter(failure) };
}

function retryAfter(failure: Failure): Pick<Answer, "headers"> {
	if (failure.retryAfterSeconds === undefined) return {};
	return { headers: { "Retry-After": String(failure.retryAfterSeconds) } };
}

interface Reported extends Pick<Call, "request" | "requestId"> {
	/** Without what is secret in it. */
	readonly path: string;
	/** Its path with the names of its parameters; empty where none matched. */
	readonly route: string;
	readonly status: number;
	readonly elapsedMs: number;
}

function report({ meters, log }: ApiRooms, reported: Reported): void {
	const { request, route, path, status, elapsedMs, requestId } = reported;
	const { method } = request;
	meters.count("svc_requests_total", { host: "api", route, method, status: String(status) });
	meters.observe("svc_request_seconds", elapsedMs / 1_000, { host: "api", route });
	log.info("request", { request_id: requestId, method, path, status, ms: Math.round(elapsedMs) });
}

/** The error envelope for a request that no route matched. */
export function refuse(rooms: ApiRooms, request: Request, failure: Failure): Promise<Response> {
	return respond(rooms, { request, template: "" }, async () => {
		throw failure;
	});
}

/** A known address with another method: the code table has no word of its own for it. */
export function refuseMethod(rooms: ApiRooms, request: Request, allow: string): Promise<Response> {
	return respond(rooms, { request, template: "" }, async () => methodRefused(allow));
}

export function methodRefused(allow: string): Answer {
	const failure = Failure.saying("bad_request", `This address takes ${allow}.`);
	return { status: 405, body: errorBody(failure), headers: { Allow: allow } };
}
