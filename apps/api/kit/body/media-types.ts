import type { NamedDocument, Operation } from "../document/api-document.ts";

/*
 * Generators make one function of an operation, with one kind of body. Where a call takes a file or the address of one, the second is
 * described as an operation of its own, under a path key with a fragment, which no client sends.
 */

/** By the operation that takes the file. */
const BY_URL: Readonly<Record<string, { readonly operationId: string; readonly summary: string }>> = {
	createImage: { operationId: "importImage", summary: "Stores an image that is fetched from a URL" },
	replaceImage: {
		operationId: "replaceImageByUrl",
		summary: "Gives an image the bytes that are fetched from a URL, under the same id and address",
	},
};

/** @throws Error where an operation takes two kinds of body and the second has no name */
export function withOneMediaType(document: NamedDocument): NamedDocument {
	const paths: Record<string, Record<string, Operation>> = {};
	for (const [path, methods] of Object.entries(document.paths)) {
		const operations = Object.entries(methods);
		paths[path] = Object.fromEntries(operations.map(([method, one]) => [method, withBody(one, 0)]));
		const byUrl = operations.filter(([, { requestBody }]) => Object.keys(requestBody?.content ?? {}).length > 1);
		for (const [method, one] of byUrl) paths[`${path}#import`] = { [method]: { ...withBody(one, 1), ...named(one) } };
	}
	return { ...document, paths };
}

function withBody(operation: Operation, place: 0 | 1): Operation {
	const { requestBody } = operation;
	if (!requestBody) return operation;
	const body = Object.entries(requestBody.content)[place];
	return { ...operation, requestBody: { ...requestBody, content: Object.fromEntries(body ? [body] : []) } };
}

function named({ operationId }: Operation): object {
	const name = BY_URL[operationId];
	if (!name) throw new Error(`${operationId} takes two kinds of body under one name.`);
	return name;
}
