import { answeredJson, eachOperation, type NamedDocument } from "./api-document.ts";
import type { JsonSchema } from "./components.ts";
import { EXAMPLE_DATE, VALUES } from "./example-values.ts";

/* An example of every success, made of its shape, so that none can show a field that there is not, or lack one. */

const ROOT = "#/components/schemas/";

/** Each shape that is answered has one example, to which all its answers refer. */
export function withExamples(document: NamedDocument): NamedDocument {
	const examples = new Map<string, object>();
	const keep = (name: string): object => {
		if (!examples.has(name)) examples.set(name, { value: exampleOf(document, { $ref: `${ROOT}${name}` }) });
		return { [name]: { $ref: `#/components/examples/${name}` } };
	};
	const { paths } = eachOperation(document, (operation) => {
		const shown = Object.keys(operation.responses).flatMap((status) => {
			const content = answeredJson(operation, status);
			if (!content || !status.startsWith("2")) return [];
			const names = namesIn(content.schema);
			const json = { ...content, examples: Object.assign({}, ...names.map(keep)) };
			return [[status, { ...operation.responses[status], content: { "application/json": json } }]];
		});
		return { ...operation, responses: { ...operation.responses, ...Object.fromEntries(shown) } };
	});
	return { ...document, paths, components: { ...document.components, examples: Object.fromEntries(examples) } };
}

/** The shapes of which an answer is one. */
function namesIn({ $ref, anyOf }: JsonSchema): readonly string[] {
	if (typeof $ref === "string") return [$ref.slice(ROOT.length)];
	return Array.isArray(anyOf) ? anyOf.flatMap(namesIn) : [];
}

/** @throws Error for a text that has no value to show: it belongs into the table of values */
function exampleOf(document: NamedDocument, schema: JsonSchema, place = ""): unknown {
	const { $ref, anyOf, allOf, properties, items } = schema;
	const inside = (part: unknown, at = place) => exampleOf(document, part as JsonSchema, at);
	if (typeof $ref === "string") {
		const name = $ref.slice(ROOT.length);
		return inside(document.components.schemas[name], name);
	}
	if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((part) => inside(part)));
	// What may be null is, where there is nothing of its own to show.
	if (Array.isArray(anyOf)) return anyOf.some(({ type }) => type === "null") ? null : inside(anyOf[0]);
	if (properties) return objectOf(schema, place, inside);
	if (items) return [inside(items)];
	return plain(schema, place);
}

/** Only what is always there. */
function objectOf(schema: JsonSchema, place: string, inside: (part: unknown, at: string) => unknown): object {
	const parts = schema.properties as Readonly<Record<string, JsonSchema>>;
	const required = (schema.required ?? []) as readonly string[];
	const members = required.map((name) => {
		const part = parts[name] ?? {};
		const isPlain = !("const" in part) && !JSON.stringify(part).includes("$ref");
		const shown = VALUES[`${place}.${name}`] ?? (isPlain ? VALUES[name] : undefined);
		return [name, shown === undefined ? inside(part, `${place}.${name}`) : shown];
	});
	return Object.fromEntries(members);
}

function plain({ const: only, enum: words, type, format }: JsonSchema, place: string): unknown {
	if (only !== undefined) return only;
	if (Array.isArray(words)) return words[0];
	if (format === "date-time") return EXAMPLE_DATE;
	switch (type) {
		case "boolean":
			return false;
		case "integer":
		case "number":
			return 0;
		case "object":
			return {};
		default:
			throw new Error(`The API document has no example of ${place}.`);
	}
}
