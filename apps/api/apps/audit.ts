import { type ListedAuditEntry, listAudit } from "@svc/apps/activity/audit";
import { invalid } from "@svc/base/failure";
import { date } from "@svc/images/image-fields";
import { about, dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import { appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query } from "../kit/route.ts";

export const auditSchema = named(
	"AuditEntry",
	v.object({
		id: v.string(),
		object: v.literal("audit_entry"),
		actor: about(v.string(), "Id of an account or a key, or the name of a job."),
		event: about(v.string(), "What was done, as `key.revoked`."),
		target: v.nullable(v.string()),
		changes: v.nullable(v.record(v.string(), v.unknown())),
		request_id: v.nullable(v.string()),
		created_at: dateTime,
	}),
);

export function encodeAudit(entry: ListedAuditEntry): v.InferOutput<typeof auditSchema> {
	return {
		id: entry.id,
		object: "audit_entry",
		actor: entry.actor,
		event: entry.event,
		target: entry.target,
		changes: entry.changes as v.InferOutput<typeof auditSchema>["changes"],
		request_id: entry.requestId,
		created_at: isoDate(entry.atMs),
	};
}

/** The filters of an audit; their names are also the parameters' names. */
export const AUDIT_FILTERS = ["actor", "event", "since"] as const;

/** @throws Failure validation_error under `since` */
export function readSince(sent: string | undefined): number | undefined {
	const parsed = v.safeParse(v.optional(date), sent);
	if (!parsed.success) throw invalid("since", parsed.issues[0].message);
	return parsed.output;
}

export function audit(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/apps/:id/audit", appRoute(rooms, "audit:read", "admin"), {
		operationId: "listAudit",
		summary: "What was done in an App, and by whom",
		tags: ["audit"],
		filters: AUDIT_FILTERS.map((name) => query(name)),
		of: auditSchema,
		find: ({ filters: { actor, event, since }, ...span }, call) =>
			listAudit(rooms.apps, { appPk: call.app.pk, actor, event, sinceMs: readSince(since) }, span),
		encode: encodeAudit,
	});
}
