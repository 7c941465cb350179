import { documentOf } from "../support/documents.ts";
import { type ApiDocument, listsOf, shapesOf } from "./sdk-shapes.ts";

/** The SDK's generated files by name, as the API document gives them now. */
export async function generated(): Promise<Readonly<Record<string, string>>> {
	const current = await documentOf<ApiDocument>();
	const older = [await documentOf<ApiDocument>("transition"), await documentOf<ApiDocument>("legacy")];
	return { "lists.ts": listsOf(current), "shapes.ts": shapesOf(current, older) };
}

export function pathOf(name: string): URL {
	return new URL(`../../packages/sdk/${name}`, import.meta.url);
}
