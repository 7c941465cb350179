import { swagger } from "@elysiajs/swagger";
import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type { Elysia } from "elysia";
import type { GenericSchema } from "valibot";
import { type JsonSchema, reference, shapeOf, withComponents } from "./components.ts";
import { errorSchema } from "./failure.ts";
import { guideOf, TAGS } from "./guide.ts";
import { type KeptFile, keepFile, sendFile } from "./kept.ts";
import type { ApiRooms } from "./rooms.ts";

/* The API document comes from the schemas that validate: a field that is not in a schema cannot be in the document. */

const CONVERSION: ConversionConfig = {
	typeMode: "input",
	// Checks written as code cannot be converted; they describe themselves in the `jsonSchema` of their metadata instead.
	errorMode: "ignore",
	overrideAction: ({ valibotAction, jsonSchema }) => described(metadataOf(valibotAction), jsonSchema),
};

type Converted = ReturnType<typeof toJsonSchema>;

interface Metadata {
	readonly jsonSchema?: Converted;
	/** The name of a shape that has one. */
	readonly component?: string;
	readonly about?: string;
}

function metadataOf(action: unknown): Metadata {
	return (action as { metadata?: Metadata }).metadata ?? {};
}

function described({ jsonSchema, component, about }: Metadata, converted: Converted): Converted {
	if (!component) return jsonSchema ?? converted;
	// The description of a shape is written once; the description of the field that uses it stands beside the reference.
	const { component: _, about: __, ...shape } = converted as Converted & Metadata;
	return reference(component, { ...(about && { description: about }), ...shape }) as Converted;
}

function withoutDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
	return schema;
}

export function schemaOf(schema: GenericSchema<unknown, unknown>): JsonSchema {
	return withoutDialect(toJsonSchema(schema as GenericSchema, CONVERSION) as JsonSchema);
}

const ERROR = schemaOf(errorSchema);

/** `responses` of a route: its success, and the envelope for everything else. */
export function answers(status: number, schema: GenericSchema<unknown, unknown>) {
	return {
		responses: {
			[status]: { description: "Success", content: { "application/json": { schema: schemaOf(schema) } } },
			default: {
				description: "Any error: see “Errors” at the top",
				content: { "application/json": { schema: ERROR } },
			},
		},
	};
}

/** Where no field is required, neither is the body: none is the same as an empty one. */
export function jsonBody(entries: GenericSchema<unknown, unknown>) {
	const schema = schemaOf(entries);
	const required = !Array.isArray(schema.required) || schema.required.length > 0;
	return { requestBody: { required, content: { "application/json": { schema } } } };
}

// 3.1 speaks the JSON Schema that valibot is converted to, null included. The plugin's type does not know the member.
const OPENAPI_VERSION: object = { openapi: "3.1.0" };

/** Serves `/openapi.json`, generated from the routes that are registered. Routes that are registered later pass its hook. */
export function document(app: Elysia, rooms: ApiRooms): void {
	let kept: Promise<KeptFile> | undefined;
	app.onAfterHandle(async ({ path, request, responseValue }) => {
		if (path !== SPEC_PATH || !isDocument(responseValue)) return undefined;
		// All routes are there once there is a request.
		kept ??= keepFile(JSON.stringify(withUsedTags(withPages(withComponents(responseValue)))), SPEC_HEADERS);
		return sendFile(request, await kept);
	});
	app.use(
		swagger({
			path: "/docs",
			specPath: SPEC_PATH,
			exclude: ["/docs", SPEC_PATH],
			documentation: {
				...OPENAPI_VERSION,
				info: {
					title: rooms.name,
					version: rooms.variant.version,
					description: guideOf(rooms),
				},
				tags: TAGS,
				servers: [{ url: rooms.addresses.base }],
				security: [{ key: [] }],
				components: { securitySchemes: { key: { type: "http", scheme: "bearer", description: BEARER } } },
			},
		}),
	);
}

const SPEC_PATH = "/openapi.json";
const SPEC_HEADERS = { "Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*" };

const BEARER = "A key, a session or a token; the first start prints an App-wide key and a token of the operator.";

interface Operation {
	readonly tags?: readonly string[];
	readonly parameters?: readonly { readonly name: string }[];
	readonly responses: Readonly<
		Record<string, { readonly content?: { readonly [type: string]: { schema: JsonSchema } } }>
	>;
}

interface ApiDocument {
	readonly tags?: readonly { readonly name: string }[];
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

type NamedDocument = ReturnType<typeof withComponents<ApiDocument>>;

/** The hook sees preflights of the same path, too. */
function isDocument(answer: unknown): answer is ApiDocument {
	return typeof answer === "object" && answer !== null && "paths" in answer;
}

const PAGE = [
	{
		name: "limit",
		in: "query",
		schema: { type: "integer", minimum: 1, maximum: 100, default: 50 },
		description: "How many to a page",
	},
	{
		name: "cursor",
		in: "query",
		schema: { type: "string" },
		description: "next_cursor of the page before, with the same filter",
	},
];

/** A version without the calls of a tag does not describe it. */
function withUsedTags(document: ApiDocument): ApiDocument {
	const used = new Set(
		Object.values(document.paths).flatMap((methods) => Object.values(methods).flatMap(({ tags = [] }) => tags)),
	);
	return { ...document, tags: document.tags?.filter(({ name }) => used.has(name)) ?? [] };
}

/** Whatever answers in pages takes the parameters for them. */
function withPages(document: NamedDocument): ApiDocument {
	const paths = Object.entries(document.paths).map(([path, methods]) => {
		const operations = Object.entries(methods).map(([method, one]) => [
			method,
			isPaged(document, one) ? paged(one) : one,
		]);
		return [path, Object.fromEntries(operations)];
	});
	return { ...document, paths: Object.fromEntries(paths) };
}

/** A feed is gone through by `after`, and says so itself. */
function isPaged(document: NamedDocument, { responses, parameters = [] }: Operation): boolean {
	if (parameters.some(({ name }) => name === "after")) return false;
	const properties = shapeOf(document, responses["200"]?.content?.["application/json"]?.schema)?.properties;
	return typeof properties === "object" && properties !== null && "pagination" in properties;
}

function paged(operation: Operation): Operation {
	const known = new Set(operation.parameters?.map(({ name }) => name));
	return {
		...operation,
		parameters: [...(operation.parameters ?? []), ...PAGE.filter(({ name }) => !known.has(name))],
	};
}
