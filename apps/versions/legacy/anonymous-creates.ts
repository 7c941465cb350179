import { answerCreate, readCreateRequest } from "@svc/api/images/create";
import type { Answer, Call, RouteHandler } from "@svc/api/kit/call-types";
import { EXPOSED, readKey } from "@svc/api/kit/headers";
import { respond } from "@svc/api/kit/respond";
import type { ApiRooms } from "@svc/api/kit/rooms";
import type { ApiVersion } from "@svc/api/version";
import type { Access } from "@svc/apps/access";
import type { Addresses } from "@svc/base/addresses";
import { Failure } from "@svc/base/failure";
import type { Created } from "@svc/images/create/claim";
import { type CreateRequest, createImage } from "@svc/images/create/create-image";
import { keyHash } from "@svc/images/create/idempotency";
import { KEY_OR_NONE } from "@svc/variants/shape";
import type { FieldSchemas, Variant } from "@svc/variants/variant";
import * as v from "valibot";
import {
	findMade,
	type HourlyCap,
	hourlyCap,
	identifyAnonymous,
	inTurn,
	isRemembered,
	ownKey,
	readCap,
} from "./anonymous.ts";

/* Creates without a key: they all go to one pool, and are always public. */

interface AnonymousRules {
	readonly maxBytes: number;
	/** The ttl, and also the longest that may be requested. */
	readonly ttlSeconds: number;
	/** Creates of one network address in an hour. */
	readonly perHour: number;
}

/** `POST /v1/images`: with a key into its storage; without one into the pool that all callers share. */
export function anonymousCreates(rules: AnonymousRules): ApiVersion["creates"] {
	return {
		route(keyed, rooms) {
			const anonymous = anonymousRoute({ ...rooms, variant: withoutKey(rooms.variant, rules) }, rules);
			return (context) => (isAnonymous(context.request) ? anonymous(context) : keyed(context));
		},
		detail: { security: KEY_OR_NONE, description: descriptionOf(rules) },
	};
}

function descriptionOf({ maxBytes, ttlSeconds, perHour }: AnonymousRules): string {
	return [
		`Without a key: at most ${perHour} images an hour from one network (an IPv4 address, or a /64 of IPv6), refused tries included, a file of at most`,
		`${maxBytes.toLocaleString("en")} bytes, always public, gone after ${ttlSeconds / 86_400} days or, by \`ttl\`, earlier. Such answers carry`,
		"`X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (unix time in seconds) instead of the usage headers, and",
		'`X-Svc-Action: signup; url="…"`, the address where to sign up.',
	].join(" ");
}

/**
 * A key that is sent and wrong is refused, and so is a missing one where a storage is selected: an image meant for one storage must
 * not become public in the pool.
 */
function isAnonymous({ headers }: Request): boolean {
	return !["authorization", "x-svc-user", "x-svc-app"].some((name) => headers.has(name));
}

function anonymousRoute(rooms: ApiRooms, rules: AnonymousRules): RouteHandler {
	return (context) =>
		respond(rooms, context, async (call, addHeaders) => {
			const again = () => identifyAnonymous(rooms.images, rooms.addressOf(call.request));
			const access = { ...(await again()), again };
			const cap = hourlyCap(access, rules.perHour);
			try {
				rooms.limits.calls.take(access.caller.pk);
				rooms.limits.creates.take(access.caller.pk);
				return await createInPool(rooms, call, access, cap, rules);
			} catch (cause) {
				throw withSignUp(rooms, cause);
			} finally {
				// The answer stands whatever becomes of the counters.
				const left = await readCap(rooms.images, cap).catch(() => undefined);
				addHeaders(anonymousHeaders(rooms, left && { ...left, limit: cap.limit }));
			}
		});
}

async function createInPool(
	rooms: ApiRooms,
	{ request }: Call,
	access: Access,
	cap: HourlyCap,
	rules: AnonymousRules,
): Promise<Answer> {
	const sentKey = readKey(request);
	const key = sentKey === undefined ? undefined : ownKey(access, sentKey);
	const read = () => readCreateRequest(rooms, access, request, key, { ttl: rules.ttlSeconds });
	const made =
		(await inTurn(rooms.images, cap, async () =>
			createImage(rooms.images, access, await read(), rooms.variant.files),
		)) ?? (await replay(rooms, access, key, read));
	if (!made) throw await capReached(rooms, cap);
	return answerCreate(rooms, made);
}

