/* Prints the SDK's types from the API document. `npm run generate` writes them; a test fails when they are not what the document gives. */

type Schemas = Readonly<Record<string, Schema>>;

export interface Schema {
	readonly $ref?: string;
	readonly type?: string;
	readonly format?: string;
	readonly description?: string;
	readonly const?: string | boolean;
	readonly enum?: readonly string[];
	readonly properties?: Schemas;
	readonly required?: readonly string[];
	readonly items?: Schema;
	readonly additionalProperties?: Schema;
	readonly anyOf?: readonly Schema[];
	readonly allOf?: readonly Schema[];
}

export interface ApiDocument {
	readonly info: { readonly version: string };
	readonly components: { readonly schemas: Schemas };
}

const MADE =
	"/* Made by `npm run generate` from the API document: to change this, change the schemas of the service. */\n";

/** Names that mean something else in TypeScript, or that the SDK had first. */
const RENAMED: Readonly<Record<string, string>> = {
	Error: "ErrorBody",
	NewSession: "VerifiedSession",
	PlanList: "PlansOnSale",
};

/** The words of every enumeration. */
export function listsOf({ components }: ApiDocument): string {
	const lists = Object.entries(components.schemas).flatMap(([name, { enum: words }]) =>
		words ? [inLines(`export const ${listName(name)} = [`, words.map(quoted), "] as const;")] : [],
	);
	return `${MADE}\n${lists.join("\n")}`;
}

/** Every shape of the interface that is served by default, with what older ones add to it. */
export function shapesOf(current: ApiDocument, older: readonly ApiDocument[]): string {
	const schemas = withOlder(current, older);
	const shapes = Object.entries(schemas).filter(([name, schema]) => name in RENAMED || !isGeneric(name, schema));
	const lists = shapes.filter(([, schema]) => schema.enum).map(([name]) => listName(name));
	return [
		`${MADE}/* Named as on the wire. Times are ISO 8601, UTC. */\n`,
		`${inLines("import type { ", lists, ' } from "./lists.ts";')}import type { Open } from "./types.ts";\n`,
		...shapes.map(([name, schema]) => typeOf(RENAMED[name] ?? name, schema, schemas)),
	].join("\n");
}

/** Lists and batches are generic in the SDK; what holds a secret is the shape without one `& WithSecret`. */
function isGeneric(name: string, { properties }: Schema): boolean {
	return properties?.object?.const === "list" || name.endsWith("BatchResult") || name.startsWith("New");
}

/** What clients of every interface read as one type: a field that not all of them have may be missing. */
const MERGED = ["Image", "ImageSize", "Usage"];

function withOlder(current: ApiDocument, older: readonly ApiDocument[]): Schemas {
	const merged = MERGED.filter((name) => current.components.schemas[name]).map((name) => {
		const all = [current, ...older].map((document) => ({ document, schema: document.components.schemas[name] ?? {} }));
		const fields = [...new Set(all.flatMap(({ schema }) => Object.keys(schema.properties ?? {})))];
		const properties = fields.map((field) => {
			const having = all.filter(({ schema }) => schema.properties?.[field]);
			const found = having[0]?.schema.properties?.[field] ?? {};
			const versions = having.map(({ document }) => document.info.version).join(" and ");
			const told = having.length < all.length ? `Only in interface ${versions}.` : "";
			return [field, { ...found, description: [found.description, told].filter(Boolean).join(" ") }];
		});
		const required = fields.filter((field) => all.every(({ schema }) => schema.required?.includes(field)));
		return [name, { ...all[0]?.schema, properties: Object.fromEntries(properties), required }];
	});
	return { ...current.components.schemas, ...Object.fromEntries(merged) };
}

function typeOf(name: string, schema: Schema, schemas: Schemas): string {
	const head = `${comment(schema.description)}export`;
	if (schema.enum) return `${head} type ${name} = (typeof ${listName(name)})[number];\n`;
	if (!schema.properties) return `${head} type ${name} = ${printed(schema, schemas)};\n`;
	return `${head} interface ${name} {\n${fieldsOf(schema, schemas).join("")}}\n`;
}

function fieldsOf({ properties = {}, required }: Schema, schemas: Schemas): readonly string[] {
	return Object.entries(properties).map(([field, schema]) => {
		const mark = required?.includes(field) ? "" : "?";
		return `${comment(schema.description, "\t")}\treadonly ${field}${mark}: ${printed(schema, schemas)};\n`;
	});
}

const PRIMITIVES: Readonly<Record<string, string>> = {
	string: "string",
	number: "number",
	integer: "number",
	boolean: "boolean",
	null: "null",
};

function printed(schema: Schema, schemas: Schemas): string {
	if (schema.$ref) return referred(schema.$ref, schemas);
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.anyOf) return schema.anyOf.map((one) => printed(one, schemas)).join(" | ");
	if (schema.allOf) return schema.allOf.map((one) => printed(one, schemas)).join(" & ");
	if (schema.items) return `readonly ${printed(schema.items, schemas)}[]`;
	if (schema.properties) return `{\n${fieldsOf(schema, schemas).join("")}}`;
	if (schema.additionalProperties) return `Readonly<Record<string, ${printed(schema.additionalProperties, schemas)}>>`;
	return PRIMITIVES[schema.type ?? ""] ?? "unknown";
}

/** A newer service may know more words than this SDK. */
function referred(reference: string, schemas: Schemas): string {
	const name = reference.slice(reference.lastIndexOf("/") + 1);
	return schemas[name]?.enum ? `Open<${name}>` : (RENAMED[name] ?? name);
}

/** `BlockReason` → `BLOCK_REASONS` */
function listName(name: string): string {
	const words = name
		.replace(/(?<=[a-z])(?=[A-Z])/g, "_")
		.toUpperCase()
		.replace(/(?<=[^AEIOU])Y$/, "IE");
	return words + (/(S|CH)$/.test(words) ? "ES" : "S");
}

function comment(text: string | undefined, indent = ""): string {
	return text ? `${indent}/** ${text} */\n` : "";
}

function quoted(text: string): string {
	return JSON.stringify(text);
}

const WIDTH = 120;

/** Breaks a list that does not fit into one line, as the formatter does. */
function inLines(begin: string, items: readonly string[], end: string): string {
	const line = `${begin}${items.join(", ")}${end}\n`;
	return line.length <= WIDTH + 1 ? line : `${begin.trimEnd()}\n\t${items.join(",\n\t")},\n${end.trimStart()}\n`;
}
