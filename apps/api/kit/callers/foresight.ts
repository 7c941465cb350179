import { isDeepStrictEqual } from "node:util";
import type { Access } from "@svc/apps/access";
import { isId } from "@svc/base/ids";
import { LeastRecent } from "@svc/base/pace/least-recent";
import { keyHash } from "@svc/images/create/idempotency";
import type { Foreseen } from "@svc/images/ports";
import { countersOf } from "@svc/images/usage/limits";
import type { StorageUsage } from "@svc/images/usage/usage";
import type { Credentials } from "@svc/keys/keys";
import type { Call } from "../call-types.ts";
import { isRead } from "./attempt.ts";
import type { Callers, Meet, ReadAhead } from "./callers.ts";

/*
 * Over a network each read that waits for the one before it costs a round trip. A caller who comes again is most probably who they were, so
 * that what their call will read is asked for together with who they are. What was found that way counts only once the caller is known to be
 * the same in every respect.
 */

const CALLERS_MAX = 1_000;

/** Of a database that is far away. */
export const farCallers: Callers = { areFar: true, meet: meetGuessed };

/** Begins what a guessed caller's call will read, and then gives the attempt of the caller who it is. */
function meetGuessed<Known extends Access>(rooms: ReadAhead): Meet<Known> {
	const guesses = new CallerGuesses<Known>();
	return async (call, sent, find, attempt) => {
		const guess = guesses.of(sent);
		const finding = find(guess);
		const early = guess && isRead(call) ? attempt(guess) : undefined;
		// Whoever asks again hears of it, and nobody else is to.
		early?.begin().catch(() => undefined);
		const foreseen = guess && !early ? foresee(rooms, guess, call.params.id, createKeyOf(call)) : undefined;
		const found = await finding;
		const isGuessed = guesses.note(sent, found);
		return { found, made: (isGuessed && early) || attempt(found, isGuessed ? foreseen : undefined) };
	};
}

/** The Idempotency-Key of a create; one that is none is refused by the route. */
function createKeyOf({ request, url }: Call): string | undefined {
	const isCreate = request.method === "POST" && url.pathname === "/v1/images";
	return isCreate ? (request.headers.get("idempotency-key") ?? undefined) : undefined;
}

/** Who sent these credentials the last time; a guess, and never more. */
class CallerGuesses<Known extends Access> {
	/** In the order of use, the least recent first. */
	readonly #known = new LeastRecent<string, Known>(CALLERS_MAX);

	of(sent: Credentials): Known | undefined {
		return this.#known.get(nameOf(sent));
	}

	/** True where the caller is who they were. */
	note(sent: Credentials, found: Known): boolean {
		const name = nameOf(sent);
		const before = this.#known.get(name);
		this.#known.set(name, found);
		return isDeepStrictEqual(before, found);
	}
}

function nameOf({ authorization, app, user }: Credentials): string {
	return JSON.stringify([authorization, app, user]);
}

/**
 * What a change will read, begun now: the counters of the storage, the image that it is about, and what is known of the Idempotency-Key of
 * a create.
 */
function foresee(
	{ images, clock }: ReadAhead,
	{ app, storage }: Access,
	imageId: string | undefined,
	createKey: string | undefined,
): Foreseen {
	const now = clock.now();
	const image = imageId !== undefined && isId("img", imageId) ? images.store.find(storage.pk, imageId, now) : undefined;
	const usage = countersOf(images, { app, storage });
	const hash = createKey === undefined ? undefined : keyHash(createKey);
	const remembered = hash && onceFor(images.idempotency.find(storage.pk, hash, now), isSameKey(storage.pk, hash));
	return {
		image: onceFor(image, ({ storagePk, id }) => storagePk === storage.pk && id === imageId),
		usage: onceFor<StorageUsage, number>(usage, (storagePk) => storagePk === storage.pk),
		remembered: (storagePk, sent) => remembered?.({ storagePk, hash: sent }),
	};
}

interface KeyPlace {
	readonly storagePk: number;
	readonly hash: Uint8Array;
}

function isSameKey(storagePk: number, hash: Uint8Array): (of: KeyPlace) => boolean {
	return (of) => of.storagePk === storagePk && Buffer.compare(of.hash, hash) === 0;
}

function onceFor<T, Of>(found: Promise<T> | undefined, isOf: (of: Of) => boolean): (of: Of) => Promise<T> | undefined {
	// Nobody may ask for it.
	found?.catch(() => undefined);
	let left = found;
	return (of) => {
		if (!isOf(of)) return undefined;
		const given = left;
		left = undefined;
		return given;
	};
}
