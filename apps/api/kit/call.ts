import type { Access } from "@svc/apps/access";
import type { StorageNoun } from "@svc/apps/team/team";
import { type ChangeNote, noting } from "@svc/base/change-notes";
import type { Permission } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import { errorBody } from "@svc/base/http/envelope";
import { loggedPath } from "@svc/base/http/logged-path";
import { networkOf } from "@svc/base/http/network";
import { newId } from "@svc/base/ids";
import { requireAppWide } from "@svc/connect/connections";
import type { CallAccess, Foreseen } from "@svc/images/ports";
import type { Usage } from "@svc/images/usage/usage";
import { type Credentials, identify, identifyKey, type KeyAccess, permit, withinBudget } from "@svc/keys/keys";
import type { ReplayScope } from "@svc/keys/replays";
import type { Keys } from "@svc/keys/room";
import { type Attempt, attemptOf, isRead } from "./far/attempt.ts";
import { CallerGuesses, foresee } from "./far/foresight.ts";
import { COMMON_HEADERS, usageHeaders } from "./headers.ts";
import { type Bound, type Once, once, type PostedRoute } from "./once.ts";
import { asRequestFailure, statusOf } from "./refusals/failure.ts";
import { inOwnWords } from "./refusals/refusal-words.ts";
import type { ApiRooms } from "./rooms.ts";

/** One request as a route's function gets it. */
export interface Call {
	readonly request: Request;
	readonly url: URL;
	readonly params: Readonly<Record<string, string>>;
	readonly requestId: string;
	/** Of a POST whose answer is kept under its Idempotency-Key. */
	readonly posted: PostedRoute | undefined;
	/** The address that shows what the call may have changed. */
	readonly seenAt: string | undefined;
	/** Answers a POST once under its Idempotency-Key. Guards bind it to the caller; where nobody is known it runs each time. */
	readonly once: Once;
}

/** A call about the images of one storage. */
export interface StorageCall extends Call {
	readonly access: Access;
	/** Headers for whatever the answer will be, an error too. */
	addHeaders(headers: Readonly<Record<string, string>>): void;
	/** Counters of the storage that the call is about, as they are now. */
	usage(): Promise<Usage>;
}

export interface Answer<Body = unknown> {
	readonly status: number;
	/** Goes out as JSON; a stream as it is, with a Content-Type among the headers. */
	readonly body: Body;
	readonly headers?: Readonly<Record<string, string>>;
}

export function ok<Body>(body: Body): Answer<Body> {
	return { status: 200, body };
}

export function created<Body>(body: Body): Answer<Body> {
	return { status: 201, body };
}

/** The part of Elysia's handler context that is used here. */
interface RouteContext {
	readonly request: Request;
	/** Null where an address holds what is no percent-encoded UTF-8. */
	readonly params?: Readonly<Record<string, string | null>> | undefined;
	/** The route's path, with the names of its parameters. */
	readonly route?: string;
	/** The address that shows what a call of this path may have changed. */
	readonly seenAt?: ((path: string) => string | undefined) | undefined;
	readonly posted?: PostedRoute;
}

export type RouteHandler = (context: RouteContext) => Promise<Response>;

/** Decides whether a caller may make a call, and tells the route who the caller is. */
export type Guard<Known extends Call> = (run: (call: Known) => Promise<Answer>) => RouteHandler;

/** A route that needs no key and no sign-in. */
export function openRoute(rooms: ApiRooms): Guard<Call> {
	return (run) => (context) => respond(rooms, context, (call) => countRefusals(rooms, call, () => run(call)));
}

/**
 * What costs nothing to send is refused so many times to one network: it is asked before a byte of a body is read, and each refusal counts once it is
 * known. Reads have a limit of their own.
 * @throws Failure rate_limited, and whatever `run` throws
 */
export async function countRefusals(rooms: ApiRooms, { request }: Call, run: () => Promise<Answer>): Promise<Answer> {
	if (request.method === "GET") return await run();
	const network = networkOf(rooms.addressOf(request));
	rooms.limits.refusals.ask(network);
	try {
		return await run();
	} catch (cause) {
		if (cause instanceof Failure && statusOf(cause) < 500) rooms.limits.refusals.take(network);
		throw cause;
	}
}

