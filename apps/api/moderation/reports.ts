import { invalid } from "@svc/base/failure";
import { askReports, createReport, REPORT_STATES, resolveReport } from "@svc/moderation/reports";
import { text } from "@svc/variants/bounds";
import { dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok, openRoute } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { schemaOf } from "../kit/document/document.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { encodeReport, note, reason, reportOutcome, reportSchema } from "./moderation-item.ts";

const URL_MAX = 2_048;

const reported = {
	url: text(URL_MAX),
	reason,
	note: v.optional(v.nullable(note)),
	email: v.optional(
		v.nullable(
			v.pipe(
				text(1_000, "must be an e-mail address"),
				v.trim(),
				v.maxLength(254, "must be an e-mail address"),
				v.email("must be an e-mail address"),
			),
		),
	),
};

/** The answer does not reveal whether there is such an image. */
const takenSchema = named(
	"TakenReport",
	v.object({ object: v.literal("report"), created_at: dateTime }),
	"A report was taken; what became of it is not told to whoever made it.",
);

const resolution = { outcome: reportOutcome };

export function reports(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/reports", openRoute(rooms), {
		operationId: "createReport",
		summary: "Tells the operators about an image, by its address; anybody may",
		tags: ["moderation"],
		security: [],
		body: reported,
		answers: { 202: takenSchema },
		run: async (call) => {
			const address = rooms.addressOf(call.request);
			await askReports(rooms.moderation, address);
			const sent = await call.input();
			await createReport(rooms.moderation, { ...sent, address });
			return { status: 202, body: { object: "report", created_at: isoDate(rooms.clock.now()) } as const };
		},
	});
	list(app, rooms, "/v1/moderation/reports", operatorRoute(rooms, "moderation:read"), {
		operationId: "listReports",
		summary: "Reports from the public; open ones unless said otherwise",
		tags: ["moderation"],
		filters: [query("state", schemaOf(v.optional(oneOf("ReportState", REPORT_STATES), "open")))],
		of: reportSchema,
		find({ filters: { state = "open" }, ...span }) {
			if (!REPORT_STATES.some((known) => known === state))
				throw invalid("state", `must be ${REPORT_STATES.join(" or ")}`);
			return rooms.moderation.reports.list({ ...span, open: state === "open" });
		},
		encode: encodeReport,
	});
	route(app, "POST", "/v1/moderation/reports/:id/resolve", operatorRoute(rooms, "moderation:write"), {
		operationId: "resolveReport",
		summary: "Settles a report",
		tags: ["moderation"],
		body: resolution,
		answers: { 200: reportSchema },
		run: async (call) => {
			const { outcome } = await call.input();
			return ok(encodeReport(await resolveReport(rooms.moderation, call.params.id, outcome, call.by)));
		},
	});
}
