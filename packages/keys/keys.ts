import type { Access, KeyRecord, Storage } from "@svc/apps/access";
import { findUserStorage, identifyMember, type StorageNoun } from "@svc/apps/team/team";
import { hashSecret, isPersonal, isSecret } from "@svc/base/crypto/secrets";
import type { Permission } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import { inTime } from "@svc/base/pace/patience";
import { identifyPerson, type PageVisitor } from "@svc/people/visitors";
import type { Keys } from "./room.ts";

/** How long the database may take to identify the caller before the call is refused as retryable. */
const AUTHORITY_BUDGET_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;
const LATE = `The database has not said who the caller is within ${AUTHORITY_BUDGET_MS} ms: it is the queue.`;

export interface Credentials {
	/** The `Authorization` header as sent. */
	readonly authorization: string | null;
	/** The `X-Svc-App` header as sent: the App whose storage a signed-in person means. */
	readonly app: string | null;
	/** The `X-Svc-User` header as sent; null when absent. */
	readonly user: string | null;
	/** Whom a page calls for; undefined for every call from outside. */
	readonly visitor?: PageVisitor | undefined;
}

export interface KeyAccess extends Access {
	readonly key: KeyRecord;
}

/**
 * Identifies the key and the call's storage. With `permit`, the order of the checks is stable and leaks least: key,
 * suspended App, malformed selector, unavailable user, permission, blocked App.
 * @throws Failure unauthorized, app_suspended, validation_error, user_forbidden, app_context_unavailable
 */
export async function identifyKey(room: Keys, sent: Credentials): Promise<KeyAccess> {
	const secret = bearer(sent.authorization);
	if (isPersonal(secret)) {
		await withinBudget(identifyPerson(room.apps.people, secret));
		throw Failure.saying("forbidden", "This call needs an App's key, not a person's session or token.");
	}
	const key = await withinBudget(findKey(room, secret));
	if (key.reach === "app" && (key.app.paused || key.app.blocked)) throw new Failure("app_suspended");
	const storage = await selectStorage(room, key, sent.user);
	room.store.touch(key.pk, room.clock.now());
	return { caller: key, key, app: key.app, storage };
}

/**
 * Identifies the caller of a route that the App's team may use as well: a signed-in person selects the App by `X-Svc-App`.
 * @throws Failure also not_found, for an App that the person is not in
 */
export async function identify(room: Keys, sent: Credentials, noun: StorageNoun = "images"): Promise<Access> {
	const proof = sent.visitor ?? bearer(sent.authorization);
	return typeof proof !== "string" || isPersonal(proof)
		? await withinBudget(identifyMember(room.apps, proof, sent, noun))
		: await identifyKey(room, sent);
}

/** @throws Failure forbidden, app_blocked */
export function permit(access: Access, need: Permission): void {
	const { reach, permissions } = access.caller;
	if (!permissions.has(need)) {
		const message =
			reach === "team"
				? `Your role in this App, or the scopes of your token, do not include ${need} access here.`
				: `This key lacks the ${need} permission.`;
		throw Failure.saying("forbidden", message);
	}
	if (need === "write" && (reach === "bucket" || reach === "team") && access.app.blocked)
		throw new Failure("app_blocked");
}

/** @throws Failure unauthorized for a header without a well-formed secret */
export function bearer(authorization: string | null): string {
	const match = /^Bearer +(\S+) *$/i.exec(authorization ?? "");
	const secret = match?.[1];
	if (secret === undefined || !isSecret(secret)) throw new Failure("unauthorized");
	return secret;
}

async function findKey(room: Keys, secret: string): Promise<KeyRecord> {
	const key = await room.store.find(await hashSecret(secret));
	if (!key || !isUsable(key, room.clock.now())) throw new Failure("unauthorized");
	return key;
}

/** For a call that takes no App's key: what is none at all is refused as such. @throws Failure unauthorized for one that is unknown or dead */
export async function requireKey(room: Keys, secret: string): Promise<void> {
	await withinBudget(findKey(room, secret));
}

/** Whether a key was neither revoked nor has expired. */
export function isUsable({ revokedMs, expiresMs }: KeyRecord, nowMs: number): boolean {
	return revokedMs === null && (expiresMs === null || expiresMs > nowMs);
}

/** A person's own storage is in no App: its keys have no users to select, so the header's value is ignored. */
async function selectStorage(room: Keys, key: KeyRecord, user: string | null): Promise<Storage> {
	if (user === null || key.storage.kind === "personal" || room.userIgnored.has(key.reach)) return key.storage;
	if (key.reach !== "app") throw invalid("X-Svc-User", "needs an App-wide key; this key always uses its own storage");
	return await withinBudget(findUserStorage(room.apps, key.app.pk, user));
}

/** @throws Failure app_context_unavailable when it takes too long or fails for no reason of the caller's, who may then try again */
export function withinBudget<T>(work: Promise<T>): Promise<T> {
	return inTime(
		work,
		AUTHORITY_BUDGET_MS,
		(cause = new Error(LATE)) =>
			new Failure("app_context_unavailable", undefined, { cause, retryAfterSeconds: RETRY_AFTER_SECONDS }),
	);
}
