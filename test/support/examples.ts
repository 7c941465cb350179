import type { ApiDocument, Schema } from "../generate/sdk-shapes.ts";

/* Examples of what the service answers, made from the API document: they cannot lag behind it. */

interface Route {
	readonly method: string;
	/** Of addresses without their query. */
	readonly path: RegExp;
	/** Undefined where it answers something else than JSON. */
	readonly schema: Schema | undefined;
}

export interface Documented extends ApiDocument {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
	readonly responses: Readonly<
		Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
	>;
}

/** Fields that a shape has in every example, by the shape's name; of all others it has the first value that its schema allows. */
type Known = Readonly<Record<string, object>>;

export function examplesOf({ paths, components: { schemas } }: Documented, known: Known) {
	/** `field` names what it is the value of. */
	const example = (schema: Schema, field = ""): unknown => {
		const { $ref, allOf, anyOf, items, properties } = schema;
		if ($ref) return named($ref.slice($ref.lastIndexOf("/") + 1), field);
		if (allOf) return Object.assign({}, ...allOf.map((part) => example(part)));
		if (anyOf) return example(anyOf.find(({ type }) => type === "null") ?? anyOf[0] ?? {}, field);
		if (items) return two(example(items, field));
		return properties ? object(properties) : value(schema, field);
	};
	const named = (name: string, field?: string): unknown => {
		const made = example(schemas[name] ?? {}, field);
		return typeof made === "object" ? { ...made, ...known[name] } : made;
	};
	const object = (properties: Readonly<Record<string, Schema>>) => {
		const fields = Object.entries(properties).map(([field, schema]) => [field, example(schema, field)] as const);
		const id = `${String(properties.object?.const).slice(0, 3)}_1`;
		return { ...Object.fromEntries(fields), ...(properties.id && { id }) };
	};
	const routes = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]): Route => {
			const pattern = path.replace(/\{\w+\}/g, "[^/]+");
			return { method: method.toUpperCase(), path: new RegExp(`^${pattern}$`), schema: answered(operation) };
		}),
	);
	return { named: (name: string) => named(name), example, routes };
}

/** What it answers when it does what is asked. */
function answered({ responses }: Operation): Schema | undefined {
	const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
	return success?.content?.["application/json"]?.schema;
}

/** A second one where things have ids, so that lists are lists. */
function two(one: unknown): readonly unknown[] {
	if (typeof one !== "object" || one === null || !("id" in one)) return [one];
	return [one, { ...one, id: String(one.id).replace(/1$/, "2") }];
}

const FORMATS: Readonly<Record<string, string>> = {
	"date-time": "2026-01-01T00:00:00.000Z",
	uri: "http://svc.test/example",
};

const PRIMITIVES: Readonly<Record<string, unknown>> = { boolean: false, integer: 1, number: 1, object: {} };

/** Text is the name of its field. */
function value({ type = "null", format = "", ...schema }: Schema, field: string): unknown {
	return (
		schema.const ?? schema.enum?.[0] ?? FORMATS[format] ?? (type === "string" ? field : (PRIMITIVES[type] ?? null))
	);
}
