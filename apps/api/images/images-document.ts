import { LIST_ORDERS, NARROWING_PARAMETERS } from "@svc/images/list/list-filters";
import { TOTAL_QUICK_MAX } from "@svc/images/list/lists";
import { about, integer, named, nameOf } from "@svc/variants/shape";
import type { Variant } from "@svc/variants/variant";
import * as v from "valibot";
import { batchIds, batchSchema, fieldsOfMany } from "../kit/body/batch.ts";
import { answers, schemaOf } from "../kit/document/document.ts";
import { includeParameter } from "../kit/include.ts";
import { listEntries, listSchema } from "../kit/page.ts";
import { query, type RouteParameter } from "../kit/route.ts";
import { tombstoneSchema } from "../kit/tombstone.ts";
import { importUrl } from "./create.ts";

/** What a list of images may be asked to tell beside them. */
export const LIST_INCLUDES = ["total", "facts", "preview", "revision"] as const;

const INCLUDE_DESCRIPTION =
	"facts: what is known of the picture itself; preview: an address that shows its smallest size for some minutes; revision: the number of its last change";

/** What an interface version says of a route besides what all say. */
type Described = Readonly<Record<string, unknown>>;

/** How the image routes look in the API document, for the variant that is served. */
export function describeImages(variant: Variant, create: Described, read: Described) {
	const image = variant.image.schema;
	const knowsAll = variant.lists.filters === "all";
	const include = includeParameters(variant);
	const batch = batchSchema("BatchResult", v.union([image, tombstoneSchema]));
	const permanent = variant.deletes === "restorable" ? [PERMANENT] : [];
	const batchAnswers = { responses: { ...answers(200, batch).responses, ...answers(207, batch).responses } };
	return {
		create: {
			operationId: "createImage",
			summary: "Stores an uploaded file",
			tags: ["images"],
			parameters: [...STORAGE_HEADERS, IDEMPOTENCY_HEADER, ...include],
			...create,
			requestBody: { required: true, content: createContent(variant) },
			...answers(201, image),
		},
		list: {
			operationId: "listImages",
			summary: "Images, newest published_at first",
			tags: ["images"],
			parameters: [...STORAGE_HEADERS, ...(knowsAll ? LIST_PARAMETERS : PLAIN_FILTERS)],
			...answers(200, knowsAll ? totalled(image) : listSchema(image)),
		},
		get: {
			operationId: "getImage",
			tags: ["images"],
			parameters: [...STORAGE_HEADERS, ID, ...include],
			...read,
			...answers(200, image),
		},
		update: {
			operationId: "updateImage",
			summary: "Changes the fields that are sent, all of them or none",
			tags: ["images"],
			parameters: [...STORAGE_HEADERS, ID, ...include],
			requestBody: json(properties(variant.update.json)),
			...answers(200, image),
		},
		updateBatch: {
			operationId: "updateImages",
			summary: "Makes the same change to up to 100 images, each for itself; 207 when some fail",
			tags: ["images"],
			parameters: [...STORAGE_HEADERS, ...include],
			requestBody: json({ ids: schemaOf(batchIds), ...properties(fieldsOfMany(variant.update.json)) }, ["ids"]),
			...batchAnswers,
		},
		deleteBatch: {
			operationId: "deleteImages",
			summary: "Deletes up to 100 images; one that is gone already counts as deleted",
			tags: ["images"],
			parameters: [...STORAGE_HEADERS, ...permanent],
			requestBody: json({ ids: schemaOf(batchIds) }, ["ids"]),
			...batchAnswers,
		},
		delete: {
			operationId: "deleteImage",
			summary: "Deletes an image and all its renditions",
			tags: ["images"],
			parameters: [...STORAGE_HEADERS, ID, ...permanent],
			...answers(200, tombstoneSchema),
		},
	};
}

/** What calls that answer images may be asked for besides. */
export function includeParameters({ image: { includes } }: Variant) {
	return includes.length > 0 ? [includeParameter(includes, INCLUDE_DESCRIPTION)] : [];
}

