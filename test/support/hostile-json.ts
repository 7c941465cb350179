/*
 * JSON bodies that cost a careless reader far more than they cost whoever sends them, made of the API document: each list that an operation takes
 * gets 200,000 wrong items, each object 50,000 unknown names, each text its bound and one more, and each field what is nested as deep as a body may be.
 */

interface Schema {
	readonly $ref?: string;
	readonly type?: string;
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly oneOf?: readonly Schema[];
	readonly anyOf?: readonly Schema[];
	readonly allOf?: readonly Schema[];
	readonly maxLength?: number;
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
}

interface Content {
	readonly schema: Schema;
	readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** The part of an API document that is read here. */
export interface JsonDocument {
	readonly paths: Readonly<
		Record<string, Readonly<Record<string, { readonly requestBody?: { readonly content?: Record<string, Content> } }>>>
	>;
	readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface HostileJson {
	/** As routes are registered: `POST /v1/apps/:id/keys`. */
	readonly route: string;
	/** Where in the body what lies: `permissions: 200,000 wrong items`. */
	readonly label: string;
	/** Made when it is asked for: all of them together are a gigabyte. */
	body(): string;
}

/** How deep a body of the API may be (docs/reference/errors.md). */
const DEPTH = 32;
const ITEMS = 200_000;
const NAMES = 50_000;
/** Of what is filled up: near the most that a body may have, which is 512 KB for most operations. */
const FILLED_BYTES = 480_000;

/** Each hostile body of each operation that takes JSON, in the order of the document. */
export function hostileJsonOf(document: JsonDocument): readonly HostileJson[] {
	return Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).flatMap(([method, { requestBody }]) => {
			const content = requestBody?.content?.["application/json"];
			if (!content) return [];
			const route = `${method.toUpperCase()} ${path.split("#")[0]?.replace(/\{(\w+)\}/g, ":$1")}`;
			const example = Object.values(content.examples ?? {})[0]?.value;
			const right = JSON.stringify(example ?? {});
			const places = placesIn(document, content.schema, []);
			return places.flatMap((place) => bodiesAt(place).map((one) => ({ route, ...atPlace(right, place, one) })));
		}),
	);
}

interface Place {
	/** Names of fields; a number is a place in a list. */
	readonly at: readonly (string | number)[];
	readonly schema: Schema;
}

/** The body itself, and every list, object and text within it. */
function placesIn(document: JsonDocument, sent: Schema, at: Place["at"]): readonly Place[] {
	const schema = resolved(document, sent);
	const alternatives = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
	return [
		...(schema.type === undefined && alternatives.length > 0 ? [] : [{ at, schema }]),
		...alternatives.flatMap((one) => placesIn(document, one, at)),
		...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => placesIn(document, one, [...at, name])),
		...(schema.items ? placesIn(document, schema.items, [...at, 0]) : []),
	];
}

function resolved(document: JsonDocument, schema: Schema): Schema {
	const name = schema.$ref?.split("/").at(-1);
	return (name === undefined ? undefined : document.components.schemas[name]) ?? schema;
}

interface Hostile {
	readonly what: string;
	/** The JSON of a value. */
	readonly value: () => string;
}

/** Made for the first body that holds it, and kept for the others. */
function once(make: () => string): () => string {
	let made: string | undefined;
	return () => {
		made ??= make();
		return made;
	};
}

function bodiesAt({ at, schema }: Place): readonly Hostile[] {
	// The body itself is an object in any case.
	if (at.length === 0) return [...OBJECTS, NESTED];
	if (schema.type === "array") return [...LISTS, ...OBJECTS.slice(0, 1)];
	if (schema.type === "object") return [...OBJECTS, NESTED, ...LISTS.slice(0, 1)];
	if (schema.type === "string") return textsOf(schema);
	// Of numbers and the like: a body of another kind altogether.
	return schema.type === undefined ? [...OBJECTS, ...LISTS, NESTED] : [NESTED];
}

const LISTS: readonly Hostile[] = [
	{ what: "200,000 wrong items", value: once(() => listOf("0", ITEMS)) },
	{ what: "texts that are no item", value: once(() => listOf('""', FILLED_BYTES / 3)) },
	{ what: "objects that are no item", value: once(() => listOf("{}", FILLED_BYTES / 3)) },
];

const OBJECTS: readonly Hostile[] = [
	{ what: "50,000 unknown names", value: once(() => `{${namesOf(NAMES)}}`) },
	{ what: "long unknown names", value: once(() => `{${namesOf(FILLED_BYTES / 1_000, 990)}}`) },
];

/** Nothing but brackets, as deep as is taken, one such beside the other. */
const NESTED: Hostile = {
	what: "nested as deep as is taken",
	value: once(() => {
		const depth = DEPTH - 4;
		return listOf(`${'{"a":['.repeat(depth / 2)}${"]}".repeat(depth / 2)}`, FILLED_BYTES / (depth * 4 + 1));
	}),
};

/** Texts that are matched, trimmed, composed or split before they are measured cost more than their length. */
function textsOf({ maxLength, enum: words, const: only }: Schema): readonly Hostile[] {
	const text = (what: string, length: number) => ({ what, value: () => JSON.stringify("a".repeat(length)) });
	if (maxLength !== undefined) return [text("one more than its bound", maxLength + 1), ...LABORIOUS];
	if (words !== undefined || only !== undefined) return [text("none of its words", FILLED_BYTES)];
	return [text("as long as a body may be", FILLED_BYTES), ...LABORIOUS];
}

const LABORIOUS: readonly Hostile[] = (
	[
		["white space before a letter", " "],
		["marks that are sorted when composed", "\u0301\u0316"],
		["letters and dots", "a."],
		["letters with an at sign", "a@"],
	] as const
).map(([what, unit]) => ({
	what,
	value: once(() => JSON.stringify(`a${unit.repeat(FILLED_BYTES / Buffer.byteLength(unit))}a`)),
}));

function listOf(item: string, count: number): string {
	return `[${Array(Math.floor(count)).fill(item).join(",")}]`;
}

/** Short ones: 50,000 of them are less than 512 KB. */
function namesOf(count: number, padding = 0): string {
	const pad = "n".repeat(padding);
	return Array.from({ length: count }, (_, place) => `"${pad}${place.toString(36)}":0`).join(",");
}

/** Takes the place of what is hostile in the text of a body. */
const MARK = "\u0001here\u0001";

function atPlace(right: string, { at }: Place, { what, value }: Hostile): Pick<HostileJson, "label" | "body"> {
	const label = `${at.join(".") || "the body"}: ${what}`;
	if (at.length === 0) return { label, body: value };
	const marked = JSON.stringify(placed(JSON.parse(right), at));
	return { label, body: () => marked.replace(JSON.stringify(MARK), () => value()) };
}

function placed(value: unknown, [first, ...rest]: Place["at"]): unknown {
	if (first === undefined) return MARK;
	if (typeof first === "number") return [placed(Array.isArray(value) ? value[0] : undefined, rest)];
	const fields = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
	return { ...fields, [first]: placed(fields[first], rest) };
}
