import { noticedOf } from "@svc/apps/team/members-store";
import type { Actor } from "@svc/base/actor";
import { auditBy } from "@svc/base/database/audit";
import { apps } from "@svc/base/database/schema/apps";
import { imageLabels, images } from "@svc/base/database/schema/images";
import { blockedPictures, moderationActions } from "@svc/base/database/schema/moderation";
import { columns, rowCondition, statements, updateStep } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import type { ImageEventType, ModerationVerb } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import { deleteSteps } from "@svc/images/delete/deletions-store";
import { imageEvents } from "@svc/images/image-events-store";
import { insertLabels } from "@svc/images/image-rows-store";
import type { Image } from "@svc/images/images";
import { mailGathered } from "@svc/mail/mail-entries-store";
import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { type ModerationChange, type ModerationRefusal, SERVICE } from "./deeds.ts";
import { forgetBlocked, keepBlocked } from "./likeness/blocked-pictures-store.ts";
import { closeReports, dismissServiceReports, reopenReports, serviceReport } from "./reports-store.ts";

interface Effect {
	/** The columns of the image that change. */
	readonly set: (change: ModerationChange, nowMs: number) => Partial<typeof images.$inferInsert>;
	/** The state from which the verb changes the image. */
	readonly when: SQL;
	/** The name of the audit event. */
	readonly event: string;
	/** What the App's feed says. */
	readonly published: ImageEventType;
	/** The former values, where the feed names them. */
	readonly previous?: Partial<Image>;
}

const EFFECTS = {
	lock: {
		set: (_, nowMs) => ({ lockedMs: nowMs }),
		when: isNull(images.lockedMs),
		event: "moderation.locked",
		published: "image.locked",
	},
	unlock: {
		set: () => ({ lockedMs: null }),
		when: isNotNull(images.lockedMs),
		event: "moderation.unlocked",
		published: "image.unlocked",
	},
	block: {
		set: ({ reason }) => ({ status: "blocked", blockReason: reason }),
		when: eq(images.status, "ready"),
		event: "moderation.blocked",
		published: "image.blocked",
	},
	unblock: {
		set: () => ({ status: "ready", blockReason: null }),
		when: eq(images.status, "blocked"),
		event: "moderation.unblocked",
		published: "image.unblocked",
	},
	nsfw: {
		set: () => ({ nsfw: true }),
		when: eq(images.nsfw, false),
		event: "moderation.marked_nsfw",
		published: "image.updated",
		previous: { nsfw: false },
	},
	not_nsfw: {
		set: () => ({ nsfw: false }),
		when: eq(images.nsfw, true),
		event: "moderation.unmarked_nsfw",
		published: "image.updated",
		previous: { nsfw: true },
	},
} as const satisfies Record<Exclude<ModerationVerb, "delete">, Effect>;

/** The image changes first, guarded; the other steps record that. */
export function changeSteps(imageId: string, change: ModerationChange, by: Actor): readonly Step<ModerationRefusal>[] {
	const { verb, reason, revision, reopensReports, similar, blobKey } = change;
	if (verb === "delete") throw new Error("A deletion has steps of its own.");
	const { set, when, event, published, previous }: Effect = EFFECTS[verb];
	const unexpired = sql`(${images.expiresMs} IS NULL OR ${images.expiresMs} > ${by.nowMs})`;
	const sameRevision = revision === null ? undefined : eq(images.revision, revision);
	const unmoved = and(sameRevision, blobKey === undefined ? undefined : eq(images.blobKey, blobKey));
	const state = { ...set(change, by.nowMs), revision: sql`${images.revision} + 1` };
	const appPk = sql`(SELECT ${images.appPk} FROM ${images} WHERE ${images.id} = ${imageId})`;
	return [
		updateStep(images, state, and(eq(images.id, imageId), when, unexpired, unmoved), "moved"),
		...(similar ? [rowCondition(blockedPictures.note, eq(blockedPictures.imageId, similar.imageId), "moved")] : []),
		...labelSteps(imageId, verb),
		...(verb === "block" ? [...closeReports(imageId, by), ...blockedNotice(imageId, reason, by)] : []),
		...(verb === "unblock" && reopensReports ? [reopenReports(imageId)] : []),
		...likenessSteps(imageId, change, by),
		{ run: historyEntry(eq(images.id, imageId), change, by) },
		{ run: auditBy(by, { appPk, event, target: imageId, ...(reason !== null && { changes: { reason } }) }) },
		imageEvents(by, published, { id: imageId }, { previous, reason }),
	];
}

