import { startBackup } from "@svc/operator/backups";
import type { Elysia } from "elysia";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

export function operatorBackups(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/operator/backups", operatorRoute(rooms, "operator:write"), {
		operationId: "createBackup",
		summary: "Backs up the database and every image; the job's result tells where the folder is",
		description:
			"The folder lies in `backups` of the service's data directory. While one backup is being made, its job is answered. A database on a server of its own is backed up there: 409.",
		tags: ["operator"],
		answers: { 202: jobSchema },
		run: async ({ by }) => accepted(await startBackup(rooms.operator, by)),
	});
}
