import type { AppRecord } from "@svc/apps/app-record";
import { foldName } from "@svc/apps/profile/app-names";
import type { Actor } from "@svc/base/actor";
import { foldEmail } from "@svc/base/email";
import type { BlockReason, OwnPlanKey } from "@svc/base/enumerations";
import { found } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { stale } from "@svc/people/people";
import type { Operator } from "../room.ts";

/** An operator's search; each field in the form in which it is compared. */
export interface AppSearch {
	/** The text as typed: an id, or the beginning of a name. */
	readonly text: string;
	readonly nameFold: string;
	readonly emailNorm: string;
}

/** An App as operators see it. */
export interface OperatedApp extends AppRecord {
	readonly owner: { readonly id: string; readonly email: string } | null;
	/** The images of all its storages. */
	readonly images: number;
	readonly bytes: number;
	readonly users: number;
}

/** A missing field stays unchanged. */
export interface AppChange {
	/** A grant beside what the App pays for; null ends it. */
	readonly plan?: OwnPlanKey | null | undefined;
	readonly selling?: boolean | undefined;
	/** Null: the plan's own limit. */
	readonly imagesLimit?: number | null | undefined;
	readonly usersLimit?: number | null | undefined;
}

/** Undefined where nothing was typed. */
export function searchOf(typed: string | undefined): AppSearch | undefined {
	const text = typed?.trim();
	return text ? { text, nameFold: foldName(text), emailNorm: foldEmail(text) } : undefined;
}

/** @throws Failure not_found, also for an App that is being deleted */
export async function getOperatedApp({ apps: operatorApps }: Operator, id: string): Promise<OperatedApp> {
	return found(isId("app", id) ? await operatorApps.find(id) : undefined);
}

/** @throws Failure not_found */
export async function changeOperatedApp(
	room: Operator,
	id: string,
	change: AppChange,
	by: Actor,
): Promise<OperatedApp> {
	const isChange = Object.values(change).some((value) => value !== undefined);
	if (isId("app", id) && isChange) await room.apps.change(id, change, by);
	return await getOperatedApp(room, id);
}

/**
 * Blocks an App and mails its Owner and Admins. One that is blocked already stays unchanged, its reason too.
 * @throws Failure not_found; forbidden for a session that is not fresh
 */
export async function blockApp(
	room: Operator,
	id: string,
	{ reason, note }: { readonly reason: BlockReason; readonly note?: string | null | undefined },
	by: Actor,
): Promise<OperatedApp> {
	const app = await getOperatedApp(room, id);
	if (app.blocked) return app;
	// A faster request may have blocked it; then this one writes nothing, and no mail.
	const refused = await room.apps.block(id, { reason, note: note || null }, by);
	if (refused === "stale") throw stale();
	return await getOperatedApp(room, id);
}

/** Ends the block of an App and mails its Owner and Admins. @throws Failure not_found */
export async function unblockApp(
	room: Operator,
	id: string,
	note: string | null | undefined,
	by: Actor,
): Promise<OperatedApp> {
	if (isId("app", id)) await room.apps.unblock(id, note || null, by);
	return await getOperatedApp(room, id);
}
