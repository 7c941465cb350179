import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import { Elysia } from "elysia";
import type { GenericSchema } from "valibot";
import { type KeptFile, keepFile, sendFile } from "../kept.ts";
import { errorSchema } from "../refusals/failure.ts";
import type { ApiRooms } from "../rooms.ts";
import type { ApiDocument, NamedDocument } from "./api-document.ts";
import { type JsonSchema, reference } from "./components.ts";
import { describedWhole } from "./described.ts";
import { guideOf, TAGS } from "./guide.ts";

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

/** Converted when the document is made: a start has nothing of it. */
function convertedLater(schema: GenericSchema<unknown, unknown>) {
	return {
		get schema() {
			return schemaOf(schema);
		},
	};
}

/** `responses` of a route: its success, and the envelope for everything else. */
export function answers(status: number, schema: GenericSchema<unknown, unknown>) {
	return {
		responses: {
			[status]: { description: "Success", content: { "application/json": convertedLater(schema) } },
			default: {
				description: "Any error: see “Errors” at the top",
				content: { "application/json": convertedLater(errorSchema) },
			},
		},
	};
}

/** Where no field is required, neither is the body: none is the same as an empty one. */
export function jsonBody(entries: GenericSchema<unknown, unknown>) {
	const body = convertedLater(entries);
	return {
		requestBody: {
			get required() {
				const { required } = body.schema;
				return !Array.isArray(required) || required.length > 0;
			},
			content: { "application/json": body },
		},
	};
}

// 3.1 speaks the JSON Schema that valibot is converted to, null included. The plugin's type does not know the member.
const OPENAPI_VERSION: object = { openapi: "3.1.0" };

/** The API document, once it is asked for. */
export type ReadDocument = () => Promise<NamedDocument>;

/** The document is generated from the routes that are registered when it is first asked for, and kept. */
export function documentReader(app: Elysia, rooms: ApiRooms): ReadDocument {
	let kept: Promise<NamedDocument> | undefined;
	const make = async () => describedWhole(await generated(app.routes, rooms), rooms.addresses.cdn);
	return () => {
		kept ??= make();
		return kept;
	};
}

/** Serves `/openapi.json`. */
export function document(app: Elysia, read: ReadDocument): void {
	let kept: Promise<KeptFile> | undefined;
	const make = async () => keepFile(JSON.stringify(await read()), SPEC_HEADERS);
	app.get(
		SPEC_PATH,
		async ({ request }) => {
			kept ??= make();
			return sendFile(request, await kept);
		},
		{ detail: { hide: true } },
	);
}

/** On an app of its own: few services are ever asked for the document, and what generates it is loaded for those alone. */
async function generated(routes: Elysia["routes"], rooms: ApiRooms): Promise<ApiDocument> {
	const { swagger } = await import("@elysiajs/swagger");
	const app = new Elysia();
	for (const { method, path, hooks } of routes) app.route(method, path, NOTHING, { detail: hooks.detail });
	app.use(
		swagger({
			path: PAGE_PATH,
			specPath: SPEC_PATH,
			exclude: [PAGE_PATH, SPEC_PATH],
			// A path with a dot is a call like any other: a ZIP file.
			excludeStaticFile: false,
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
	const response = await app.handle(new Request(new URL(SPEC_PATH, rooms.addresses.base)));
	return (await response.json()) as ApiDocument;
}

const NOTHING = () => undefined;
const SPEC_PATH = "/openapi.json";
/** Where the generator would show it: our own pages do. */
const PAGE_PATH = "/docs";
const SPEC_HEADERS = { "Content-Type": "application/json; charset=utf-8", "Access-Control-Allow-Origin": "*" };

const BEARER =
	"An App's key, or a person's session or token. The first start prints an App-wide key, and writes one and the operator's token into `profiles.json`, for the command line.";
