import { ENTRIES } from "@svc/deploy/sdk-package";
import { documentOf } from "../support/documents.ts";
import { type ApiDocument, listsOf, shapesOf } from "./sdk-shapes.ts";
import { takesOf } from "./sdk-takes.ts";

/** The SDK's generated files by name, as the API document gives them now. */
export async function generated(): Promise<Readonly<Record<string, string>>> {
	const current = await documentOf<ApiDocument>();
	const older = [await documentOf<ApiDocument>("transition"), await documentOf<ApiDocument>("legacy")];
	return { "lists.ts": listsOf(current), "shapes.ts": shapesOf(current, older) };
}

/** What the SDK's functions take, as its types say now. */
export function generatedTakes(): Readonly<Record<string, string>> {
	return takesOf(ENTRIES);
}

export function pathOf(name: string): URL {
	return new URL(`../../packages/sdk/${name}`, import.meta.url);
}
