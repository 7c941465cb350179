import { APP_IMPORT_STATES } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import { isId } from "@svc/base/ids";
import {
	addMaster,
	addRecords,
	type Counted,
	cancelArrival,
	finishArrival,
	getArrival,
	openArrival,
} from "@svc/moves/arrivals";
import { listOf, text } from "@svc/variants/bounds";
import { about, dateTime, integer, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { readForm } from "../kit/body/form.ts";
import { ok } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { answers } from "../kit/document/document.ts";
import { refuseParameters } from "../kit/page.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { query, register, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

const tags = ["operator"];
const PATH = "/v1/operator/app_imports";

const APP_RULE = "must be the id of an App";
const DIGEST_RULE = "must be a SHA-256 in hexadecimal";
const DIGEST = /^[0-9a-f]{64}$/;
const EXAMPLE = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const digest = v.pipe(text(64, DIGEST_RULE), v.regex(DIGEST, DIGEST_RULE), v.examples([EXAMPLE]));
/** A master is not bound by the limit on uploads: a picture that was converted may be larger than what was sent. */
const MASTER_MAX_BYTES = 210_000_000;
/** A page of images with their longest texts, which are at most some ten kilobytes each unless they are made to be long. */
const RECORDS = { max: 200, bounds: { maxBytes: 4_000_000, maxParts: 50_000 } };
const IMAGES_MAX = 100_000_000;

const importSchema = named(
	"AppImport",
	v.object({
		id: v.string(),
		object: v.literal("app_import"),
		app: about(v.string(), "The id that the App has, and will have here."),
		state: oneOf("AppImportState", APP_IMPORT_STATES),
		images: named(
			"AppImportImages",
			v.object({ expected: integer, here: integer, missing: integer }),
			"Records of images: how many the file says, how many are here, and how many of those without their bytes.",
		),
		created_at: dateTime,
	}),
	"An App on its way here: nothing of it is served before it is `done`.",
);

const missingSchema = named(
	"MissingMasters",
	v.object({
		object: v.literal("missing_masters"),
		sha256: about(v.array(v.string()), "Of bytes that are to be sent."),
	}),
);
const moreSchema = named(
	"TakenMaster",
	v.object({
		object: v.literal("taken_master"),
		more: about(v.boolean(), "Whether another image waits for the same bytes: send them again."),
	}),
);

const opening = {
	app: v.pipe(
		text(100, APP_RULE),
		v.check((sent) => isId("app", sent), APP_RULE),
		v.examples(["app_TQT69ZbHuwN4iFAAb71zxt"]),
	),
	manifest: about(digest, "Of the file's manifest: the same file goes on where it stopped."),
	installation: v.pipe(text(255), v.minLength(1, "must not be empty"), v.examples(["https://api.example.com"])),
	images: v.pipe(
		v.number("must be a whole number"),
		v.safeInteger("must be a whole number"),
		v.minValue(0, "must not be negative"),
		v.maxValue(IMAGES_MAX, "must be at most 100,000,000"),
		v.metadata({ jsonSchema: { type: "integer", minimum: 0, maximum: IMAGES_MAX, examples: [480] } }),
	),
};

/** An App comes from a file, as an operator's act: ids and addresses stay. */
export function appImports(app: Elysia, rooms: ApiRooms): void {
	const writes = operatorRoute(rooms, "operator:write");
	const one = { 200: importSchema };
	route(app, "POST", PATH, writes, {
		operationId: "openAppImport",
		summary: "Begins to take in an App from a file, or goes on with it; its ids and addresses must be free here",
		tags,
		body: opening,
		answers: one,
		run: async (call) => {
			const { app: appId, manifest, installation, images } = await call.input();
			const sent = { appId, file: Buffer.from(manifest, "hex"), installation, images };
			return ok(encode(await openArrival(rooms.moves, sent, call.by)));
		},
	});
	route(app, "GET", `${PATH}/:id`, operatorRoute(rooms, "operator:read"), {
		operationId: "getAppImport",
		summary: "How far an import of an App is",
		tags,
		answers: one,
		run: async ({ params }) => ok(encode(await getArrival(rooms.moves, params.id))),
	});
	route(app, "PUT", `${PATH}/:id/records`, writes, {
		operationId: "addAppImportRecords",
		summary:
			"Takes in lines of the file, at most 200, and says which pictures' bytes are missing; a line that is here already changes nothing",
		tags,
		body: { records: listOf(v.unknown(), "must be a list of 1 to 200 records", { min: 1, max: RECORDS.max }) },
		bounds: RECORDS.bounds,
		answers: { 200: missingSchema },
		run: async (call) => {
			const { records } = await call.input();
			return ok({
				object: "missing_masters" as const,
				sha256: [...(await addRecords(rooms.moves, call.params.id, records))],
			});
		},
	});
	masters(app, rooms);
	route(app, "POST", `${PATH}/:id/finish`, writes, {
		operationId: "finishAppImport",
		summary: "The App comes to be, in one commit, once all of it is here",
		tags,
		answers: one,
		run: async (call) => ok(encode(await finishArrival(rooms.moves, call.params.id, call.by))),
	});
	route(app, "DELETE", `${PATH}/:id`, writes, {
		operationId: "cancelAppImport",
		summary: "Gives an import up; what came of it goes within a day",
		tags,
		answers: { 200: tombstoneSchema },
		run: async ({ params: { id }, by }) => {
			await cancelArrival(rooms.moves, id, by);
			return deleted("app_import", id);
		},
	});
}

function masters(app: Elysia, rooms: ApiRooms): void {
	const takes = operatorRoute(
		rooms,
		"operator:write",
	)(async (call) => {
		refuseParameters(call.url.searchParams, (name) => name === "sha256");
		const sha256 = call.url.searchParams.get("sha256") ?? "";
		if (!DIGEST.test(sha256)) throw invalid("sha256", DIGEST_RULE);
		const client = networkOf(rooms.addressOf(call.request));
		const { file } = await readForm(call.request, rooms.images.blobs.stage, { fileMaxBytes: MASTER_MAX_BYTES, client });
		if (!file) throw invalid("file", "is required, as a file part");
		const more = await addMaster(rooms.moves, call.params.id ?? "", sha256, file.staged);
		return { status: 200, body: { object: "taken_master", more } };
	});
	const file = { type: "string", format: "binary" } as const;
	const form = { type: "object" as const, properties: { file }, required: ["file"] };
	register(app, "PUT", `${PATH}/:id/masters`, takes, {
		operationId: "addAppImportMaster",
		summary: "Takes in the bytes of one picture, which must have this digest; bytes that nobody waits for are dropped",
		tags,
		parameters: [
			{ ...query("sha256", { type: "string", pattern: DIGEST.source, examples: [EXAMPLE] }), required: true as const },
		],
		requestBody: { required: true, content: { "multipart/form-data": { schema: form } } },
		...answers(200, moreSchema),
	});
}

function encode(arrival: Counted): v.InferOutput<typeof importSchema> {
	const { id, appId, state, images: expected, here, createdMs } = arrival;
	return {
		id,
		object: "app_import",
		app: appId,
		state,
		images: { expected, here: here.images, missing: here.missing },
		created_at: isoDate(createdMs),
	};
}
