import { isPersonal } from "@svc/base/crypto/secrets";
import { Failure } from "@svc/base/failure";
import { bearer, requireKey } from "@svc/keys/keys";
import type { ToolDocument } from "@svc/mcp/api-document";
import type { ToolCaller, ToolFace } from "@svc/mcp/http";
import type { Session } from "@svc/people/people";
import { identifyPerson } from "@svc/people/visitors";
import type { Elysia } from "elysia";
import { requireJson } from "../kit/body/body.ts";
import type { JsonBounds } from "../kit/body/json-bounds.ts";
import { openRoute } from "../kit/call.ts";
import type { Answer, Call } from "../kit/call-types.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { register } from "../kit/route.ts";

/*
 * `/mcp`: the tools of `svc mcp` over HTTP. Each request stands alone, without a session, and each tool makes the same calls of the REST API as anybody
 * would with that token, so that nothing is judged here a second time.
 */

type Handle = (request: Request) => Promise<Response>;

/** A call of a tool is a hundred ids or the texts of one image; more calls in one body, which older versions of the protocol knew, are refused. */
const BOUNDS: JsonBounds = { maxBytes: 128 * 1_024, maxParts: 1_000 };

const HOW = "svc tokens create agent --app <id> --scope images:read (or in JSON: POST /v1/tokens)";

/** What makes it is loaded when somebody first asks for it. */
export function mcp(app: Elysia, rooms: ApiRooms, handle: Handle): void {
	let face: Promise<ToolFace> | undefined;
	const load = async () => {
		const { openToolFace } = await import("@svc/mcp/http");
		return openToolFace(await documentBy(rooms, handle));
	};
	const open = () => {
		face ??= load().catch((cause) => {
			face = undefined;
			throw cause;
		});
		return face;
	};
	const serve = async (call: Call): Promise<Answer> => {
		refuseForeign(rooms, call);
		const caller = await callerOf(rooms, call, handle);
		const message = await requireJson(call.request, BOUNDS);
		return answered(await (await open())(call.request, message, caller));
	};
	register(app, "POST", "/mcp", openRoute(rooms)(serve), { hide: true });
}

async function documentBy({ addresses }: ApiRooms, handle: Handle): Promise<ToolDocument> {
	const answer = await handle(new Request(new URL("/openapi.json", addresses.base)));
	return (await answer.json()) as ToolDocument;
}

/** A page of somebody else must not speak for whoever is in front of it, nor find a service on their machine. Who sends no Origin is no page. */
function refuseForeign({ addresses }: ApiRooms, { request }: Call): void {
	const origin = request.headers.get("origin");
	const own = [addresses.base, addresses.web].map((address) => new URL(address).origin);
	if (origin === null || own.includes(origin)) return;
	throw Failure.saying("forbidden", "Pages of other origins cannot use /mcp: it is for programs.");
}

/**
 * A token for agents alone: what it may do is in its scopes, and these hold nothing that no tool does.
 * @throws Failure unauthorized, forbidden
 */
async function callerOf(rooms: ApiRooms, call: Call, handle: Handle): Promise<ToolCaller> {
	const { headers } = call.request;
	const authorization = headers.get("authorization");
	if (authorization === null)
		throw Failure.saying("unauthorized", `Send a token (Authorization: Bearer svc_pat_…), no cookie: ${HOW}`);
	const secret = bearer(authorization);
	if (!isPersonal(secret)) {
		await requireKey(rooms.keys, secret);
		throw Failure.saying("forbidden", `/mcp takes no App's key. Make a token with scopes: ${HOW}`);
	}
	const { session } = await identifyPerson(rooms.people, secret);
	const scopes = scopesOf(session);
	rooms.limits.calls.take(session.id);
	return { scopes, rest: restOf(rooms, call, { secret, appId: session.appId }, handle) };
}

/** Scopes to change something: all else here is only read. */
const CHANGES: ReadonlySet<string> = new Set(["images:write", "images:delete", "events:write"]);

function scopesOf({ kind, scopes }: Session): readonly string[] {
	if (kind !== "pat" || scopes === null)
		throw Failure.saying("forbidden", `/mcp takes no session, which may do all that you may. Make a token: ${HOW}`);
	const extra = [...scopes].filter((scope) => scope.endsWith(":write") && !CHANGES.has(scope));
	if (extra.length === 0) return [...scopes];
	const message = `This token may change more than any tool (${extra.join(", ")}). Make one for /mcp alone: ${HOW}`;
	throw Failure.saying("forbidden", message);
}

/** The REST API of this process, asked as the caller would ask it: about the App of the header, or that of the token. */
function restOf(
	{ addresses }: ApiRooms,
	{ request: { headers } }: Call,
	{ secret, appId }: { readonly secret: string; readonly appId: string | null },
	handle: Handle,
): ToolCaller["rest"] {
	const user = headers.get("x-svc-user");
	return {
		baseUrl: addresses.base,
		apiKey: secret,
		app: headers.get("x-svc-app") ?? appId ?? undefined,
		...(user !== null && { user }),
		fetch: (url, init) => handle(new Request(url, init)),
	};
}

function answered(response: Response): Answer {
	const type = response.headers.get("content-type");
	return {
		status: response.status,
		body: response.body ?? new Blob().stream(),
		...(type !== null && { headers: { "Content-Type": type } }),
	};
}
