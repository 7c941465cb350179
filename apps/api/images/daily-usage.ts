import type { Access } from "@svc/apps/access";
import { Failure, invalid } from "@svc/base/failure";
import { type Days, dayOf, dayText, parseDay, type UsageRow } from "@svc/images/usage/daily-usage";
import { about, integer as count, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { storageRoute } from "../kit/call.ts";
import type { Answer, StorageCall } from "../kit/call-types.ts";
import { listPage, listSchema, readWord, type WantedRows } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { query, route } from "../kit/route.ts";
import { STORAGE_HEADERS } from "./images-document.ts";

const rowSchema = named(
	"UsageRow",
	v.object({
		object: v.literal("usage_row"),
		date: about(v.nullable(v.string()), "UTC, as 2026-11-22; null by user."),
		user_id: about(v.nullable(v.string()), "Null by day, and for the App storage."),
		uploads: about(count, "Exact, also of images that are gone."),
		requests: about(count, "Calls of the API by callers who were known."),
		image_requests: about(count, "Answers of the transform host; what a CDN answered by itself is not among them."),
		bytes_served: about(count, "Of these answers."),
		renditions: about(count, "Made, not found in the cache."),
	}),
	"What was uploaded and served on a day, or for a user.",
);
type Row = v.InferOutput<typeof rowSchema>;

const pageSchema = listSchema(rowSchema);

const DAYS_MAX = 366;
const DAYS_DEFAULT = 30;
const FILTERS = ["from", "to", "scope", "by", "format"] as const;

/** `GET /v1/usage/daily`. */
export function dailyUsage(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/usage/daily", storageRoute(rooms, "read"), {
		operationId: "listDailyUsage",
		summary: "What was uploaded and served, by day or by user; uploads are exact, the rest at most a minute late",
		tags: ["usage"],
		parameters: [
			query("from", { type: "string", format: "date" }, "The first day, UTC; 30 days before `to` when left out"),
			query("to", { type: "string", format: "date" }, `The day after the last, at most ${DAYS_MAX} later`),
			query(
				"scope",
				{ type: "string", enum: ["storage", "app"], default: "storage" },
				"`app`: the App storage and all users', for an App-wide key",
			),
			query("by", { type: "string", enum: ["day", "user"], default: "day" }, "`user`: with scope=app"),
			query("format", { type: "string", enum: ["json", "csv"], default: "json" }, "`csv`: all rows, as a file"),
			query("limit", { type: "integer", minimum: 1, maximum: 100, default: 50 }),
			query("cursor", { type: "string" }, "next_cursor of the page before"),
			...STORAGE_HEADERS,
		],
		answers: { 200: pageSchema },
		run: (call) => daily(rooms, call) as Promise<Answer<v.InferOutput<typeof pageSchema>>>,
	});
}

async function daily(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const params = call.url.searchParams;
	const format = readWord("format", params.get("format") ?? undefined, ["json", "csv"]);
	const rowsOf = reader(rooms, call);
	if (format === "csv") return file(whileAllowed(call, rowsOf));
	return await listPage<UsageRow>(rooms, call, {
		filters: FILTERS,
		scope: call.access.storage.id,
		find: rowsOf,
		encode,
	});
}

type ReadRows = (page: Pick<WantedRows, "limit" | "beforePk">) => Promise<readonly UsageRow[]>;

/** @throws Failure validation_error, forbidden for a caller who sees one storage of the App only */
function reader({ images, clock }: ApiRooms, { access, url }: StorageCall): ReadRows {
	const params = url.searchParams;
	const days = readDays(params, dayOf(clock.now()));
	const scope = readWord("scope", params.get("scope") ?? undefined, ["storage", "app"]);
	const by = readWord("by", params.get("by") ?? undefined, ["day", "user"]);
	if (by === "user" && scope !== "app") throw invalid("by", "can be user with scope=app only");
	if (scope === "app" && !seesApp(access)) {
		throw Failure.saying(
			"forbidden",
			"This takes an App-wide key: the use of the whole App is not this caller's to see.",
		);
	}
	const { app, storage } = access;
	if (by === "user") return (page) => images.dailyUsage.byUser(app.pk, days, page);
	const of = scope === "app" ? { appPk: app.pk } : { storagePk: storage.pk };
	return async (page) => wholeDays(await images.dailyUsage.byDay(of, daysOf(page, days)), daysOf(page, days));
}

