import type { Preset, PresetParameters } from "@svc/delivery/preset";
import { changePreset, createPreset, deletePreset } from "@svc/delivery/presets";
import { text } from "@svc/variants/bounds";
import { about, dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { managedList } from "../apps/managed-list.ts";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

const NAME = /^[a-z0-9_-]{1,32}$/;
const NAME_RULE = "must have 1 to 32 of the characters a to z, 0 to 9, _ and -";
const PARAMETERS_RULE = "must be an object of parameters of the transform host, each a string";

const name = v.pipe(text(32, NAME_RULE), v.regex(NAME, NAME_RULE), v.examples(["thumb"]));
// The names are the caller's: valibot's record would lose a value under "__proto__".
export const presetParameters = v.pipe(
	v.custom<PresetParameters>(isTexts, PARAMETERS_RULE),
	v.metadata({ jsonSchema: { type: "object", additionalProperties: { type: "string" } } }),
);
const creating = { name, parameters: presetParameters };
const changing = { name: v.optional(name), parameters: v.optional(presetParameters) };

const presetSchema = named(
	"Preset",
	v.object({
		id: v.string(),
		object: v.literal("preset"),
		created_at: dateTime,
		name: about(v.string(), "`{url}?preset=<name>` asks for it, under every delivery policy."),
		parameters: about(v.record(v.string(), v.string()), "As in an address; others beside `preset` are ignored."),
	}),
);

function encode({ id, createdMs, name: shown, parameters: kept }: Preset): v.InferOutput<typeof presetSchema> {
	return { id, object: "preset", created_at: isoDate(createdMs), name: shown, parameters: kept };
}

function isTexts(sent: unknown): boolean {
	if (typeof sent !== "object" || sent === null || Array.isArray(sent)) return false;
	return Object.values(sent).every((value) => typeof value === "string");
}

const PATH = "/v1/apps/:id/presets";

export function presets(app: Elysia, rooms: ApiRooms): void {
	managedList(app, rooms, [PATH, "preset"], {
		...{ scope: "apps", tag: "delivery", object: "preset", of: presetSchema, encode },
		list: ["listPresets", "Forms of the App's images under a name"],
		find: (page, call) => rooms.delivery.presets.list(call.app.pk, page),
		create: ["createPreset", "Gives parameters of the transform host a name; at most 100"],
		body: creating,
		made: presetSchema,
		make: async (call, sent) => encode(await createPreset(rooms.delivery, call, sent)),
		delete: ["deletePreset", "Removes a preset"],
		remove: (call, id) => deletePreset(rooms.delivery, call, id),
	});
	route(app, "PATCH", `${PATH}/:preset`, appRoute(rooms, "apps:write", "admin"), {
		operationId: "changePreset",
		summary: "Renames a preset, or replaces all of its parameters; its addresses give the new form at once",
		tags: ["delivery"],
		body: changing,
		answers: { 200: presetSchema },
		run: async (call) => ok(encode(await changePreset(rooms.delivery, call, call.params.preset, await call.input()))),
	});
}
