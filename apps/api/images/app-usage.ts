import { invalid } from "@svc/base/failure";
import { LABELS_MAX, type MonthUploads, type UserUsage, usageOf } from "@svc/images/usage/usage";
import { about, integer as count, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { ok, storageRoute } from "../kit/call.ts";
import type { StorageCall } from "../kit/call-types.ts";
import { listPage, listSchema, readNumber } from "../kit/page.ts";
import { type AppCall, appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { query, route } from "../kit/route.ts";
import { STORAGE_HEADERS } from "./images-document.ts";

const userUsageSchema = named(
	"UserUsage",
	v.object({
		object: v.literal("user_usage"),
		user_id: about(v.nullable(v.string()), "Null: the App storage."),
		images: count,
		bytes: count,
		uploads_this_month: count,
	}),
	"One storage's share of an App's use.",
);
const monthUsageSchema = named(
	"MonthUsage",
	v.object({ object: v.literal("month_usage"), month: about(v.string(), "As 2026-09."), uploads: count }),
);
const labelCountSchema = named(
	"LabelCount",
	v.object({
		key: v.string(),
		value: v.string(),
		count: about(count, "Images with this label; counted up to 1,000."),
		more: v.optional(about(v.boolean(), "True where counting stopped: there are more images than `count`.")),
	}),
);
const labelsSchema = named(
	"Labels",
	v.object({
		object: v.literal("labels"),
		data: v.array(labelCountSchema),
		truncated: about(v.boolean(), "Whether there are more labels than are listed."),
	}),
	"Labels in the App storage.",
);

function encodeUser({ userId, images, bytes, uploads }: UserUsage): v.InferOutput<typeof userUsageSchema> {
	return { object: "user_usage", user_id: userId, images, bytes, uploads_this_month: uploads };
}

function encodeMonth({ month, uploads }: MonthUploads): v.InferOutput<typeof monthUsageSchema> {
	return { object: "month_usage", month, uploads };
}

const BY = ["total", "user", "month"];

const LABEL_PARAMETERS = [
	query("prefix"),
	query("limit", { type: "integer", minimum: 1, maximum: LABELS_MAX, default: LABELS_MAX }, "How many labels at most"),
];

export function appUsage(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/apps/:id/usage", appRoute(rooms, "apps:read", "viewer"), {
		operationId: "getAppUsage",
		summary: "Use of the whole App: its counters and limits, each user's storage, or uploads month by month",
		tags: ["usage"],
		parameters: [
			{ name: "by", in: "query", schema: { type: "string", enum: BY, default: "total" } },
			query(
				"limit",
				{ type: "integer", minimum: 1, maximum: 100, default: 50 },
				"How many to a page, by user or month",
			),
			query("cursor", { type: "string" }, "next_cursor of the page before"),
		],
		answers: { 200: v.union([rooms.variant.usage.schema, listSchema(userUsageSchema), listSchema(monthUsageSchema)]) },
		run: (call) => usageBy(rooms, call),
	});
	route(app, "GET", "/v1/apps/:id/labels", appRoute(rooms, "images:read", "viewer"), {
		operationId: "listLabels",
		summary: `Labels of the images in the App storage, at most ${LABELS_MAX.toLocaleString("en")}, each counted as far`,
		tags: ["images"],
		parameters: LABEL_PARAMETERS,
		answers: { 200: labelsSchema },
		run: (call) => labels(rooms, call),
	});
}

/** `GET /v1/labels`: what `GET /v1/apps/{id}/labels` tells, of the storage that is asked about. */
export function storageLabels(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/labels", storageRoute(rooms, "read"), {
		operationId: "listStorageLabels",
		summary: `Labels of the images in the storage, at most ${LABELS_MAX.toLocaleString("en")}, each counted as far`,
		tags: ["images"],
		parameters: [...STORAGE_HEADERS, ...LABEL_PARAMETERS],
		answers: { 200: labelsSchema },
		run: ({ access, url }) => labels(rooms, { storage: access.storage, url }),
	});
}

function usageBy(rooms: ApiRooms, call: AppCall) {
	const { app, by, url } = call;
	switch (url.searchParams.get("by") ?? "total") {
		case "total":
			return total(rooms, call);
		case "user":
			return listPage(rooms, call, {
				filters: ["by"],
				find: (span) => rooms.images.appUsage.byUser(app.pk, by.nowMs, span),
				encode: encodeUser,
			});
		case "month":
			return listPage(rooms, call, {
				filters: ["by"],
				find: (span) => rooms.images.appUsage.byMonth(app.pk, span),
				encode: encodeMonth,
			});
		default:
			throw invalid("by", `must be one of ${BY.join(", ")}`);
	}
}

async function total(rooms: ApiRooms, { app, storage, person, by }: AppCall) {
	const allowance = rooms.variant.usage.allowance({ app, storage });
	const counted = usageOf(allowance, await rooms.images.appUsage.total(app.pk, by.nowMs), by.nowMs);
	const { account, session } = person;
	const caller = { pk: session.id, id: account.id, reach: "team", permissions: new Set(["read"] as const) } as const;
	return ok(rooms.variant.usage.encode(counted, { caller, app, storage }));
}

/** Length of the longest label key. */
const PREFIX_MAX = 64;

async function labels(rooms: ApiRooms, { storage, url }: Pick<AppCall, "storage" | "url">) {
	const prefix = url.searchParams.get("prefix") ?? "";
	if (!/^[a-z0-9_.-]*$/.test(prefix) || prefix.length > PREFIX_MAX) {
		throw invalid("prefix", "must be the beginning of a label's key");
	}
	const limit = readNumber(url.searchParams, "limit", LABELS_MAX) ?? LABELS_MAX;
	const found = await rooms.images.appUsage.labels(storage.pk, prefix, limit, rooms.images.clock.now());
	return ok<v.InferOutput<typeof labelsSchema>>({
		object: "labels",
		data: found.slice(0, limit).map(({ more, ...counted }) => ({ ...counted, ...(more && { more }) })),
		truncated: found.length > limit,
	});
}

export function usage(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/usage", storageRoute(rooms, "read"), {
		operationId: "getUsage",
		summary:
			"Counters of the selected storage, and the limits of the whole App; what one user may keep is `limits` of GET /v1/users/{user}",
		tags: ["usage"],
		parameters: STORAGE_HEADERS,
		answers: { 200: rooms.variant.usage.schema },
		run: (call) => read(rooms, call),
	});
}

async function read(rooms: ApiRooms, call: StorageCall) {
	return {
		status: 200,
		body: rooms.variant.usage.encode(await call.usage(), call.access),
		headers: rooms.variant.limits.headers(rooms.variant.usage.allowance(call.access).plan),
	};
}
