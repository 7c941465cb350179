import type { Failure } from "@svc/base/failure";
import { errorBody } from "@svc/base/http/envelope";
import { type BatchOutcome, deleteImages, updateImages } from "@svc/images/change/batch";
import type { ImageChanges } from "@svc/images/change/update-image";
import { listOf, text } from "@svc/variants/bounds";
import { named } from "@svc/variants/shape";
import type { FieldSchemas } from "@svc/variants/variant";
import * as v from "valibot";
import { readIncluded, showImages } from "../../images/facts.ts";
import type { Answer, Call, StorageCall } from "../call-types.ts";
import { readFlag } from "../page.ts";
import { errorObject, statusOf } from "../refusals/failure.ts";
import type { ApiRooms } from "../rooms.ts";
import { requireJson } from "./body.ts";
import { decodeFields } from "./fields.ts";

const IDS_MAX = 100;
/** Longer than any id of ours. What is none is named in the answer, as it was sent. */
const ID_MAX = 100;
const IDS_RULE = `must be an array of 1 to ${IDS_MAX} image ids`;

const failedSchema = named("BatchError", v.object({ id: v.string(), error: errorObject }));

/** The answer of a batch; a failed item has the error that a call for it alone would have. */
export function batchSchema<Item extends v.GenericSchema>(component: string, item: Item) {
	return named(
		component,
		v.object({ object: v.literal("batch_result"), data: v.array(item), errors: v.array(failedSchema) }),
		"200 when `errors` is empty, 207 when it is not.",
	);
}

/** Ids are counted as they are sent; an id that is named twice is one item, at its first place. */
export const batchIds = v.pipe(
	listOf(text(ID_MAX, IDS_RULE, IDS_RULE), IDS_RULE, { min: 1, max: IDS_MAX }),
	v.transform((ids): readonly string[] => [...new Set(ids)]),
);

/** The fields that may be changed of many images at once: one name, and one revision, is for one image. */
export function fieldsOfMany({ external_id: _, if_revision: __, ...fields }: FieldSchemas): FieldSchemas {
	return fields;
}

interface Sent {
	readonly ids: readonly string[];
	readonly changes: ImageChanges;
}

/** `PATCH /v1/images/batch` */
export async function updateBatch(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const included = readIncluded(rooms, call);
	const { json, ignored } = rooms.variant.update;
	const { ids, changes } = await readBatch(rooms, call, { json: fieldsOfMany(json), ignored });
	const outcome = await updateImages(rooms.images, call.access, ids, changes);
	const shown = await showImages(rooms, outcome.done, included);
	return batchAnswer(rooms, call, { ...outcome, done: shown }, (image) => image);
}

/** `DELETE /v1/images/batch` */
export async function deleteBatch(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	// A field that was meant to hold a deletion back is refused rather than overlooked.
	const { ids } = await readBatch(rooms, call, { json: {}, ignored: new Set() });
	const outcome = await deleteImages(rooms.images, call.access, ids, isKept(rooms, call));
	return batchAnswer(rooms, call, outcome, tombstone);
}

/** Whether what this call deletes can be restored. @throws Failure validation_error for `permanent` with any other word than true and false */
export function isKept({ variant }: ApiRooms, { url }: Call): boolean {
	return variant.deletes === "restorable" && !readFlag(url.searchParams, "permanent");
}

/** What a delete may say in its query. */
export function isDeleteParameter({ variant }: ApiRooms, name: string): boolean {
	return variant.deletes === "restorable" && name === "permanent";
}

export function tombstone(id: string) {
	return { id, object: "image", deleted: true } as const;
}

async function readBatch(rooms: ApiRooms, call: StorageCall, rules: ApiRooms["variant"]["update"]): Promise<Sent> {
	// The ids are named first, so that leaving them out is a fault as well.
	const sent = { ids: undefined, ...(await requireJson(call.request)) };
	const { ids, ...changes } = decodeFields(rooms, sent, { ...rules.json, ids: batchIds }, rules.ignored);
	return { ids: ids as Sent["ids"], changes };
}

export function batchAnswer<T, Item>(
	rooms: ApiRooms,
	{ requestId }: Call,
	{ done, failed }: BatchOutcome<T>,
	encode: (item: T) => Item,
) {
	for (const { id, failure } of failed) logOwn(rooms, requestId, id, failure);
	return {
		status: failed.length === 0 ? 200 : 207,
		body: {
			object: "batch_result" as const,
			data: done.map(encode),
			errors: failed.map(({ id, failure }) => ({ id, ...errorBody(failure) }) as v.InferOutput<typeof failedSchema>),
		},
	};
}

/** The answer as a whole succeeds: without this, a server error in it would not be logged. */
function logOwn(rooms: ApiRooms, requestId: string, id: string, failure: Failure): void {
	if (statusOf(failure) < 500) return;
	rooms.log.error("batch item failed", { request_id: requestId, id, code: failure.code, cause: failure.cause });
}
