import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { generated, generatedTakes, pathOf } from "./sdk-files.ts";
import { type ApiDocument, listsOf, shapesOf } from "./sdk-shapes.ts";

test.each(["shapes.ts", "lists.ts"])(
	"packages/sdk/%s is what the API document gives now: else run `npm run generate`",
	async (name) => {
		expect(await readFile(pathOf(name), "utf8")).toBe((await generated())[name] ?? "");
	},
);

test("what the SDK's functions look for in their arguments is what their types say: else run `npm run generate`", async () => {
	for (const [name, text] of Object.entries(generatedTakes())) expect(await readFile(pathOf(name), "utf8")).toBe(text);
});

const text = { type: "string" };
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

function documentWith(version: string, schemas: ApiDocument["components"]["schemas"]): ApiDocument {
	return { info: { version }, components: { schemas } };
}

function printed(schemas: ApiDocument["components"]["schemas"], older: readonly ApiDocument[] = []): string {
	const all = shapesOf(documentWith("2", schemas), older);
	return all.slice(all.indexOf("\n", all.indexOf("./types.ts")) + 1);
}

test("a shape becomes an interface with what its fields say of themselves; a field that need not be there may be missing", () => {
	const properties = {
		object: { const: "app" },
		role: { ...reference("Role"), description: "The caller's own." },
		counts: { type: "object", additionalProperties: { type: "integer" } },
		owner: { anyOf: [reference("Owner"), { type: "null" }] },
		roles: { type: "array", items: reference("Role") },
		data: {},
	};
	const schemas = {
		App: { description: "An App.", type: "object", properties, required: ["object", "role"] },
		Role: { enum: ["viewer", "owner"] },
	};
	expect(printed(schemas)).toBe(`
/** An App. */
export interface App {
	readonly object: "app";
	/** The caller's own. */
	readonly role: Open<Role>;
	readonly counts?: Readonly<Record<string, number>>;
	readonly owner?: Owner | null;
	readonly roles?: readonly Open<Role>[];
	readonly data?: unknown;
}

export type Role = (typeof ROLES)[number];
`);
});

test("what only some interfaces answer may be missing, and says which they are", () => {
	const image = (...fields: string[]) => ({
		Image: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, text])), required: fields },
	});
	expect(printed(image("id", "new"), [documentWith("1", image("id", "old"))])).toBe(
		[
			"\nexport interface Image {",
			"\treadonly id: string;",
			"\t/** Only in interface 2. */\n\treadonly new?: string;",
			"\t/** Only in interface 1. */\n\treadonly old?: string;",
			"}\n",
		].join("\n"),
	);
});

test("an enumeration becomes a list that is named for all of its words", () => {
	const schemas = { BlockReason: { enum: ["spam"] }, ImageStatus: { enum: ["ready"] }, KeyReach: { enum: ["app"] } };
	expect(listsOf(documentWith("1", schemas)).split("\n").slice(1).filter(Boolean)).toEqual([
		'export const BLOCK_REASONS = ["spam"] as const;',
		'export const IMAGE_STATUSES = ["ready"] as const;',
		'export const KEY_REACHES = ["app"] as const;',
	]);
});
