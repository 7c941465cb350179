/* Schemas bring the named shapes that they use along, under `$defs`; in the document each of these is once. */

export type JsonSchema = Readonly<Record<string, unknown>>;

const ROOT = "#/components/schemas/";

/** The reference to a named shape where it is used. */
export function reference(name: string, shape: JsonSchema): JsonSchema {
	return { $ref: `${ROOT}${name}`, $defs: { [name]: shape } };
}

export interface WithComponents {
	readonly components: {
		readonly schemas: Readonly<Record<string, JsonSchema>>;
		readonly headers?: Readonly<Record<string, object>>;
		readonly responses?: Readonly<Record<string, object>>;
		readonly examples?: Readonly<Record<string, object>>;
	};
}

/** @throws Error where two shapes have one name */
export function withComponents<Document extends object>(document: Document): Document & WithComponents {
	const found = new Map<string, { readonly text: string; readonly shape: JsonSchema }>();
	const keep = ([name, sent]: [string, unknown]): void => {
		const shape = without$defs(sent) as JsonSchema;
		const text = JSON.stringify(shape);
		if ((found.get(name)?.text ?? text) !== text) throw new Error(`Two shapes have the name ${name}.`);
		found.set(name, { text, shape });
	};
	const without$defs = (value: unknown): unknown => {
		if (Array.isArray(value)) return value.map(without$defs);
		if (typeof value !== "object" || value === null) return value;
		const { $defs = {}, ...rest } = value as JsonSchema;
		for (const shape of Object.entries($defs as object)) keep(shape);
		return Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, without$defs(member)]));
	};
	const lifted = without$defs(document) as Document & Partial<WithComponents>;
	const byName = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { shape }]) => [name, shape]);
	return { ...lifted, components: { ...lifted.components, schemas: Object.fromEntries(byName) } };
}

/** The shape itself, where a schema only refers to one. */
export function shapeOf({ components }: WithComponents, schema: JsonSchema | undefined): JsonSchema | undefined {
	return typeof schema?.$ref === "string" ? components.schemas[schema.$ref.slice(ROOT.length)] : schema;
}
