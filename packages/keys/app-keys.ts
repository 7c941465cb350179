import { authorityOf, conflict, isAtLeast, refuseDemoted, type TeamMember } from "@svc/apps/authority";
import { readKey } from "@svc/apps/key-events-store";
import { mintSecret } from "@svc/base/crypto/secrets";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import type { NewLetter } from "@svc/people/letters/security-letter";
import { newLetter, originOf } from "@svc/people/letters/security-letters";
import type { AppKey, KeyRequest, NewAppKey } from "./app-key.ts";
import { toAppKey } from "./app-keys-store.ts";
import type { Keys } from "./room.ts";

/* An App's team manages its keys here; keys.ts recognises a key. */

/** The key of its event, as it was then. */
export function readKeyEvent(kept: Parameters<typeof readKey>[0]): AppKey {
	const { createdBy, ...key } = readKey(kept);
	return toAppKey({ key, createdBy });
}

/** A key, and the secret that is shown this once. */
export interface MadeKey {
	readonly key: AppKey;
	readonly secret: string;
}

/** How many keys of one App may work at the same time. */
const LIVE_MAX = 100;
/** Rotating must be possible even then: the old key still works beside its successor. */
const LIVE_MAX_ROTATING = 2 * LIVE_MAX;
const LIFE_MAX_MS = 365 * 86_400_000;

/** @throws Failure validation_error */
export async function createKey(room: Keys, teamMember: TeamMember, request: KeyRequest): Promise<MadeKey> {
	refuseExpiry(request.expiresMs, teamMember.by.nowMs);
	const { secret, ...minted } = await mint(room, request);
	const letters = await lettersTo(room, teamMember, minted);
	const refused = await room.appKeys.create(authorityOf(teamMember, "admin"), minted, LIVE_MAX, letters);
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "full") throw full();
	return { key: await getKey(room, teamMember, minted.id), secret };
}

/** The Owner hears of every key of their App, whoever of the team makes it. */
async function lettersTo(
	room: Keys,
	{ app, person, by }: TeamMember,
	{ id, name }: Pick<NewAppKey, "id" | "name">,
): Promise<readonly NewLetter[]> {
	const owner = await room.apps.members.findOwner(app.pk);
	if (!owner) return [];
	const who = person.account.email;
	const about = { deed: "key", subject: id, name, app: app.name, who, origin: originOf(person) } as const;
	return [await newLetter(room.apps.people, owner, about, by.nowMs)];
}

async function mint(room: Keys, request: KeyRequest): Promise<NewAppKey & { readonly secret: string }> {
	return { ...request, id: newId("key"), ...(await mintSecret(`svc_sk_${room.mode}_`)) };
}

/** Null: until revoked. @throws Failure validation_error */
export function refuseExpiry(expiresMs: number | null | undefined, nowMs: number): void {
	if (expiresMs === null || expiresMs === undefined) return;
	if (expiresMs <= nowMs || expiresMs > nowMs + LIFE_MAX_MS) {
		throw invalid("expires_at", "must lie in the future, at most 365 days from now");
	}
}

function full(): Failure {
	return invalid("name", `cannot be used: this App has ${LIVE_MAX} keys that work; revoke those that are not needed`);
}

/** A key of the App, revoked ones too; those that users issued are not the team's. @throws Failure not_found */
export async function getKey(room: Keys, { app }: Pick<TeamMember, "app">, id: string): Promise<AppKey> {
	return found(isId("key", id) ? await room.appKeys.find(app.pk, id) : undefined);
}

/** @throws Failure not_found; forbidden for any person but its creator; state_conflict for a key that is dead; validation_error */
export async function changeKey(
	room: Keys,
	teamMember: TeamMember,
	id: string,
	changes: { readonly name?: string | undefined; readonly expiresMs?: number | null | undefined },
): Promise<AppKey> {
	const key = await getOwnKey(room, teamMember, id);
	refuseExpiry(changes.expiresMs, teamMember.by.nowMs);
	const changed = await room.appKeys.change(authorityOf(teamMember, "admin"), key, changes);
	if (changed === "dead") throw conflict("This key was revoked or has expired; it cannot be changed any more.");
	return changed === "demoted" ? await refuseDemoted(room.apps, teamMember) : changed;
}

async function getOwnKey(room: Keys, teamMember: TeamMember, id: string): Promise<AppKey> {
	const key = await getKey(room, teamMember, id);
	if (key.creatorPk !== teamMember.person.account.pk) {
		throw Failure.saying("forbidden", "Only the person who made a key changes or rotates it.");
	}
	return key;
}

/**
 * Makes a successor with the same reach and permissions. The old key works on until it is revoked, or for `oldSeconds`; 0 revokes it.
 * A successor of a key that expires lives as long as its predecessor was meant to.
 * @throws Failure not_found, forbidden for any person but its creator, state_conflict for a key that is dead or was rotated already
 */
export async function rotateKey(
	room: Keys,
	teamMember: TeamMember,
	id: string,
	oldSeconds: number | undefined,
): Promise<MadeKey> {
	const old = await getOwnKey(room, teamMember, id);
	const { nowMs } = teamMember.by;
	const life = old.expiresMs === null ? null : Math.min(old.expiresMs - old.createdMs, LIFE_MAX_MS);
	const { secret, ...minted } = await mint(room, {
		name: old.name,
		reach: old.reach === "bucket" ? "bucket" : "app",
		permissions: old.permissions,
		expiresMs: life === null ? null : nowMs + life,
	});
	const endMs = oldSeconds === undefined ? null : nowMs + oldSeconds * 1_000;
	const made = { successor: minted, endMs, letters: await lettersTo(room, teamMember, minted) };
	const refused = await room.appKeys.rotate(authorityOf(teamMember, "admin"), old, made, LIVE_MAX_ROTATING);
	if (refused === "dead") {
		throw conflict("This key was revoked, has expired or has a successor already; rotate a key that is in use.");
	}
	if (refused === "demoted") await refuseDemoted(room.apps, teamMember);
	if (refused === "full") throw full();
	return { key: await getKey(room, teamMember, minted.id), secret };
}

/**
 * Revokes a key for good; revoking it again changes nothing.
 * @throws Failure not_found; forbidden for a person who neither made it nor is Admin
 */
export async function revokeKey(room: Keys, teamMember: TeamMember, id: string): Promise<void> {
	const key = await getKey(room, teamMember, id);
	const own = key.creatorPk === teamMember.person.account.pk;
	if (!own && !isAtLeast(teamMember.role, "admin")) {
		throw Failure.saying("forbidden", "Only Admins, the Owner and who made a key revoke it.");
	}
	if (await room.appKeys.revoke(authorityOf(teamMember, own ? "viewer" : "admin"), key))
		await refuseDemoted(room.apps, teamMember);
}
