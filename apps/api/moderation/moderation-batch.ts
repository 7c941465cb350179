import { MODERATION_VERBS } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { moderateAll } from "@svc/moderation/moderation";
import { requireFresh } from "@svc/people/people";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { batchAnswer, batchErrors, batchIds, tombstone } from "../kit/batch.ts";
import type { Answer } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { operatorRoute, type PersonCall } from "../kit/person.ts";
import { tombstoneSchema } from "../kit/tombstone.ts";
import { itemSchema, note, reason, showItem } from "./moderation-item.ts";

const entries = {
	ids: batchIds,
	action: v.picklist(MODERATION_VERBS, `must be one of ${MODERATION_VERBS.join(", ")}`),
	reason: v.optional(v.nullable(reason)),
	note: v.optional(v.nullable(note)),
};

const imageTombstone = tombstoneSchema("image");

export function moderationBatch(app: Elysia, deps: ApiDeps): void {
	const result = v.object({
		object: v.literal("batch_result"),
		data: v.array(v.union([itemSchema(deps.variant), imageTombstone])),
		errors: batchErrors,
	});
	app.post(
		"/v1/moderation/batch",
		operatorRoute(deps, { scope: "moderation:write" }, (call) => run(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "moderateImages",
				summary: "Does the same to up to 100 images, each for itself; 207 when some fail",
				tags: ["moderation"],
				...jsonBody(v.object(entries)),
				responses: { ...answers(200, result).responses, ...answers(207, result).responses },
			},
		},
	);
}

async function run(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const { ids, action: verb, ...sent } = await readInput(call, entries);
	if (verb === "block" && !sent.reason) throw invalid("reason", "is required to block");
	if (verb === "delete") requireFresh(call.person, call.by.nowMs);
	const outcome = await moderateAll(deps, ids, { verb, ...sent }, call.by);
	return batchAnswer(deps, call, outcome, ({ id, item }) => (item ? showItem(deps, item) : tombstone(id)));
}