/** A call that only a key can make. */
export interface KeyCall extends StorageCall {
	readonly access: KeyAccess;
}

/** A route for key holders, and for the App's team where `X-Svc-App` selects the App; a token needs the scope of `noun`. */
export function storageRoute(rooms: ApiRooms, need: Permission, noun: StorageNoun = "images"): Guard<StorageCall> {
	return (run) => accessRoute(rooms, (keys, sent, guess) => identify(keys, sent, guess, noun), need, run);
}

/** A route for key holders. */
export function keyRoute(rooms: ApiRooms, need: Permission | "any"): Guard<KeyCall> {
	return (run) => accessRoute(rooms, identifyKey, need, run);
}

/**
 * A route about an App as a whole, for its App-wide keys: it selects no user.
 * @throws Failure forbidden for a key that reaches one storage; validation_error where X-Svc-User came along
 */
export function wholeAppRoute(rooms: ApiRooms, need: Permission): Guard<KeyCall> {
	const identifyCaller = (keys: Keys, sent: Credentials, guess?: Access) =>
		identifyKey(keys, { ...sent, user: null }, guess);
	return (run) =>
		accessRoute(rooms, identifyCaller, need, async (call) => {
			requireAppWide(call.access);
			if (call.request.headers.has("x-svc-user")) {
				throw invalid("X-Svc-User", "must be left out: this call is about all users of the App");
			}
			return await run(call);
		});
}

/**
 * The caller is checked before a byte of the body is read. Every answer, errors too, carries the usage headers once the storage is
 * known.
 */
function accessRoute<Known extends Access>(
	rooms: ApiRooms,
	identifyCaller: (keys: Keys, sent: Credentials, guess?: Access) => Promise<Known>,
	need: Permission | "any",
	run: (call: StorageCall & { readonly access: Known }) => Promise<Answer>,
): RouteHandler {
	const guesses = rooms.keys.isFar ? new CallerGuesses<Known>() : undefined;
	return (context) =>
		respond(rooms, context, async (call, addHeaders) => {
			const sent = credentialsOf(call.request);
			const guess = guesses?.of(sent);
			const find = () => identifyCaller(rooms.keys, sent, guess);
			const permitted = (found: Known) => {
				if (need !== "any") permit(found, need);
				return found;
			};
			const own = { requestId: call.requestId, again: () => find().then(permitted) };
			const attempt = (caller: Known, foreseen?: Foreseen) =>
				attemptOf(
					rooms,
					boundTo(rooms, call, { ...replayScope(caller), anew: own.again }),
					{ ...caller, ...own, foreseen },
					run,
				);

			const finding = find();
			const known = begunFor(rooms, call, guess, attempt);
			const found = await finding;
			rooms.images.dailyCounters.countRequest(found.storage.pk);
			const made = known(found, guesses?.note(sent, found) === true);
			try {
				permitted(found);
				rooms.limits.calls.take(found.caller.pk);
				return await made.begin();
			} finally {
				addHeaders(made.headers);
				// The answer stands whatever becomes of the counters.
				const counted = await withinBudget(made.usage()).catch(() => undefined);
				if (counted) addHeaders(usageHeaders(counted));
			}
		});
}

/** Begins what a guessed caller's call will read, and then gives the attempt of the caller who it is. */
function begunFor<Known extends Access>(
	rooms: ApiRooms,
	call: Call,
	guess: Known | undefined,
	attempt: (caller: Known, foreseen?: Foreseen) => Attempt,
): (found: Known, isGuessed: boolean) => Attempt {
	if (guess === undefined) return (found) => attempt(found);
	if (!isRead(call)) {
		const foreseen = foresee(rooms, guess, call.params.id, createKeyOf(call));
		return (found, isGuessed) => attempt(found, isGuessed ? foreseen : undefined);
	}
	const early = attempt(guess);
	// Whoever asks again hears of it, and nobody else is to.
	early.begin().catch(() => undefined);
	return (found, isGuessed) => (isGuessed ? early : attempt(found));
}

