import { swagger } from "@elysiajs/swagger";
import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type { Elysia } from "elysia";
import type { GenericSchema } from "valibot";
import type { ApiDocument } from "./api-document.ts";
import { type JsonSchema, reference } from "./components.ts";
import { describedWhole } from "./described.ts";
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
		kept ??= keepFile(JSON.stringify(describedWhole(responseValue, rooms.addresses.cdn)), SPEC_HEADERS);
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

/** The hook sees preflights of the same path, too. */
function isDocument(answer: unknown): answer is ApiDocument {
	return typeof answer === "object" && answer !== null && "paths" in answer;
}
