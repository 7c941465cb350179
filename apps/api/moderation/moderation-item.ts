import { BLOCK_REASONS, MODERATION_VERBS, REPORT_OUTCOMES } from "@svc/base/enumerations";
import type { ModeratedImage, ModerationAction } from "@svc/moderation/moderation";
import { NOTE_MAX, type Report } from "@svc/moderation/reports";
import type { Variant } from "@svc/variants/variant";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";

/* How moderation looks on the wire, and what its calls take. */

export const reason = v.picklist(BLOCK_REASONS, `must be one of ${BLOCK_REASONS.join(", ")}`);

/** Kept exactly as sent, or refused: the database cuts text at U+0000 and alters lone surrogates. */
export const note = v.pipe(
	v.string("must be a string"),
	v.maxLength(NOTE_MAX, `must have at most ${NOTE_MAX.toLocaleString("en")} characters`),
	v.check((text) => text.isWellFormed() && !text.includes("\0"), "must not hold U+0000 or unpaired surrogates"),
);

const nullableText = v.nullable(v.string());

export const reportSchema = v.object({
	id: v.string(),
	object: v.literal("report"),
	image_id: v.string(),
	app_id: nullableText,
	reason,
	note: nullableText,
	email: nullableText,
	outcome: v.nullable(v.picklist(REPORT_OUTCOMES)),
	resolved_at: nullableText,
	resolved_by: nullableText,
	created_at: v.string(),
});

export const actionSchema = v.object({
	id: v.string(),
	object: v.literal("moderation_action"),
	image_id: v.string(),
	action: v.picklist(MODERATION_VERBS),
	reason: v.nullable(reason),
	note: nullableText,
	actor: v.string(),
	actor_email: nullableText,
	created_at: v.string(),
});

/** What an App's team sees of it: neither who the operator was, nor what operators tell each other. */
export const teamActionSchema = v.omit(actionSchema, ["note", "actor_email"]);

export function itemSchema(variant: Variant) {
	return v.object({
		id: v.string(),
		object: v.literal("moderation_item"),
		image: v.intersect([variant.image.schema, v.object({ app_id: v.string(), storage: v.string() })]),
		revision: v.pipe(v.number(), v.integer()),
		placeholder: v.nullable(v.object({ thumbhash: v.string(), colour: v.string() })),
		locked: v.boolean(),
		blocked_reason: v.nullable(reason),
		reports: v.array(reportSchema),
		reports_count: v.pipe(v.number(), v.integer()),
		actions: v.array(actionSchema),
		created_at: v.string(),
	});
}

type ItemDeps = Pick<ApiDeps, "variant" | "addresses" | "reductions">;

/** Whose picture has not been looked at yet is looked at afterwards: the next time there is something to show in its place. */
export function showItem({ variant, addresses, reductions }: ItemDeps, found: ModeratedImage) {
	if (!found.placeholder) reductions.want(found.image);
	const { image, appId, storage, placeholder, reports, reportsCount, actions } = found;
	return {
		id: image.id,
		object: "moderation_item",
		image: { ...variant.image.encode(image, addresses), app_id: appId, storage },
		revision: image.revision,
		placeholder,
		locked: image.locked,
		blocked_reason: image.blockReason,
		reports: reports.map(encodeReport),
		reports_count: reportsCount,
		actions: actions.map(encodeAction),
		created_at: isoDate(image.createdMs),
	} as const;
}

export function encodeReport(report: Report): v.InferOutput<typeof reportSchema> {
	const { id, imageId, appId, reason, note, email, outcome, resolvedMs, resolvedBy, createdMs } = report;
	return {
		id,
		object: "report",
		image_id: imageId,
		app_id: appId,
		reason,
		note,
		email,
		outcome,
		resolved_at: isoDate(resolvedMs),
		resolved_by: resolvedBy,
		created_at: isoDate(createdMs),
	};
}

export function encodeAction(found: ModerationAction): v.InferOutput<typeof actionSchema> {
	const { id, imageId, action, reason, note, actor, actorEmail, createdMs } = found;
	return {
		id,
		object: "moderation_action",
		image_id: imageId,
		action,
		reason,
		note,
		actor,
		actor_email: actorEmail,
		created_at: isoDate(createdMs),
	};
}

export function encodeTeamAction(found: ModerationAction): v.InferOutput<typeof teamActionSchema> {
	const { note: _, actor_email: __, ...action } = encodeAction(found);
	return { ...action, actor: "operator" };
}
