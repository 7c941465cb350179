import { listTrash, restoreTrash, startCollect } from "@svc/operator/trash";
import { listOf, text } from "@svc/variants/bounds";
import { about, integer as count, dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";

const KEYS_MAX = 100;

const trashedBlobSchema = named(
	"TrashedBlob",
	v.object({
		object: v.literal("trashed_blob"),
		id: about(v.string(), "The key under which the bytes were stored: an image's id, a slash, a random part."),
		image_id: v.string(),
		bytes: count,
		trashed_at: dateTime,
		removed_at: about(dateTime, "When it is removed for good."),
		known: about(v.boolean(), "Whether the database knows it by now: then it comes back by itself within a day."),
	}),
	"Stored bytes that no image in the database belongs to.",
);

const restoredSchema = named(
	"TrashRestore",
	v.object({
		object: v.literal("trash_restore"),
		restored: about(v.array(v.string()), "Those of the keys that were in the trash."),
	}),
);

const keys = listOf(text(1_000, "must be a key", "must be a key"), "must be a list of keys", {
	min: 1,
	max: KEYS_MAX,
	tooFew: "must hold at least one key",
	tooMany: `must hold at most ${KEYS_MAX} keys`,
});

/** Routes about stored bytes that the database does not know. */
export function operatorTrash(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/operator/trash", operatorRoute(rooms, "operator:read"), {
		operationId: "listTrash",
		summary: "Stored bytes that no image belongs to, the latest first; they are kept for 30 days",
		description:
			"What a person deletes is never here: it is removed after a day. Here is what the sweep found in the store and the database does not know.",
		tags: ["operator"],
		of: trashedBlobSchema,
		find: (span) => listTrash(rooms.operator, span),
		encode: ({ key, bytes, trashedMs, removedMs, known }) => ({
			object: "trashed_blob" as const,
			id: key,
			image_id: key.split("/")[0] ?? "",
			bytes,
			trashed_at: isoDate(trashedMs),
			removed_at: isoDate(removedMs),
			known,
		}),
	});
	route(app, "POST", "/v1/operator/trash/restore", operatorRoute(rooms, "operator:write"), {
		operationId: "restoreTrash",
		summary: "Brings stored bytes back from the trash; those that no image belongs to return there a day later",
		tags: ["operator"],
		body: { blobs: keys },
		answers: { 200: restoredSchema },
		run: async (call) => {
			const { blobs } = await call.input();
			const restored = await restoreTrash(rooms.operator, blobs, call.by);
			return ok({ object: "trash_restore" as const, restored: [...restored] });
		},
	});
	route(app, "POST", "/v1/operator/trash/collect", operatorRoute(rooms, "operator:write"), {
		operationId: "collectTrash",
		summary:
			"Looks through the store for bytes that no image belongs to and, with `move`, moves all of them to the trash",
		description:
			"The sweep does so by itself with a few, and leaves many where they are: then the database may be the wrong one. Look first, then move. The job's `result` has `unknown`, their `bytes`, and how many were `moved`. What the database names is never touched, nor what is younger than ten minutes.",
		tags: ["operator"],
		body: { move: v.optional(v.boolean("must be true or false"), false) },
		answers: { 202: jobSchema },
		run: async (call) => accepted(await startCollect(rooms.operator, await call.input(), call.by)),
	});
}