/** The Idempotency-Key of a create; one that is none is refused by the route. */
function createKeyOf({ request, url }: Call): string | undefined {
	const isCreate = request.method === "POST" && url.pathname === "/v1/images";
	return isCreate ? (request.headers.get("idempotency-key") ?? undefined) : undefined;
}

/** An App's keys share their Idempotency-Keys, so that a rotated one still de-duplicates; a person and a user's own keys have theirs. */
function replayScope({ caller, app, storage }: Access): ReplayScope {
	if (caller.reach === "team") return { caller: caller.id, about: [app.id, storage.id], formerly: caller.id };
	if (storage.kind === "app") return { caller: app.id, about: [] };
	const whose = caller.reach === "user" ? "user" : app.id;
	return { caller: storage.id, about: [whose], formerly: storage.id };
}

/** The same call, whose route answers once under the Idempotency-Keys of this caller. */
export function boundTo<Known extends Call>(rooms: ApiRooms, call: Known, bound: Bound): Known {
	return call.posted ? { ...call, once: (run, again) => once(rooms, call, bound, run, again) } : call;
}

const eachTime: Once = (run) => run();

/**
 * The same caller, about another storage of the App: that of a user, or with null the App's own.
 * @throws Failure as for a call about that storage
 */
export async function accessTo(rooms: ApiRooms, call: StorageCall, user: string | null): Promise<CallAccess> {
	const sent = { ...credentialsOf(call.request), user };
	const find = async () => {
		const found = await identify(rooms.keys, sent);
		permit(found, "write");
		return found;
	};
	return { ...(await find()), requestId: call.requestId, again: find };
}

function credentialsOf({ headers }: Request): Credentials {
	return {
		authorization: headers.get("authorization"),
		app: headers.get("x-svc-app"),
		user: headers.get("x-svc-user"),
	};
}

type AddHeaders = (headers: Readonly<Record<string, string>>) => void;

export async function respond(
	rooms: ApiRooms,
	{ request, params = {}, route = "", seenAt, posted }: RouteContext,
	run: (call: Call, addHeaders: AddHeaders) => Promise<Answer>,
): Promise<Response> {
	const startedMs = performance.now();
	const requestId = newId("req");
	const url = new URL(request.url);
	const headers: Record<string, string> = { ...COMMON_HEADERS, "X-Request-Id": requestId };
	const seen = seenAt?.(url.pathname);
	const call = { request, url, params: readable(params), requestId, posted, seenAt: seen, once: eachTime };
	const note: ChangeNote = { changed: false };
	let answer: Answer;
	try {
		const work = () => run(call, (more) => Object.assign(headers, more));
		answer = await (isRead(call) ? work() : noting(note, work));
	} catch (cause) {
		const failure = asRequestFailure(cause, { method: request.method, seenAt: seen, ...note });
		answer = failed(rooms, inOwnWords(failure, { ...call, mode: rooms.mode }), requestId);
	}
	const elapsedMs = performance.now() - startedMs;
	if (request.method === "POST" && url.pathname === "/v1/images") {
		headers["X-Processing-Time"] = String(Math.round(elapsedMs));
	}
	report(rooms, { request, route, path: loggedPath(url.pathname), status: answer.status, elapsedMs, requestId });
	const { body } = answer;
	return new Response(body instanceof ReadableStream ? body : JSON.stringify(body), {
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
	return respond(rooms, { request }, async () => {
		throw failure;
	});
}

/** A known address with another method: the code table has no word of its own for it. */
export function refuseMethod(rooms: ApiRooms, request: Request, allow: string): Promise<Response> {
	return respond(rooms, { request }, async () => methodRefused(allow));
}

export function methodRefused(allow: string): Answer {
	const failure = Failure.saying("bad_request", `This address takes ${allow}.`);
	return { status: 405, body: errorBody(failure), headers: { Allow: allow } };
}
