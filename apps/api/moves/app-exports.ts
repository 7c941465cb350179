import { type MovePlan, readMaster, readRecords, rehearse, startExport } from "@svc/moves/departures";
import { about, integer, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { ok } from "../kit/call.ts";
import { appRoute, freshAgain } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { query, register, route } from "../kit/route.ts";

const tags = ["apps"];

const planSchema = named(
	"MovePlan",
	v.object({
		object: v.literal("move_plan"),
		counts: named("MoveCounts", v.object({ images: integer, users: integer })),
		bytes: about(integer, "Of the images, as they are stored."),
		left_out: about(
			v.record(v.string(), integer),
			"What the App has and a file never holds, by how many there are: keys and signing keys are secrets, unready images are none yet.",
		),
	}),
	"What an export would hold; nothing was begun.",
);

const pageSchema = named(
	"MoveRecords",
	v.object({
		object: v.literal("move_records"),
		records: about(v.array(v.record(v.string(), v.unknown())), "The App first, then its users, then its images."),
		next: about(v.nullable(v.string()), "The `after` of the next page; null on the last one."),
	}),
	"Records of an App that moves.",
);

/** An App is read as a whole, to be taken to another installation. */
export function appExports(app: Elysia, rooms: ApiRooms): void {
	const guard = appRoute(rooms, "moves:write", "owner");
	route(app, "POST", "/v1/apps/:id/exports", guard, {
		operationId: "startAppExport",
		summary: "Pins what an App has, to be read for 7 days and taken elsewhere; by the Owner, in a fresh session",
		description:
			"With `dry_run` it counts, and begins nothing (200). The job's `result` is {`images`, `bytes`, `users`, `expires_at`}. An export holds nothing up: what changes meanwhile is read as it is then.",
		tags,
		body: { dry_run: v.optional(v.boolean("must be true or false")) },
		answers: { 200: planSchema, 202: jobSchema },
		again: freshAgain,
		run: async (call) => {
			const { dry_run: isDry } = await call.input();
			if (isDry === true) return ok(encodePlan(await rehearse(rooms.moves, call)));
			return accepted(await startExport(rooms.moves, call));
		},
	});
	route(app, "GET", "/v1/apps/:id/exports/:export/records", guard, {
		operationId: "readAppExportRecords",
		summary: "The records of an export, page by page: the App, its users, its images",
		tags,
		parameters: [query("after", { type: "string" }, "`next` of the page before; left out for the first one")],
		answers: { 200: pageSchema },
		run: async (call) => {
			const after = call.url.searchParams.get("after") ?? undefined;
			const { records, next } = await readRecords(rooms.moves, call.app.pk, call.params.export, after);
			return ok({ object: "move_records" as const, records: records.map((record) => ({ ...record })), next });
		},
	});
	const reads = guard(async (call) => {
		const { params } = call;
		const master = await readMaster(rooms.moves, call.app.pk, params.export ?? "", params.image ?? "");
		const headers = { "Content-Type": "application/octet-stream", "Cache-Control": "no-store" };
		return { status: 200, body: master.stream(), headers };
	});
	register(app, "GET", "/v1/apps/:id/exports/:export/masters/:image", reads, {
		operationId: "readAppExportMaster",
		summary: "The bytes of one image of an export, as they are stored",
		tags,
		responses: {
			200: {
				description: "Success",
				content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
			},
			default: {
				description: "Any error",
				content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
			},
		},
	});
}

function encodePlan({ images, users, bytes, unready, keys, signingKeys }: MovePlan): v.InferOutput<typeof planSchema> {
	const leftOut = { keys, signing_keys: signingKeys, unready_images: unready };
	return { object: "move_plan", counts: { images, users }, bytes, left_out: leftOut };
}
