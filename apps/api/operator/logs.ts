import { Failure } from "@svc/base/failure";
import { parseLimit } from "@svc/images/list/lists";
import { LOG_LEVELS, type LogLevel } from "@svc/operator/recent-log";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { listEntries } from "../kit/page.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { query, route } from "../kit/route.ts";

const lineSchema = named(
	"LogLine",
	v.object({
		object: v.literal("log_line"),
		at: dateTime,
		level: oneOf("LogLevel", LOG_LEVELS),
		message: v.string(),
		facts: about(
			v.record(v.string(), v.unknown()),
			"What the line is about, without secrets; `request_id` where it is about a call.",
		),
	}),
	"A line that the process which answers has logged.",
);

const listSchema = named(
	"LogLineList",
	v.object({
		...listEntries(lineSchema),
		latest: about(v.nullable(v.string()), "Take it as `after` to read on; null before anything was logged."),
	}),
);

/** The last lines of the log, for operators who cannot look at the machine. */
export function operatorLogs(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/operator/logs", operatorRoute(rooms, "operator:read"), {
		operationId: "listLogLines",
		summary: "The last lines that the process which answers has logged, oldest first",
		description:
			"At most 1,000 lines are kept, in memory. Without `after` the last ones come. A cursor of another process, or of a line that is not kept any more, means all that are.",
		tags: ["operator"],
		parameters: [
			query("after", { type: "string" }, "`latest` of an earlier answer: only what was logged since"),
			query(
				"level",
				{ type: "string", enum: [...LOG_LEVELS], default: "debug" },
				"Only lines of this level, or of a graver one",
			),
			query("limit", { type: "integer", minimum: 1, maximum: 100, default: 50 }),
		],
		answers: { 200: listSchema },
		run: async ({ url }) => {
			const { after, level, limit } = readQuery(url.searchParams);
			const { lines, hasMore, latest } = rooms.operator.instance.recentLog.read(after, level, limit);
			return ok<v.InferOutput<typeof listSchema>>({
				object: "list",
				data: lines.map(({ atMs, ...line }) => ({
					object: "log_line",
					at: isoDate(atMs),
					level: line.level,
					message: line.message,
					facts: line.facts,
				})),
				pagination: { has_more: hasMore, next_cursor: hasMore ? latest : null, next_url: null },
				latest,
			});
		},
	});
}

function readQuery(params: URLSearchParams) {
	const faults = Object.create(null) as Record<string, string[]>;
	const limit = parseLimit(params.get("limit"), faults);
	const sent = params.get("level") ?? "debug";
	const level = LOG_LEVELS.find((one) => one === sent);
	if (level === undefined) faults.level = [`must be one of ${LOG_LEVELS.join(", ")}`];
	if (Object.keys(faults).length > 0) throw new Failure("validation_error", faults);
	return { after: params.get("after") ?? undefined, level: level as LogLevel, limit };
}
