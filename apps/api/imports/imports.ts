import { IMPORT_ITEM_STATES } from "@svc/base/enumerations";
import { Faults } from "@svc/base/http/faults";
import { shareTurn } from "@svc/base/pace/turns";
import type { ImportItem, ImportRequest } from "@svc/imports/import";
import { cancelImport, getImport, listImports, listItems, startImport } from "@svc/imports/imports";
import { about, integer, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { importUrl } from "../images/create.ts";
import { STORAGE_HEADERS } from "../images/images-document.ts";
import { accepted, encodeJob, jobSchema } from "../jobs/jobs.ts";
import { judgeFields, messages } from "../kit/body/fields.ts";
import { ok, storageRoute } from "../kit/call.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { errorObject } from "../kit/refusals/failure.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";

/* Images made of many addresses at once. */

const ITEMS_MAX = 1_000;
const BODY_MAX_BYTES = 8_000_000;
/** Each item may have 50 texts of metadata, 20 labels and some fields. */
const PARTS_MAX = 80_000;

const state = oneOf("ImportItemState", IMPORT_ITEM_STATES);

const itemSchema = named(
	"ImportItem",
	v.object({
		object: v.literal("import_item"),
		index: about(integer, "Its place in `items` as they were sent, from 0."),
		url: v.string(),
		state,
		image_id: about(v.nullable(v.string()), "Null unless it was created."),
		error: about(v.nullable(errorObject), "What POST /v1/images would have answered; null unless it failed."),
	}),
);

function encodeItem({ place, url, state, imageId, error }: ImportItem): v.InferOutput<typeof itemSchema> {
	return {
		object: "import_item",
		index: place,
		url,
		state,
		image_id: imageId,
		error: error as v.InferOutput<typeof itemSchema>["error"],
	};
}

type Sent = Readonly<Record<string, unknown>>;

const ITEMS_RULE = `must be a list of 1 to ${ITEMS_MAX.toLocaleString("en")} objects, each with a url`;
const FIELDS_RULE = "must be an object";

const requestFields = {
	items: about(
		v.pipe(
			v.custom<readonly unknown[]>(
				(sent) => Array.isArray(sent) && sent.length >= 1 && sent.length <= ITEMS_MAX,
				ITEMS_RULE,
			),
			v.metadata({
				jsonSchema: {
					type: "array",
					minItems: 1,
					maxItems: ITEMS_MAX,
					items: {
						type: "object",
						properties: { url: { type: "string", format: "uri", maxLength: 2_048 } },
						required: ["url"],
					},
				},
			}),
		),
		"Each has a `url` and may have the fields of POST /v1/images in JSON.",
	),
	fields: v.optional(
		about(
			v.pipe(v.custom<Sent>(isObject, FIELDS_RULE), v.metadata({ jsonSchema: { type: "object" } })),
			"The same fields but `url`, for every item: an item's own win, and maps are merged.",
		),
	),
};

function isObject(sent: unknown): sent is Sent {
	return typeof sent === "object" && sent !== null && !Array.isArray(sent);
}

/** All items, or none. @throws Failure validation_error naming each fault, as `items[3].url` */
async function readItems(rooms: ApiRooms, items: readonly unknown[], common: Sent): Promise<readonly ImportRequest[]> {
	const faults = new Faults();
	if (Object.hasOwn(common, "url")) faults.add("fields.url", ["is of each item"]);
	const { url: _, ...shared } = common;
	judgeFields(rooms, shared, rooms.variant.create, faults, "fields");
	if (faults.some) throw faults.failure();
	const read: ImportRequest[] = [];
	for (const [place, item] of items.entries()) {
		// A thousand whole items take longer than anybody else should wait.
		await shareTurn();
		read.push(readItem(rooms, item, common, { faults, place: `items[${place}]` }));
	}
	if (faults.some) throw faults.failure();
	return read;
}

interface Place {
	readonly faults: Faults;
	readonly place: string;
}

/** What is wrong with an item is added to the faults. */
function readItem(rooms: ApiRooms, item: unknown, common: Sent, { faults, place }: Place): ImportRequest {
	const { url, ...own } = isObject(item) ? item : {};
	const address = v.safeParse(importUrl, url);
	if (!isObject(item)) faults.add("", [FIELDS_RULE], place);
	else if (!address.success) faults.add("url", messages(address.issues), place);
	return { url: String(url), fields: judgeFields(rooms, merged(common, own), rooms.variant.create, faults, place) };
}

const MAPS: ReadonlySet<string> = new Set(["metadata", "labels"]);

/** The names are the caller's: assigning a value to the name "__proto__" would lose it. */
function merged(common: Sent, own: Sent): Sent {
	const entries = Object.entries(own).map(([name, value]) => {
		const shared = common[name];
		const both = MAPS.has(name) && isObject(value) && isObject(shared);
		return [name, both ? Object.fromEntries([...Object.entries(shared), ...Object.entries(value)]) : value] as const;
	});
	return Object.fromEntries([...Object.entries(common), ...entries]);
}

const tags = ["imports"];
const parameters = STORAGE_HEADERS;
const PATH = "/v1/imports";

export function imports(app: Elysia, rooms: ApiRooms): void {
	const reads = storageRoute(rooms, "read");
	const writes = storageRoute(rooms, "write");
	route(app, "POST", PATH, writes, {
		operationId: "createImport",
		summary: "Makes an image of each of up to 1,000 addresses, in the background",
		tags,
		parameters,
		body: requestFields,
		bounds: { maxBytes: BODY_MAX_BYTES, maxParts: PARTS_MAX },
		answers: { 202: jobSchema },
		async run(call) {
			const { access, request } = call;
			rooms.limits.creates.take(access.caller.pk);
			const { items, fields = {} } = await call.input();
			const userId = access.storage.kind === "user" ? request.headers.get("x-svc-user") : null;
			const wanted = await readItems(rooms, items, fields);
			return accepted(await startImport(rooms.imports, access, { items: wanted, userId }));
		},
	});
	list(app, rooms, PATH, reads, {
		operationId: "listImports",
		summary: "The storage's imports, newest first",
		tags,
		headers: parameters,
		of: jobSchema,
		scope: ({ access }) => access.storage.id,
		find: (page, { access }) => listImports(rooms.imports, access, page),
		encode: encodeJob,
	});
	one(app, rooms);
}

function one(app: Elysia, rooms: ApiRooms): void {
	const reads = storageRoute(rooms, "read");
	const writes = storageRoute(rooms, "write");
	const answers = { 200: jobSchema };
	route(app, "GET", `${PATH}/:id`, reads, {
		operationId: "getImport",
		summary: "An import; once it is done, `result` says how many images were `created` and how many items `failed`",
		tags,
		parameters,
		answers,
		run: async (call) => ok(encodeJob(await getImport(rooms.imports, call.access, call.params.id))),
	});
	list(app, rooms, `${PATH}/:id/items`, reads, {
		operationId: "listImportItems",
		summary: "The items of an import in the order in which they were sent; `state` filters",
		tags,
		headers: parameters,
		filters: [query("state", schemaOf(state))],
		of: itemSchema,
		scope: ({ access }) => access.storage.id,
		find({ filters, ...page }, call) {
			const wanted = readWord("state", filters.state, IMPORT_ITEM_STATES);
			return listItems(rooms.imports, call.access, call.params.id, { ...page, state: wanted });
		},
		encode: encodeItem,
	});
	route(app, "POST", `${PATH}/:id/cancel`, writes, {
		operationId: "cancelImport",
		summary: "Cancels what is queued; what was made stays",
		tags,
		parameters,
		answers,
		run: async (call) => ok(encodeJob(await cancelImport(rooms.imports, call.access, call.params.id))),
	});
}
