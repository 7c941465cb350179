import type { Access } from "@svc/apps/access";
import { Failure } from "@svc/base/failure";
import {
	findMade,
	type HourlyCap,
	hourlyCap,
	identifyAnonymous,
	inTurn,
	isRemembered,
	ownKey,
	readCap,
} from "@svc/images/anonymous";
import type { Created } from "@svc/images/claim";
import { createImage } from "@svc/images/create-image";
import type { AnonymousRules, FieldSchemas, Variant } from "@svc/variants/variant";
import { type Answer, type Call, type RouteHandler, respond, storageRoute } from "../kit/call.ts";
import { anonymousHeaders, signUpUrl } from "../kit/headers.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { answerCreate, create, readCreateRequest, readKey } from "./create.ts";

/** `POST /v1/images`: with a key into its storage; without one, where no key is needed, into the pool that all callers share. */
export function createRoute(rooms: ApiRooms): RouteHandler {
	const keyed = storageRoute(rooms, "write")((call) => create(rooms, call));
	const rules = rooms.variant.access.anonymousCreates;
	if (!rules) return keyed;
	const anonymous = anonymousRoute({ ...rooms, variant: withoutKey(rooms.variant, rules) }, rules);
	return (context) => (isAnonymous(context.request) ? anonymous(context) : keyed(context));
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
				addHeaders(anonymousHeaders(rooms.addresses, left && { ...left, limit: cap.limit }));
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
	return answerCreate(rooms, access, made);
}

/** Without a turn no image is made, but one that was made is answered again. A body is read only where its key was seen before. */
async function replay(
	rooms: ApiRooms,
	access: Access,
	key: string | undefined,
	read: () => ReturnType<typeof readCreateRequest>,
): Promise<Created | undefined> {
	if (key === undefined || !(await isRemembered(rooms.images, access, key))) return undefined;
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

import * as v from "valibot";

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
