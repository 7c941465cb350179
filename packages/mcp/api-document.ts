/* What the API document says of the operations behind the tools. A tool takes what its operation takes, in the same words and bounds. */

/** JSON Schema, as far as it is looked into. */
export interface Schema {
	readonly $ref?: string;
	readonly type?: string | readonly string[];
	readonly description?: string;
	readonly const?: unknown;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly additionalProperties?: boolean | Schema;
}

interface Parameter {
	readonly name: string;
	readonly in: "path" | "query" | "header" | "cookie";
	readonly required?: boolean;
	readonly description?: string;
	readonly schema: Schema;
}

interface Content {
	readonly content?: { readonly "application/json"?: { readonly schema: Schema } };
}

interface Described {
	readonly operationId: string;
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: Content;
	readonly responses: Readonly<Record<string, Content>>;
}

/** `/openapi.json` of a service, as far as tools are made of it. */
export interface ToolDocument {
	readonly info: { readonly version: string };
	readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation, its references resolved. */
export interface ToolOperation {
	readonly method: string;
	/** With its parameters in braces. */
	readonly path: string;
	readonly parameters: readonly Parameter[];
	/** Of a JSON body; undefined where it takes none. */
	readonly body: Schema | undefined;
	/** Of its successful answer. */
	readonly answer: Schema;
}

/** The operation of that id; undefined where the service has none, as in an older interface version. */
export function findOperation(document: ToolDocument, id: string): ToolOperation | undefined {
	for (const [address, methods] of Object.entries(document.paths)) {
		for (const [method, described] of Object.entries(methods)) {
			if (described.operationId !== id) continue;
			const { parameters = [], requestBody, responses } = described;
			const body = jsonOf(requestBody);
			const answer = jsonOf(responses[200] ?? responses[201]);
			return {
				method: method.toUpperCase(),
				// An address with a fragment is another description of the same call.
				path: address.split("#", 1)[0] ?? address,
				parameters: parameters.map((one) => ({ ...one, schema: resolved(one.schema, document) })),
				body: body && resolved(body, document),
				answer: resolved(answer ?? {}, document),
			};
		}
	}
	return undefined;
}

function jsonOf(part: Content | undefined): Schema | undefined {
	return part?.content?.["application/json"]?.schema;
}

/** A bound for a document that refers to itself: deeper than this nobody looks. */
const MAX_DEPTH = 12;

/** The schema with what it refers to in place: not every client follows references. */
function resolved(schema: Schema, document: ToolDocument, depth = 0): Schema {
	if (depth > MAX_DEPTH) return {};
	const within = (one: Schema) => resolved(one, document, depth + 1);
	const { $ref, ...own } = schema;
	if ($ref !== undefined) {
		const named = document.components.schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {};
		return { ...within(named), ...own };
	}
	const { properties, items, anyOf, additionalProperties } = schema;
	return {
		...schema,
		...(properties && { properties: mapped(properties, within) }),
		...(items && { items: within(items) }),
		...(anyOf && { anyOf: anyOf.map(within) }),
		...(typeof additionalProperties === "object" && { additionalProperties: within(additionalProperties) }),
	};
}

function mapped(schemas: Readonly<Record<string, Schema>>, change: (schema: Schema) => Schema) {
	return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));
}
