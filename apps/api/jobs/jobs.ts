import { JOB_STATES } from "@svc/base/enumerations";
import { JOB_KINDS, type Job } from "@svc/jobs/jobs";
import { getJob, listJobs, retryJob, startReconcile } from "@svc/operator/watch-jobs";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers } from "../kit/document.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { operatorRoute, personRoute } from "../kit/person.ts";

export const jobSchema = v.object({
	id: v.string(),
	object: v.literal("job"),
	kind: v.picklist(JOB_KINDS),
	state: v.picklist(JOB_STATES),
	done: v.number(),
	total: v.nullable(v.number()),
	failure: v.nullable(v.string()),
	result: v.nullable(v.record(v.string(), v.unknown())),
	created_at: v.string(),
	ended_at: v.nullable(v.string()),
});

export function encodeJob(job: Job): v.InferOutput<typeof jobSchema> {
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

/** What takes long has been started. */
export function accepted(job: Job): Answer {
	return { status: 202, body: encodeJob(job) };
}

export function jobs(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/jobs/:id",
		personRoute(deps, "any", async ({ person, params }) => ({
			status: 200,
			body: encodeJob(await getJob(deps, person, params.id ?? "")),
		})),
		{
			detail: {
				operationId: "getJob",
				summary: "A job: for whoever started it, and for operators",
				tags: ["jobs"],
				...answers(200, jobSchema),
			},
		},
	);
	operatorJobs(app, deps);
}

function operatorJobs(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/operator/jobs",
		operatorRoute(deps, { scope: "operator:read" }, (call) =>
			listPage(deps, call, {
				filters: ["state", "kind"],
				find: ({ filters, ...page }) => listJobs(deps, filters, page),
				encode: encodeJob,
			}),
		),
		{
			detail: {
				operationId: "listJobs",
				summary: "Jobs, newest first; `state` and `kind` filter",
				tags: ["operator"],
				parameters: [
					{ name: "state", in: "query", schema: { type: "string", enum: [...JOB_STATES] } },
					{ name: "kind", in: "query", schema: { type: "string", enum: [...JOB_KINDS] } },
				],
				...answers(200, listSchema(jobSchema)),
			},
		},
	);
	app.post(
		"/v1/operator/jobs/:id/retry",
		operatorRoute(deps, { scope: "operator:write" }, async ({ params, by }) =>
			accepted(await retryJob(deps, params.id ?? "", by)),
		),
		{
			parse: "none",
			detail: {
				operationId: "retryJob",
				summary: "Lets a failed job start over",
				tags: ["operator"],
				...answers(202, jobSchema),
			},
		},
	);
	app.post(
		"/v1/operator/reconcile",
		operatorRoute(deps, { scope: "operator:write" }, async ({ by }) => accepted(await startReconcile(deps, by))),
		{
			parse: "none",
			detail: {
				operationId: "reconcile",
				summary: "Counts every storage and App again; the job's result names those that differed",
				tags: ["operator"],
				...answers(202, jobSchema),
			},
		},
	);
}
