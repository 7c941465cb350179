import { JOB_STATES, type Permission } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { Faults } from "@svc/base/http/faults";
import { isId } from "@svc/base/ids";
import type { ImageAct } from "@svc/image-jobs/image-job";
import { cancelImageJob, startImageJob } from "@svc/image-jobs/image-jobs";
import { labelsChange, ttl } from "@svc/images/image-fields";
import type { ListFilter } from "@svc/images/list/list-filters";
import { requireSimilar } from "@svc/images/list/lists";
import { about } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accepted, encodeJob, jobSchema } from "../jobs/jobs.ts";
import { ok } from "../kit/call.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { type AppCall, appRoute, requireRole } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { readFilter, storageOf } from "./app-images.ts";
import { user } from "./image-moves.ts";

/* One change of all images that a filter finds, as a job. */

const ACT_RULE = "must be one of labels, ttl, delete, restore and move";
/** A literal would be a `const` in the document, of which a generator of clients makes what no Python reads. */
const only = v.optional(
	v.pipe(
		v.boolean("must be true"),
		v.check((sent) => sent, "must be true"),
	),
);
const sentFilter = v.record(v.string(), v.string("must hold texts"), "must be an object");

const acts = {
	labels: v.optional(labelsChange),
	ttl: v.optional(ttl),
	delete: only,
	restore: only,
	move: v.optional(v.strictObject({ user_id: v.nullable(user) }, "must be {user_id}")),
};

const fields = {
	filter: about(
		sentFilter,
		"The parameters of GET /v1/apps/{id}/images that choose images, as texts; empty: all images.",
	),
	act: about(
		v.pipe(
			v.strictObject(acts, ACT_RULE),
			v.check((sent) => Object.keys(sent).length === 1, ACT_RULE),
		),
		"One of `labels` and `ttl`, as PATCH /v1/images/{id} takes them, `delete`: true (what is deleted can be restored for 24 hours), `restore`: true (the filter then chooses among what was deleted) and `move`: {`user_id`}, null for the App storage.",
	),
};

export function imageJobs(app: Elysia, rooms: ApiRooms): void {
	const writes = appRoute(rooms, "images:write", "editor");
	route(app, "POST", "/v1/apps/:id/image_jobs", writes, {
		operationId: "createImageJob",
		summary: "Changes all images that fit a filter at its start, in the background",
		description:
			"The job's `result` is {`changed`, `skipped`}: how many images were changed, and how many were left as they are by the reason (`gone`, `locked`, `blocked`, `failed`, `processing`, `unchanged`, `invalid`, `conflict`, `quota`, `forbidden`, `cancelled`). Each image is judged when it has its turn, and whether the caller may still change it is asked again before each hundred.",
		tags: ["images"],
		body: fields,
		answers: { 202: jobSchema },
		async run(call) {
			const { filter, act } = await call.input();
			const wanted = { ...readJobFilter(rooms, filter, act), act };
			const { storage } = await storageOf(rooms, call, wanted.userId);
			await requireSimilar(rooms.images, storage, wanted.filter, "filter.similar_to");
			return accepted(await startImageJob(rooms.imageJobs, { ...memberOf(rooms, call), storage }, wanted, call.by));
		},
	});
	route(app, "POST", "/v1/apps/:id/image_jobs/:job/cancel", writes, {
		operationId: "cancelImageJob",
		summary: "Ends a change of many images; what was changed stays",
		tags: ["images"],
		answers: { 200: jobSchema },
		run: async (call) =>
			ok(encodeJob(await cancelImageJob(rooms.imageJobs, memberOf(rooms, call), call.params.job, call.by))),
	});
	list(app, rooms, "/v1/apps/:id/jobs", appRoute(rooms, "images:read", "viewer"), {
		operationId: "listAppJobs",
		summary: "Imports and changes of many images of the App, newest first",
		tags: ["jobs"],
		filters: [query("state", schemaOf(v.picklist(JOB_STATES)))],
		of: jobSchema,
		find: ({ filters, ...page }, call) =>
			rooms.jobs.store.listOfApp(call.app.pk, { ...page, state: readWord("state", filters.state, JOB_STATES) }),
		encode: encodeJob,
	});
}

function memberOf(rooms: ApiRooms, call: AppCall) {
	const again = async () => {
		const person = await call.anew();
		const { app, storage } = await requireRole(rooms, { ...call, person }, "editor");
		const caller = {
			pk: person.session.id,
			id: person.account.id,
			reach: "team",
			permissions: new Set<Permission>(),
		} as const;
		return { caller, app, storage };
	};
	return { app: call.app, storage: call.storage, person: call.person, again };
}

/** @throws Failure validation_error naming each fault as `filter.format` */
function readJobFilter(
	rooms: ApiRooms,
	sent: Readonly<Record<string, string>>,
	{ restore }: ImageAct,
): { readonly filter: ListFilter; readonly userId: string | null } {
	const faults = new Faults();
	if (Object.hasOwn(sent, "order")) faults.add("order", ["is not part of a filter"], "filter");
	const { user_id: userId = null, ...params } = sent;
	if (userId !== null && !isId("usr", userId))
		faults.add("user_id", ["must be the id of a connected user of the App"], "filter");
	if (faults.some) throw faults.failure();
	try {
		return { filter: readFilter(rooms, new URLSearchParams(params), restore ? "deleted" : undefined), userId };
	} catch (cause) {
		if (!(cause instanceof Failure) || cause.details === undefined) throw cause;
		for (const [name, messages] of Object.entries(cause.details)) faults.add(name, messages, "filter");
		throw faults.failure();
	}
}
