import { listExports, openExport, startExport } from "@svc/exports/exports";
import { text } from "@svc/variants/bounds";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accepted, encodeJob, jobSchema } from "../jobs/jobs.ts";
import type { Answer } from "../kit/call-types.ts";
import { freshAgain, type PersonCall, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, register, route } from "../kit/route.ts";

const request = {
	app: v.optional(
		v.pipe(text(100, undefined, "must be the id of an App"), v.description("Only what this App keeps for you")),
	),
};

/** One's own pictures and account as a file: a session's alone, no token reaches it. */
export function exports(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/me/export", sessionRoute(rooms), {
		operationId: "startExport",
		summary:
			"Exports all pictures and the account, or what one App keeps; one at a time, one a day, by a fresh session",
		description:
			"The job’s `result` is {`url`, `expires_at`, `images`, `bytes`}. `url` is a ZIP file for a browser that is signed in, for 7 days; a program reads it at `/v1/me/exports/{id}/file`. It holds `<app>/<image id>.<ext>` as stored, `images.json` and `account.json`, and is made while it is read: what was deleted or blocked meanwhile is not in it.",
		tags: ["people"],
		body: request,
		answers: { 202: jobSchema },
		again: freshAgain,
		run: async (call) => {
			const { app: appId } = await call.input();
			return accepted(await startExport(rooms.exports, call.person, { appId }, call.by));
		},
	});
	list(app, rooms, "/v1/me/exports", sessionRoute(rooms), {
		operationId: "listExports",
		summary: "One's own exports that are being made or can still be fetched, newest first",
		tags: ["people"],
		of: jobSchema,
		scope: ({ person }) => person.account.id,
		find: (page, { person }) => listExports(rooms.exports, person.account, page),
		encode: encodeJob,
	});
	const reads = sessionRoute(rooms)((call) => read(rooms, call));
	register(app, "GET", "/v1/me/exports/:id/file", reads, {
		operationId: "readExport",
		summary: "The ZIP file of a finished export, for 7 days",
		tags: ["people"],
		responses: {
			200: {
				description: "Success",
				content: { "application/zip": { schema: { type: "string", format: "binary" } } },
			},
			default: {
				description: "Any error",
				content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
			},
		},
	});
}

async function read(rooms: ApiRooms, { person, params }: PersonCall): Promise<Answer> {
	const { body, headers } = await openExport(rooms.exports, person, params.id ?? "");
	return { status: 200, body, headers };
}
