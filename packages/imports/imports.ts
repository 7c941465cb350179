import type { Access } from "@svc/apps/access";
import { isAtLeast } from "@svc/apps/authority";
import type { Actor } from "@svc/base/actor";
import type { Span } from "@svc/base/cursors";
import type { ImportItemState } from "@svc/base/enumerations";
import { Failure, found, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { type Kept, readSnapshot } from "@svc/events/snapshots-store";
import { closed } from "@svc/images/create/create-failure";
import type { CallAccess } from "@svc/images/ports";
import { type Job, newJob } from "@svc/jobs/jobs";
import { isUsable } from "@svc/keys/keys";
import type { Import, ImportItem, ImportRequest, NewImport, PlacedImport } from "./import.ts";
import type { Imports } from "./room.ts";
import { jobKept } from "./run-store.ts";

/* Lists of addresses: each is a job, and each of its items a create of its own. */

/** The job of an import in the event of its end. */
export function readImportEvent(kept: Kept): Omit<Job, "pk" | "startedBy" | "appPk"> {
	return { ...readSnapshot(jobKept, kept), kind: "import", result: kept.result ?? null };
}

/** Of one App. */
const UNFINISHED_MAX = 5;
const KEPT_MS = 30 * 86_400_000;

/**
 * Begins to make an image of each address, with the authority of the caller as it is then.
 * @throws Failure forbidden for a user's own key, validation_error under `items` where too many imports of the App are under way,
 * workspace_unavailable, and what the caller would be told if they came now
 */
export async function startImport(
	room: Imports,
	access: CallAccess,
	{ items, userId }: { readonly items: readonly ImportRequest[]; readonly userId: string | null },
): Promise<Job> {
	refuseOwnKey(access);
	const by = byOf(room, access);
	const appPk = access.app.pk;
	const job = newJob("import", {}, { appPk, startedBy: access.caller.reach === "team" ? access.caller.id : null });
	const made: NewImport = {
		...{ id: job.id, appPk, storagePk: access.storage.pk, userId },
		...makerOf(access),
		...{ requestId: by.requestId, createdMs: by.nowMs },
	};
	const places = items.map((item) => ({ ...item, imageId: newId("img") }));
	const refused = await room.store.create({ made, job, items: places }, access, UNFINISHED_MAX, by);
	if (refused === "closed") throw await closed(access);
	if (refused === "full") {
		throw invalid(
			"items",
			`must wait: this App has ${UNFINISHED_MAX} imports that are not finished, and may have no more`,
		);
	}
	room.jobs.wake();
	return found(await room.jobs.store.find(job.id));
}

/** The storage's imports, the newest first. */
export function listImports(room: Imports, { storage }: Access, page: Span): Promise<readonly Job[]> {
	return room.store.list(storage.pk, page);
}

/** @throws Failure not_found for one of another storage as well */
export async function getImport(room: Imports, access: Access, id: string): Promise<Job> {
	await getOwn(room, access, id);
	return found(await room.jobs.store.find(id));
}

/** In the order in which they were sent. @throws Failure not_found */
export async function listItems(
	room: Imports,
	access: Access,
	id: string,
	page: Span & { readonly state?: ImportItemState | undefined },
): Promise<readonly ImportItem[]> {
	const { pk } = await getOwn(room, access, id);
	return await room.store.listItems(pk, page);
}

/**
 * What is queued becomes cancelled; what is being made is finished, and what was made stays.
 * @throws Failure forbidden for a user's own key, not_found
 */
export async function cancelImport(room: Imports, access: CallAccess, id: string): Promise<Job> {
	refuseOwnKey(access);
	const made = await getOwn(room, access, id);
	if (await room.store.cancel(made, access, byOf(room, access))) throw await closed(access);
	room.jobs.wake();
	return found(await room.jobs.store.find(id));
}

async function getOwn(room: Imports, { storage }: Access, id: string): Promise<Import> {
	return found(isId("job", id) ? await room.store.find(storage.pk, id) : undefined);
}

/** Removes what nobody can read any more; returns how many. */
export function forgetImports(room: Imports, limit: number): Promise<number> {
	return room.store.forget(room.clock.now() - KEPT_MS, limit);
}

/**
 * The access of who began an import, as a call of theirs would be looked at now.
 * @throws Failure unauthorized, forbidden, app_suspended, app_blocked, user_forbidden
 */
export async function accessNow(room: Imports, placed: PlacedImport): Promise<CallAccess> {
	const { made, app, storage, isReachable } = placed;
	const caller = await findMaker(room, placed);
	if (caller.reach === "app" && (app.paused || app.blocked)) throw new Failure("app_suspended");
	if (app.blocked) throw new Failure("app_blocked");
	if (!isReachable) throw new Failure("user_forbidden");
	const again = async () => {
		const now = await room.store.findPlaced(made.id);
		if (!now) throw new Failure("workspace_unavailable");
		return await accessNow(room, now);
	};
	return { caller, app, storage, again, ...(made.requestId !== null && { requestId: made.requestId }) };
}

async function findMaker({ keys, clock }: Imports, { made, app }: PlacedImport): Promise<Access["caller"]> {
	const { maker, makerKind } = made;
	if (makerKind === "key") {
		const key = await keys.store.findById(maker);
		if (!key || !isUsable(key, clock.now())) throw new Failure("unauthorized");
		return key;
	}
	const person = await keys.apps.people.sessions.find(maker, clock.now());
	if (!person) throw new Failure("unauthorized");
	const membership = await keys.apps.memberships.find(app.id, person.account.pk);
	if (!membership || !isAtLeast(membership.role, "editor")) throw new Failure("forbidden");
	return { pk: maker, id: person.account.id, reach: "team", permissions: new Set(["read", "write"]) };
}

function refuseOwnKey({ caller }: Access): void {
	if (caller.reach !== "user") return;
	throw Failure.saying("forbidden", "Imports are made by the App: this key is a user's own.");
}

function makerOf({ caller }: Access): Pick<NewImport, "maker" | "makerKind"> {
	if (caller.reach === "team") return { maker: String(caller.pk), makerKind: "session" };
	return { maker: caller.id, makerKind: "key" };
}

function byOf({ clock }: Imports, { caller, requestId }: Access): Actor {
	return { actor: caller.id, requestId: requestId ?? null, nowMs: clock.now() };
}