/** Without a turn no image is made, but one that was made is answered again. A body is read only where its key was seen before. */
async function replay(
	rooms: ApiRooms,
	access: Access,
	key: string | undefined,
	read: () => Promise<CreateRequest>,
): Promise<Created | undefined> {
	if (key === undefined || !(await isRemembered(rooms.images, access, keyHash(key)))) return undefined;
	const again = await read();
	if (again.source.kind === "upload") await again.source.staged.discard();
	return again.key && (await findMade(rooms.images, access, again.key));
}

async function capReached(rooms: ApiRooms, cap: HourlyCap): Promise<Failure> {
	const { resetsMs } = await readCap(rooms.images, cap);
	return new Failure("rate_limited", undefined, {
		message: `Without a key, ${cap.limit} images an hour can be created from one network; wait, or sign up for a key.`,
		retryAfterSeconds: Math.max(1, Math.ceil((resetsMs - rooms.clock.now()) / 1_000)),
	});
}

/** Tells a caller who has to wait how to avoid the wait. */
function withSignUp(rooms: ApiRooms, cause: unknown): unknown {
	if (!(cause instanceof Failure && cause.code === "rate_limited")) return cause;
	const { message, details, retryAfterSeconds } = cause;
	return new Failure("rate_limited", details, {
		cause,
		message,
		...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
		action: { type: "wait", label: "Sign up", url: signUpUrl(rooms.addresses) },
	});
}

const ANONYMOUS = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Svc-Action"];

/** The creates that a caller without a key has left in this hour. */
interface RateWindow {
	readonly limit: number;
	readonly remaining: number;
	readonly resetsMs: number;
}

/** Sent instead of the usage headers where no storage is filled; a window that cannot be read is left out. */
function anonymousHeaders(rooms: ApiRooms, window: RateWindow | undefined): Record<string, string> {
	return {
		...(window && {
			"X-RateLimit-Limit": String(window.limit),
			"X-RateLimit-Remaining": String(window.remaining),
			// Unix time in whole seconds; by then the window has ended for certain.
			"X-RateLimit-Reset": String(Math.ceil(window.resetsMs / 1_000)),
		}),
		// A structured field (RFC 9651): what to do, and where.
		"X-Svc-Action": `signup; url="${signUpUrl(rooms.addresses)}"`,
		"Access-Control-Expose-Headers": [EXPOSED, ...ANONYMOUS].join(", "),
	};
}

/** A person who signs in there for the first time has an account. */
function signUpUrl({ web }: Addresses): string {
	return `${web}/account`;
}

type Field = v.GenericSchema<unknown, unknown>;

const DAY_SECONDS = 86_400;

/** The interface as callers without a key see it: smaller files, no private image, no permanent one. */
function withoutKey(variant: Variant, rules: AnonymousRules): Variant {
	const { create, visibility } = variant;
	const bounded = (fields: FieldSchemas, ttl: (ttl: Field) => Field) =>
		fields.ttl ? { ...fields, ttl: ttl(atMost(fields.ttl, rules.ttlSeconds)) } : fields;
	return {
		...variant,
		files: { ...variant.files, maxBytes: Math.min(variant.files.maxBytes, rules.maxBytes) },
		create: {
			...create,
			json: alwaysPublic(bounded(create.json, (ttl) => ttl)),
			form: alwaysPublic(bounded(create.form, (ttl) => orEmpty(ttl, rules.ttlSeconds))),
		},
		visibility: { ...visibility, initial: () => true },
	};
}

function alwaysPublic(fields: FieldSchemas): FieldSchemas {
	if (!fields.public) return fields;
	const rule = v.check((wanted) => wanted === true, "must be true: without a key every image is public");
	return { ...fields, public: v.pipe(fields.public, rule) };
}

function atMost(ttl: Field, seconds: number): Field {
	return v.pipe(
		ttl,
		v.check(
			(wanted) => typeof wanted === "number" && wanted <= seconds,
			`must be at most ${seconds / DAY_SECONDS}d without a key`,
		),
	);
}

/** A field of a form that was not filled in counts as not sent. */
function orEmpty(field: Field, otherwise: number): Field {
	const empty = v.pipe(
		v.literal(""),
		v.transform(() => otherwise),
	);
	return v.lazy((sent) => (sent === "" ? empty : field));
}
