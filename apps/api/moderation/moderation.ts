import { Failure, invalid } from "@svc/base/failure";
import type { ModeratedImage } from "@svc/moderation/deeds";
import { MODERATION_STATES } from "@svc/moderation/deeds";
import { deleteModerated, findAlike, getModerated, moderate, moderateAll } from "@svc/moderation/moderation";
import { requireFresh } from "@svc/people/people";
import { about, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { batchAnswer, batchIds, batchSchema, tombstone } from "../kit/body/batch.ts";
import { ok } from "../kit/call.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { appRoute, freshAgain, operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import {
	encodeTeamAction,
	itemSchema,
	moderationVerb,
	note,
	reason,
	showItem,
	teamActionSchema,
} from "./moderation-item.ts";
import { preview } from "./preview.ts";

const revision = v.optional(v.nullable(v.pipe(v.number("must be a number"), v.integer("must be a whole number"))));
const optionalNote = v.optional(v.nullable(note));

const reopen_reports = about(
	v.optional(v.nullable(v.boolean("must be true or false"))),
	"True opens the reports again that the action settled, as whoever takes it back means it.",
);

/** The body of each of these; `revision`, from the item, makes sure that the image has not been changed since. */
const BODIES = {
	lock: { reason: v.optional(v.nullable(reason)), note: optionalNote, revision },
	unlock: { reason: v.optional(v.nullable(reason)), note: optionalNote, revision, reopen_reports },
	block: { reason, note: optionalNote, revision },
	unblock: { reason: v.optional(v.nullable(reason)), note: optionalNote, revision, reopen_reports },
} as const;

const SUMMARIES = {
	lock: "Locks an image: nobody changes it until it is unlocked; it stays visible and can be deleted",
	unlock: "Unlocks an image",
	block: "Blocks an image: it is not served any more, and its open reports are settled",
	unblock: "Serves a blocked image again",
} as const;

const flags = { nsfw: v.boolean("must be true or false"), note: optionalNote, revision };

const STATE = schemaOf(v.optional(oneOf("ModerationState", MODERATION_STATES), "reported"));

export function moderation(app: Elysia, rooms: ApiRooms): void {
	const item = itemSchema(rooms.variant);
	list(app, rooms, "/v1/moderation/images", operatorRoute(rooms, "moderation:read"), {
		operationId: "listModeratedImages",
		summary: "Images of all Apps: those with open reports, or those in the state that is asked for",
		tags: ["moderation"],
		filters: [
			query("state", STATE, "Which images; with open reports unless said otherwise"),
			query("app", undefined, "Id of the App whose images are meant"),
			query("similar_to", undefined, "Id of an image: others of all Apps that look like it, in any state"),
		],
		of: item,
		async find({ filters: { state: sent, app: appId, similar_to: similarTo }, limit, beforePk }) {
			if (sent !== undefined && similarTo !== undefined) throw invalid("state", "cannot be combined with similar_to");
			const state = readWord("state", sent, MODERATION_STATES) ?? "reported";
			const among = similarTo === undefined ? undefined : await findAlike(rooms.moderation, similarTo);
			return await rooms.moderation.store.list({ state, appId, among, limit, beforePk }, rooms.clock.now());
		},
		encode: (found) => showItem(rooms, found),
	});
	route(app, "GET", "/v1/moderation/images/:id", operatorRoute(rooms, "moderation:read"), {
		operationId: "getModeratedImage",
		summary: "One image in whatever state, with its open reports and its history",
		tags: ["moderation"],
		answers: { 200: item },
		run: async ({ params }) => answer(rooms, await getModerated(rooms.moderation, params.id)),
	});
	for (const verb of ["lock", "unlock", "block", "unblock"] as const) {
		route(app, "POST", `/v1/moderation/images/:id/${verb}`, operatorRoute(rooms, "moderation:write"), {
			operationId: `${verb}Image`,
			summary: SUMMARIES[verb],
			tags: ["moderation"],
			body: BODIES[verb],
			answers: { 200: item },
			again: (_, { body }) => requireInPlace(rooms, body),
			run: async (call) => {
				const sent = await call.input();
				const asked = { verb, ...sent, reopensReports: reopensOf(sent) };
				return answer(rooms, await moderate(rooms.moderation, call.params.id, asked, call.by));
			},
		});
	}
	route(app, "PATCH", "/v1/moderation/images/:id", operatorRoute(rooms, "moderation:write"), {
		operationId: "flagImage",
		summary: "Says whether an image is not safe for work",
		tags: ["moderation"],
		body: flags,
		answers: { 200: item },
		run: async (call) => {
			const { nsfw, ...sent } = await call.input();
			const asked = { verb: nsfw ? "nsfw" : "not_nsfw", ...sent } as const;
			return answer(rooms, await moderate(rooms.moderation, call.params.id, asked, call.by));
		},
	});
	route(app, "DELETE", "/v1/moderation/images/:id", operatorRoute(rooms, "moderation:write"), {
		operationId: "deleteModeratedImage",
		summary: "Deletes an image for good; its history stays, and its open reports are settled",
		tags: ["moderation"],
		answers: { 200: tombstoneSchema },
		run: async ({ params, person, by }) => {
			await getModerated(rooms.moderation, params.id);
			requireFresh(person, by.nowMs);
			await deleteModerated(rooms.moderation, params.id, {}, by);
			return deleted("image", params.id);
		},
	});
	preview(app, rooms);
	moderationBatch(app, rooms);
	list(app, rooms, "/v1/apps/:id/moderation", appRoute(rooms, "apps:read", "viewer"), {
		operationId: "listAppModeration",
		summary: "What operators did to the App's images",
		tags: ["apps"],
		of: teamActionSchema,
		find: (span, call) => rooms.moderation.store.listActions(call.app.pk, span),
		encode: encodeTeamAction,
	});
}