export function totalled(image: v.GenericSchema) {
	const total = about(
		v.optional(v.nullable(integer)),
		"With `include=total`: on all pages together; null where a filter leaves more than 100,000, or `total_max` images are not enough.",
	);
	return named(`${nameOf(image)}List`, v.object({ ...listEntries(image), total }));
}

function json(members: Record<string, object>, required: readonly string[] = []) {
	return { required: true, content: { "application/json": { schema: object(members, required) } } };
}

function createContent(variant: Variant) {
	return {
		"multipart/form-data": {
			schema: object({ file: { type: "string", format: "binary" }, ...properties(variant.create.form) }, ["file"]),
		},
		"application/json": {
			schema: object({ url: schemaOf(importUrl), ...properties(variant.create.json) }, ["url"]),
		},
	};
}

function properties(fields: Variant["create"]["json"]): Record<string, object> {
	return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, schemaOf(schema)]));
}

function object(members: Record<string, object>, required: readonly string[]) {
	return { type: "object" as const, properties: members, ...(required.length > 0 && { required: [...required] }) };
}

export const ID = { name: "id", in: "path" as const, required: true, schema: { type: "string" as const } };

export const USER_HEADER = {
	name: "X-Svc-User",
	in: "header" as const,
	schema: { type: "string" as const },
	description: "A connected user's id, with an App-wide key: the call is about that user's storage",
};

export const APP_HEADER = {
	name: "X-Svc-App",
	in: "header" as const,
	schema: { type: "string" as const },
	description: "An App's id, with a session or token of its team: the call is about that App's storage",
};

/** What selects the storage that a call is about. */
export const STORAGE_HEADERS = [USER_HEADER, APP_HEADER];

export const IDEMPOTENCY_HEADER = {
	name: "Idempotency-Key",
	in: "header" as const,
	schema: { type: "string" as const, minLength: 1, maxLength: 255 },
	description: "Sent again within 24 hours with the same body, the create is answered as before instead of made twice",
};

const PERMANENT = query(
	"permanent",
	{ type: "boolean", default: false },
	"true leaves nothing that could be restored in the next 24 hours",
);

const LABEL_FILTER = {
	name: "label",
	in: "query" as const,
	style: "deepObject" as const,
	explode: true,
	schema: { type: "object" as const, additionalProperties: { type: "string" as const } },
	description: "label[key]=value, label[key]=one,other, or label[!key] for images without that label",
};

const PLAIN_FILTERS = [query("ids", { type: "string" }, "Ids separated by commas, at most 100"), LABEL_FILTER];

const FROM = "A date as `published_at` is sent; included";
const TO = "A date as `published_at` is sent; not included";

const NARROWING_DESCRIPTIONS: Readonly<Record<string, string>> = {
	format: "Formats separated by commas",
	filename_prefix: "How the filename begins; upper and lower case differ",
	external_id: "The App's own name of one image",
	sha256: "SHA-256 of the bytes as they were sent or fetched, in hexadecimal: finds duplicates",
	similar_to: "Id of an image of the same storage: others that look like it, at most 400 of them",
	q: "Words of the filename without its ending, the labels and the caption, in any case: a word finds what begins with it",
};

/** What narrows and orders the list in the current version. */
const FILTERS = [
	query(
		"labels",
		{ type: "string", examples: ["album=x,album=y,season=winter,!draft"] },
		"The same as label[…] as one plain text: a key with several values takes any of them, !key is for images without it",
	),
	...NARROWING_PARAMETERS.map((name) =>
		query(name, { type: "string" }, NARROWING_DESCRIPTIONS[name] ?? (name.endsWith("_from") ? FROM : TO)),
	),
	query(
		"order",
		{ type: "string", enum: [...LIST_ORDERS], default: "desc" },
		"By published_at, newest or oldest first",
	),
	query(
		"total_max",
		{ type: "integer", minimum: 1, maximum: TOTAL_QUICK_MAX },
		"How many images may be looked at for the total of a filter; it is null where these are not enough",
	),
	includeParameter(LIST_INCLUDES, `total: how many images fit, on all pages together; ${INCLUDE_DESCRIPTION}`),
];

/** What a list of the current version may be asked. */
export const LIST_PARAMETERS: readonly RouteParameter[] = [...PLAIN_FILTERS, ...FILTERS];
