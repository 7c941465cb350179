import { swagger } from "@elysiajs/swagger";
import { type ConversionConfig, toJsonSchema } from "@valibot/to-json-schema";
import type { Elysia } from "elysia";
import type { GenericSchema } from "valibot";
import type { ApiDeps } from "./deps.ts";

/* The API document comes from the schemas that validate: a field that is not in a schema cannot be in the document. */

type JsonSchema = Readonly<Record<string, unknown>>;

const CONVERSION: ConversionConfig = {
	typeMode: "input",
	// Checks written as code cannot be converted; they describe themselves in the `jsonSchema` of their metadata instead.
	errorMode: "ignore",
	overrideAction: ({ valibotAction, jsonSchema }) => describedBy(valibotAction) ?? jsonSchema,
};

function describedBy(action: unknown): ReturnType<typeof toJsonSchema> | undefined {
	return (action as { metadata?: { jsonSchema?: ReturnType<typeof toJsonSchema> } }).metadata?.jsonSchema;
}

function withoutDialect({ $schema: _, ...schema }: JsonSchema): JsonSchema {
	return schema;
}

export function schemaOf(schema: GenericSchema<unknown, unknown>): JsonSchema {
	return withoutDialect(toJsonSchema(schema as GenericSchema, CONVERSION) as JsonSchema);
}

const ERROR = { $ref: "#/components/schemas/Error" };

/** `responses` of a route: its success, and the envelope for everything else. */
export function answers(status: number, schema: GenericSchema<unknown, unknown>) {
	return {
		responses: {
			[status]: { description: "Success", content: { "application/json": { schema: schemaOf(schema) } } },
			default: { description: "Any error", content: { "application/json": { schema: ERROR } } },
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

/** Serves `/openapi.json`, generated from the routes that are registered. */
export function document(app: Elysia, deps: ApiDeps): void {
	app.use(
		swagger({
			path: "/docs",
			specPath: "/openapi.json",
			exclude: ["/docs", "/openapi.json"],
			documentation: {
				...OPENAPI_VERSION,
				info: {
					title: deps.name,
					version: deps.variant.version,
					description: "Image storage with addresses that transform. Interface 4.6.0 is dated 29 September 2026.",
				},
				servers: [{ url: deps.addresses.base }],
				security: [{ key: [] }],
				components: {
					securitySchemes: { key: { type: "http", scheme: "bearer" } },
					schemas: { Error: ERROR_SCHEMA },
				},
			},
		}),
	);
}

const ERROR_SCHEMA = {
	type: "object" as const,
	required: ["error"],
	properties: {
		error: {
			type: "object" as const,
			required: ["type", "code", "message"],
			properties: {
				type: { type: "string" as const },
				code: { type: "string" as const },
				message: { type: "string" as const },
				action: {
					type: "object" as const,
					required: ["type"],
					properties: {
						type: { type: "string" as const },
						retry_after: { type: "integer" as const },
						label: { type: "string" as const },
						url: { type: "string" as const },
					},
				},
				details: {
					type: "object" as const,
					additionalProperties: { type: "array" as const, items: { type: "string" as const } },
				},
			},
		},
	},
};
