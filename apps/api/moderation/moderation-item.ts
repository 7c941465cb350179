import {
	BLOCK_REASONS,
	LIKENESS_KINDS,
	MODERATION_VERBS,
	REPORT_OUTCOMES,
	REPORT_SOURCES,
} from "@svc/base/enumerations";
import { type ModeratedImage, type ModerationAction, SERVICE } from "@svc/moderation/deeds";
import type { Report } from "@svc/moderation/report";
import { NOTE_MAX } from "@svc/moderation/reports";
import { text } from "@svc/variants/bounds";
import { about, dateTime, integer, named, oneOf } from "@svc/variants/shape";
import type { Variant } from "@svc/variants/variant";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";

/* How moderation looks on the wire, and what its calls take. */

export const reason = oneOf("BlockReason", BLOCK_REASONS);
export const moderationVerb = oneOf("ModerationVerb", MODERATION_VERBS);
export const reportOutcome = oneOf("ReportOutcome", REPORT_OUTCOMES);

/** Kept exactly as sent, or refused: the database cuts text at U+0000 and alters lone surrogates. */
export const note = v.pipe(
	text(NOTE_MAX, `must have at most ${NOTE_MAX.toLocaleString("en")} characters`),
	v.check((kept) => kept.isWellFormed() && !kept.includes("\0"), "must not hold U+0000 or unpaired surrogates"),
);

const nullableText = v.nullable(v.string());

export const reportSchema = named(
	"Report",
	v.object({
		id: v.string(),
		object: v.literal("report"),
		image_id: v.string(),
		app_id: about(nullableText, "Null once the App is gone."),
		reason,
		note: nullableText,
		email: about(nullableText, "Of whoever reported it."),
		source: about(
			oneOf("ReportSource", REPORT_SOURCES),
			"`service`: nobody has reported it, the service has found it itself.",
		),
		outcome: v.nullable(reportOutcome),
		resolved_at: v.nullable(dateTime),
		resolved_by: nullableText,
		created_at: dateTime,
	}),
);

const actionEntries = {
	id: v.string(),
	object: v.literal("moderation_action"),
	image_id: v.string(),
	action: moderationVerb,
	reason: v.nullable(reason),
	actor: v.string(),
	created_at: dateTime,
};

/** Contains neither the operator's identity nor what operators write to each other. */
export const teamActionSchema = named(
	"ModerationAction",
	v.object(actionEntries),
	"What an operator did to an image, as its App's team sees it.",
);

const actionSchema = named(
	"RecordedAction",
	v.object({
		...actionEntries,
		note: nullableText,
		actor_email: nullableText,
		similar_to: about(nullableText, "Id of the blocked image because of which the service did it."),
	}),
	"What an operator did to an image, as operators see it.",
);

const placeholderSchema = named(
	"Placeholder",
	v.object({ thumbhash: about(v.string(), "Base64."), colour: about(v.string(), "As #rrggbb.") }),
);

const similarSchema = named(
	"SimilarImage",
	v.object({
		image_id: v.string(),
		app_id: about(nullableText, "Null where it is gone."),
		reason: about(v.nullable(reason), "Why it is blocked; null where it is gone, or not blocked any more."),
		kind: oneOf("LikenessKind", LIKENESS_KINDS),
		score: about(v.number(), "From 0 to 1: how alike the two are; 1 for the same."),
		gone: about(v.boolean(), "Whether that image was deleted, so that it cannot be seen any more."),
	}),
	"The blocked image because of which the service itself has locked or blocked another one.",
);

export function itemSchema(variant: Variant) {
	const place = v.object({ app_id: v.string(), storage: v.string() });
	return named(
		"ModerationItem",
		v.object({
			id: about(v.string(), "The image's."),
			object: v.literal("moderation_item"),
			image: named("ModeratedImage", v.intersect([variant.image.schema, place])),
			revision: about(
				integer,
				"Changes with the image; sent along, it makes sure that nobody has changed the image since.",
			),
			placeholder: about(
				v.nullable(placeholderSchema),
				"What may be shown in the picture's place; null until it was looked at.",
			),
			locked: v.boolean(),
			blocked_reason: v.nullable(reason),
			similar: about(v.nullable(similarSchema), "Null unless the service has done something because of another image."),
			reports: about(v.array(reportSchema), "The open ones, as far as they are shown."),
			reports_count: about(integer, "How many are open."),
			actions: v.array(actionSchema),
			created_at: dateTime,
		}),
	);
}

/** An image that was not analysed yet is analysed afterwards: the next time there is a placeholder to show. */
export function showItem({ variant, addresses, images: { shrunkMasters } }: ApiRooms, found: ModeratedImage) {
	if (!found.placeholder) shrunkMasters.want(found.image);
	const { image, appId, storage, placeholder, similar, reports, reportsCount, actions } = found;
	return {
		id: image.id,
		object: "moderation_item",
		image: { ...variant.image.encode(image, addresses), app_id: appId, storage },
		revision: image.revision,
		placeholder,
		locked: image.locked,
		blocked_reason: image.blockReason,
		similar: encodeSimilar(similar),
		reports: reports.map(encodeReport),
		reports_count: reportsCount,
		actions: actions.map(encodeAction),
		created_at: isoDate(image.createdMs),
	} as const;
}

function encodeSimilar(similar: ModeratedImage["similar"]): v.InferOutput<typeof similarSchema> | null {
	if (!similar) return null;
	const { imageId, appId, reason, kind, score } = similar;
	return { image_id: imageId, app_id: appId, reason, kind, score, gone: appId === null };
}

export function encodeReport(report: Report): v.InferOutput<typeof reportSchema> {
	const { id, imageId, appId, reason, note, email, source, outcome, resolvedMs, resolvedBy, createdMs } = report;
	return {
		id,
		object: "report",
		image_id: imageId,
		app_id: appId,
		reason,
		note,
		email,
		source,
		outcome,
		resolved_at: isoDate(resolvedMs),
		resolved_by: resolvedBy,
		created_at: isoDate(createdMs),
	};
}

function encodeAction(found: ModerationAction): v.InferOutput<typeof actionSchema> {
	const { id, imageId, action, reason, note, actor, actorEmail, createdMs, similar } = found;
	return {
		id,
		object: "moderation_action",
		image_id: imageId,
		action,
		reason,
		note,
		actor,
		actor_email: actorEmail,
		similar_to: similar?.imageId ?? null,
		created_at: isoDate(createdMs),
	};
}

export function encodeTeamAction(found: ModerationAction): v.InferOutput<typeof teamActionSchema> {
	const { note: _, actor_email: __, similar_to: ___, ...action } = encodeAction(found);
	return { ...action, actor: found.actor === SERVICE ? SERVICE : "operator" };
}