function answer(rooms: ApiRooms, found: ModeratedImage) {
	return ok(showItem(rooms, found));
}

const entries = {
	ids: batchIds,
	action: moderationVerb,
	reason: v.optional(v.nullable(reason)),
	note: v.optional(v.nullable(note)),
	reopen_reports,
};

/** Only what can be taken back takes the field. */
function reopensOf(sent: object): boolean {
	return "reopen_reports" in sent && sent.reopen_reports === true;
}

function moderationBatch(app: Elysia, rooms: ApiRooms): void {
	const result = batchSchema("ModerationBatchResult", v.union([itemSchema(rooms.variant), tombstoneSchema]));
	route(app, "POST", "/v1/moderation/batch", operatorRoute(rooms, "moderation:write"), {
		operationId: "moderateImages",
		summary: "Does the same to up to 100 images, each for itself; 207 when some fail",
		tags: ["moderation"],
		body: entries,
		answers: { 200: result, 207: result },
		again: async (call, answer) => {
			if ((await call.input()).action === "delete") freshAgain(call);
			for (const item of answer.body.data) await requireInPlace(rooms, item);
		},
		run: async (call) => {
			const { ids, action: verb, ...sent } = await call.input();
			if (verb === "block" && !sent.reason) throw invalid("reason", "is required to block");
			if (verb === "delete") requireFresh(call.person, call.by.nowMs);
			const asked = { verb, ...sent, reopensReports: reopensOf(sent) };
			const outcome = await moderateAll(rooms.moderation, ids, asked, call.by);
			return batchAnswer(rooms, call, outcome, ({ id, item }) => (item ? showItem(rooms, item) : tombstone(id)));
		},
	});
}

interface KeptItem {
	readonly id: string;
	/** None where it was deleted. */
	readonly image?: object;
}

/** Of an answer that is to be given again. @throws Failure not_found; idempotency_recovery_conflict for an image that was moved since */
async function requireInPlace({ moderation: room, variant, addresses }: ApiRooms, kept: KeptItem): Promise<void> {
	if (kept.image === undefined) return;
	const { image } = await getModerated(room, kept.id);
	const { url } = kept.image as { readonly url?: unknown };
	// The App's own host may have come or gone since; it is the storage that must be the same.
	if (pathOf(variant.image.encode(image, addresses).url) !== pathOf(url))
		throw new Failure("idempotency_recovery_conflict");
}

function pathOf(address: unknown): string | undefined {
	return URL.parse(String(address))?.pathname;
}