/**
 * A picture that somebody has blocked does not come back; one that is blocked because of another is kept by that one's row. What the service has
 * locked waits in the queue for somebody to decide.
 */
function likenessSteps(imageId: string, change: ModerationChange, by: Actor): readonly Step[] {
	const { verb, reason, note, similar } = change;
	const isService = by.actor === SERVICE;
	if (verb === "block") return similar ? [] : [keepBlocked(imageId, change, by.nowMs)];
	if (verb === "unblock") return [...(isService ? [] : [forgetBlocked(imageId)]), dismissServiceReports(imageId, by)];
	if (verb === "unlock") return [dismissServiceReports(imageId, by)];
	if (verb !== "lock" || !isService) return [];
	const report = { id: newId("rep"), reason: reason ?? "content_policy", note } as const;
	return [serviceReport(eq(images.id, imageId), report, by.nowMs)];
}

/** To the Owner and Admins of the App whose image it is. */
function blockedNotice(imageId: string, reason: ModerationChange["reason"], { nowMs }: Actor): readonly Step[] {
	const appPk = sql`(SELECT ${images.appPk} FROM ${images} WHERE ${images.id} = ${imageId})`;
	const app = sql`(SELECT ${apps.name} FROM ${apps} WHERE ${apps.pk} = ${appPk})`;
	const appId = sql`(SELECT ${apps.id} FROM ${apps} WHERE ${apps.pk} = ${appPk})`;
	const facts = { app, appId, image: imageId, reason: reason ?? "" };
	return mailGathered({ template: "image_blocked", facts, to: noticedOf(appPk) }, nowMs);
}

/** Only ready images have label rows. */
function labelSteps(imageId: string, verb: ModerationVerb): readonly Step[] {
	if (verb === "unblock") return [{ run: insertLabels(imageId) }];
	if (verb !== "block") return [];
	const imagePk = sql`(SELECT ${images.pk} FROM ${images} WHERE ${images.id} = ${imageId})`;
	return [{ run: statements.delete(imageLabels).where(eq(imageLabels.imagePk, imagePk)) }];
}

/** The history is written while the image still exists to name its App. */
export function deletionSteps(image: Image, change: ModerationChange, by: Actor): readonly Step<"gone">[] {
	const still = sql`${images.pk} = ${image.pk} AND ${images.id} = ${image.id}`;
	return [
		{ run: historyEntry(still, change, by), guard: "gone" },
		...closeReports(image.id, by),
		...deleteSteps(image, by, "moderation.deleted"),
	];
}

function historyEntry(image: SQL, { id, verb, reason, note, similar }: ModerationChange, by: Actor): SQL {
	const { imageId, appPk, actor, action, createdMs } = moderationActions;
	const named = columns(
		...[moderationActions.id, imageId, appPk, actor, action],
		...[moderationActions.reason, moderationActions.note, createdMs],
		...[moderationActions.similarId, moderationActions.similarKind, moderationActions.similarScore],
	);
	return sql`INSERT INTO ${moderationActions} (${named})
		SELECT ${id}, ${images.id}, ${images.appPk}, ${by.actor}, ${verb}, ${reason}, ${note}, ${by.nowMs},
			${similar?.imageId ?? null}, ${similar?.kind ?? null}, ${similar?.score ?? null}
		FROM ${images} WHERE ${image}`;
}
