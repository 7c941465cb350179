import { JOB_STATES } from "@svc/base/enumerations";
import { JOB_KINDS, type Job } from "@svc/jobs/jobs";
import { startReconcile } from "@svc/operator/reconcile";
import { getJob, listJobs, retryJob } from "@svc/operator/watch-jobs";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { schemaOf } from "../kit/document/document.ts";
import { operatorRoute, personRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";

const kind = oneOf("JobKind", JOB_KINDS);
const state = oneOf("JobState", JOB_STATES);
const flag = v.optional(v.boolean("must be true or false"));

export const jobSchema = named(
	"Job",
	v.object({
		id: v.string(),
		object: v.literal("job"),
		kind,
		state,
		done: v.number(),
		total: about(v.nullable(v.number()), "Null until it is known."),
		failure: v.nullable(v.string()),
		result: v.nullable(v.record(v.string(), v.unknown())),
		created_at: dateTime,
		ended_at: v.nullable(dateTime),
	}),
);

/** What is shown of a job. */
export type ShownJob = Omit<Job, "pk" | "startedBy" | "appPk">;

export function encodeJob(job: ShownJob): v.InferOutput<typeof jobSchema> {
	return {
		id: job.id,
		object: "job",
		kind: job.kind,
		state: job.state,
		done: job.done,
		total: job.total,
		failure: job.failure,
		result: job.result as v.InferOutput<typeof jobSchema>["result"],
		created_at: isoDate(job.createdMs),
		ended_at: isoDate(job.endedMs),
	};
}

/** The answer to a call that started a job. */
export function accepted(job: Job) {
	return { status: 202, body: encodeJob(job) };
}

export function jobs(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/jobs/:id", personRoute(rooms, "any"), {
		operationId: "getJob",
		summary: "A job: for whoever started it, and for operators",
		tags: ["jobs"],
		answers: { 200: jobSchema },
		run: async ({ person, params }) => ok(encodeJob(await getJob(rooms.operator, person, params.id))),
	});
	operatorJobs(app, rooms);
}

function operatorJobs(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/operator/jobs", operatorRoute(rooms, "operator:read"), {
		operationId: "listJobs",
		summary: "Jobs, newest first; `state` and `kind` filter",
		tags: ["operator"],
		filters: [query("state", schemaOf(state)), query("kind", schemaOf(kind))],
		of: jobSchema,
		find: ({ filters, ...page }) => listJobs(rooms.operator, filters, page),
		encode: encodeJob,
	});
	route(app, "POST", "/v1/operator/jobs/:id/retry", operatorRoute(rooms, "operator:write"), {
		operationId: "retryJob",
		summary: "Lets a failed job start over",
		tags: ["operator"],
		answers: { 202: jobSchema },
		run: async ({ params, by }) => accepted(await retryJob(rooms.operator, params.id, by)),
	});
	route(app, "POST", "/v1/operator/reconcile", operatorRoute(rooms, "operator:write"), {
		operationId: "reconcile",
		summary:
			"Counts every storage and App again, looks at every stored original, and compares subscriptions with the payment processor; the job's result names what differed",
		description:
			"`result.usage.drifts` are the storages and Apps whose counters were corrected, `result.billing` says how many subscriptions were `checked` and in what they differ from the payment processor's (`drifts`: {`kind`, `subscription`, `checkout`, `ours`, `processor`}, at most 1,000), `result.damaged` at most 1,000 images whose stored bytes are missing or not those that were stored ({`image_id`, `app_id`, `kind`, `bytes`, `found_bytes`}), `result.damaged_total` all of them. `result.mended` are at most 1,000 images of which this release makes something else than one before it ({`image_id`, `app_id`, `why`}): what is kept of them is made anew when it is asked for; `result.converted_without_profile` at most 1,000 that came as HEIC and are stored without a colour profile ({`image_id`, `app_id`, `created_at`}): where releases before this one stored them and the HEIC gave its colours by numbers, those are lost, and only the HEIC itself, sent again, brings them back. `scrub` reads every byte; without it only sizes are compared. `repair` brings back what the backups of this service hold whole (`result.repaired` says how many), and takes over what the processor has (`result.billing.repaired`).",
		tags: ["operator"],
		body: { scrub: flag, repair: flag },
		answers: { 202: jobSchema },
		run: async (call) => accepted(await startReconcile(rooms.operator, await call.input(), call.by)),
	});
}