function seesApp({ caller }: Access): boolean {
	return caller.reach === "app" || caller.reach === "team";
}

function readDays(params: URLSearchParams, today: number): Days {
	const to = readDay(params, "to") ?? today + 1;
	const from = readDay(params, "from") ?? to - DAYS_DEFAULT;
	if (from >= to || to - from > DAYS_MAX) {
		throw invalid("to", `must be after from, and at most ${DAYS_MAX} days after it`);
	}
	return { from, to };
}

function readDay(params: URLSearchParams, name: string): number | undefined {
	const sent = params.get(name);
	if (sent === null) return undefined;
	const day = parseDay(sent);
	if (day === undefined) throw invalid(name, "must be a date, as 2026-11-22");
	return day;
}

/** Cursors go down, and days go up: a day's place is how far it is from one that never comes. */
const LAST_DAY = 4_000_000;

/** The days of a page. */
function daysOf({ limit, beforePk }: Pick<WantedRows, "limit" | "beforePk">, { from, to }: Days): Days {
	const first = beforePk === undefined ? from : Math.max(from, LAST_DAY - beforePk + 1);
	return { from: first, to: Math.min(to, first + limit) };
}

/** One row for each day, also for those on which nothing happened. */
function wholeDays(counted: readonly UsageRow[], { from, to }: Days): readonly UsageRow[] {
	const found = new Map(counted.map((row) => [row.day, row]));
	return Array.from({ length: Math.max(0, to - from) }, (_, place) => {
		const day = from + place;
		const none = { userId: null, uploads: 0, requests: 0, imageRequests: 0, bytesServed: 0, renditions: 0 };
		return { ...none, ...found.get(day), day, pk: LAST_DAY - day };
	});
}

function encode(row: UsageRow): Row {
	return {
		object: "usage_row",
		date: row.day === null ? null : dayText(row.day),
		user_id: row.userId,
		uploads: row.uploads,
		requests: row.requests,
		image_requests: row.imageRequests,
		bytes_served: row.bytesServed,
		renditions: row.renditions,
	};
}

/** A file is read as slowly as its reader likes: its caller is asked for again with each part but the first. */
function whileAllowed({ access }: StorageCall, rowsOf: ReadRows): ReadRows {
	return async (page) => {
		if (page.beforePk !== undefined) await access.again?.();
		return await rowsOf(page);
	};
}

const COLUMNS = ["date", "user_id", "uploads", "requests", "image_requests", "bytes_served", "renditions"] as const;
const ROWS_AT_ONCE = 500;

/** RFC 4180: a header row, and CRLF behind each row. */
function file(rowsOf: ReadRows): Answer {
	const lines = csv(rowsOf);
	const text = new TextEncoder();
	const body = new ReadableStream<Uint8Array>({
		async pull(controller) {
			const { value, done } = await lines.next();
			if (done) controller.close();
			else controller.enqueue(text.encode(value));
		},
		async cancel() {
			await lines.return();
		},
	});
	const headers = {
		"Content-Type": "text/csv; charset=utf-8; header=present",
		"Content-Disposition": 'attachment; filename="usage.csv"',
	};
	return { status: 200, body, headers };
}

async function* csv(rowsOf: ReadRows): AsyncGenerator<string, void, void> {
	yield `${COLUMNS.join(",")}\r\n`;
	for (let beforePk: number | undefined; ; ) {
		const rows = await rowsOf({ limit: ROWS_AT_ONCE, beforePk });
		if (rows.length > 0) yield rows.map((row) => csvLine(encode(row))).join("");
		beforePk = rows.at(-1)?.pk;
		if (rows.length < ROWS_AT_ONCE) return;
	}
}

function csvLine(row: Row): string {
	return `${COLUMNS.map((name) => csvField(String(row[name] ?? ""))).join(",")}\r\n`;
}

function csvField(text: string): string {
	return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
