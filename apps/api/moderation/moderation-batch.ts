import { invalid } from "@svc/base/failure";
import { moderateAll } from "@svc/moderation/moderation";
import { requireFresh } from "@svc/people/people";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { batchAnswer, batchIds, batchSchema, tombstone } from "../kit/batch.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { tombstoneSchema } from "../kit/tombstone.ts";
import { itemSchema, moderationVerb, note, reason, showItem } from "./moderation-item.ts";

const entries = {
	ids: batchIds,
	action: moderationVerb,
	reason: v.optional(v.nullable(reason)),
	note: v.optional(v.nullable(note)),
};

export function moderationBatch(app: Elysia, rooms: ApiRooms): void {
	const result = batchSchema("ModerationBatchResult", v.union([itemSchema(rooms.variant), tombstoneSchema]));
	route(app, "POST", "/v1/moderation/batch", operatorRoute(rooms, "moderation:write"), {
		operationId: "moderateImages",
		summary: "Does the same to up to 100 images, each for itself; 207 when some fail",
		tags: ["moderation"],
		body: entries,
		answers: { 200: result, 207: result },
		run: async (call) => {
			const { ids, action: verb, ...sent } = await call.input();
			if (verb === "block" && !sent.reason) throw invalid("reason", "is required to block");
			if (verb === "delete") requireFresh(call.person, call.by.nowMs);
			const outcome = await moderateAll(rooms.moderation, ids, { verb, ...sent }, call.by);
			return batchAnswer(rooms, call, outcome, ({ id, item }) => (item ? showItem(rooms, item) : tombstone(id)));
		},
	});
}
