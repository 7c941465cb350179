import type { JsonSchema, WithComponents } from "./components.ts";

/* The parts of an OpenAPI document that the steps to it read and change. */

export interface Parameter {
	readonly name: string;
	readonly in: string;
	readonly required?: boolean;
	readonly description?: string;
	readonly schema?: JsonSchema;
}

/** What stands under a media type. */
export interface Content {
	readonly schema: JsonSchema;
	readonly examples?: Readonly<Record<string, object>>;
}

type Contents = Readonly<Record<string, Content>>;

export interface Described {
	readonly description: string;
	readonly headers?: Readonly<Record<string, object>>;
	readonly content?: Contents;
}

export interface Operation {
	readonly operationId: string;
	readonly summary?: string;
	readonly description?: string;
	readonly tags?: readonly string[];
	readonly security?: readonly object[];
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: { readonly required?: boolean; readonly content: Contents };
	/** Where it is not the API itself. */
	readonly servers?: readonly { readonly url: string }[];
	readonly responses: Readonly<Record<string, Described | { readonly $ref: string }>>;
}

export interface ApiDocument {
	readonly info: { readonly title: string; readonly version: string; readonly description: string };
	readonly tags?: readonly { readonly name: string; readonly description: string }[];
	readonly paths: Paths;
	readonly webhooks?: object;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
export type NamedDocument = ApiDocument & WithComponents;

/** The same document with each of its operations changed. */
export function eachOperation(
	document: NamedDocument,
	change: (operation: Operation, path: string, method: string) => Operation,
): NamedDocument {
	const paths = Object.entries(document.paths).map(([path, methods]) => {
		const operations = Object.entries(methods).map(([method, one]) => [method, change(one, path, method)]);
		return [path, Object.fromEntries(operations)];
	});
	return { ...document, paths: Object.fromEntries(paths) };
}

/** What an operation answers with a status, where that is JSON. */
export function answeredJson({ responses }: Operation, status: string): Content | undefined {
	const response = responses[status];
	return response && "content" in response ? response.content?.["application/json"] : undefined;
}
