import { REPORT_OUTCOMES } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { createReport, REPORT_STATES, resolveReport } from "@svc/moderation/reports";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { type Answer, type Call, openRoute } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { operatorRoute, type PersonCall } from "../kit/person.ts";
import { encodeReport, note, reason, reportSchema } from "./moderation-item.ts";

const URL_MAX = 2_048;

const reported = {
	url: v.pipe(v.string("must be a string"), v.maxLength(URL_MAX, `must have at most ${URL_MAX} characters`)),
	reason,
	note: v.optional(v.nullable(note)),
	email: v.optional(
		v.nullable(
			v.pipe(
				v.string("must be a string"),
				v.trim(),
				v.maxLength(254, "must be an e-mail address"),
				v.email("must be an e-mail address"),
			),
		),
	),
};

/** Says nothing of what became of it: whether there is such an image is not told to anybody. */
const takenSchema = v.object({ object: v.literal("report"), created_at: v.string() });

const resolution = {
	outcome: v.picklist(REPORT_OUTCOMES, `must be one of ${REPORT_OUTCOMES.join(", ")}`),
};

export function reports(app: Elysia, deps: ApiDeps): void {
	app.post(
		"/v1/reports",
		openRoute(deps, (call) => create(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "createReport",
				summary: "Tells the operators about an image, by its address; anybody may",
				tags: ["moderation"],
				security: [],
				...jsonBody(v.object(reported)),
				...answers(202, takenSchema),
			},
		},
	);
	app.get(
		"/v1/moderation/reports",
		operatorRoute(deps, { scope: "moderation:read" }, (call) => list(deps, call)),
		{
			detail: {
				operationId: "listReports",
				summary: "Reports from the public; open ones unless said otherwise",
				tags: ["moderation"],
				parameters: [
					{ name: "state", in: "query", schema: { type: "string", enum: [...REPORT_STATES], default: "open" } },
				],
				...answers(200, listSchema(reportSchema)),
			},
		},
	);
	app.post(
		"/v1/moderation/reports/:id/resolve",
		operatorRoute(deps, { scope: "moderation:write" }, (call) => resolve(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "resolveReport",
				summary: "Settles a report",
				tags: ["moderation"],
				...jsonBody(v.object(resolution)),
				...answers(200, reportSchema),
			},
		},
	);
}

async function create(deps: ApiDeps, call: Call): Promise<Answer> {
	const sent = await readInput(call, reported);
	await createReport(deps, { ...sent, address: deps.addressOf(call.request) });
	const body: v.InferOutput<typeof takenSchema> = { object: "report", created_at: isoDate(deps.clock.now()) };
	return { status: 202, body };
}

function list(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	return listPage(deps, call, {
		filters: ["state"],
		find: ({ filters: { state = "open" }, ...span }) => {
			if (!REPORT_STATES.some((known) => known === state))
				throw invalid("state", `must be ${REPORT_STATES.join(" or ")}`);
			return deps.reports.list({ ...span, open: state === "open" });
		},
		encode: encodeReport,
	});
}

async function resolve(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	const { outcome } = await readInput(call, resolution);
	return { status: 200, body: encodeReport(await resolveReport(deps, call.params.id ?? "", outcome, call.by)) };
}
