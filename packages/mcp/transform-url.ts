import { imageUrl, readValue, type TransformOptions } from "@svc/sdk/transform";
import { PARAMETERS } from "@svc/sdk/transform-parameters";
import type { Schema, ToolOperation } from "./api-document.ts";
import { type Arguments, checkArguments, Misuse } from "./call.ts";

/** What a picture's address takes, as the operation that opens one describes it. */
export function parametersSchema(opening: ToolOperation): Schema {
	const taken = opening.parameters.filter(({ name }) => Object.hasOwn(PARAMETERS, name));
	const properties = taken.map(({ name, description = "", schema }) => [name, { ...schema, description }] as const);
	return { type: "object", properties: Object.fromEntries(properties), additionalProperties: false };
}

/** @throws Misuse for a parameter that there is not, and for a value that the service would ignore */
export function transformed(image: unknown, parameters: unknown): { readonly id: string; readonly url: string } {
	if (typeof parameters !== "object" || parameters === null || Array.isArray(parameters))
		throw new Misuse("parameters", "must be an object, as { w: 300, format: webp }");
	checkArguments(parameters as Arguments, Object.keys(PARAMETERS));
	const { id, url } = image as { id: string; url: string };
	const values = Object.entries(parameters).map(([name, value]) => [name, meant(name, value)] as const);
	try {
		return { id, url: imageUrl(url, Object.fromEntries(values) as TransformOptions) };
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		throw new Misuse("parameters", error.message.replace(/\.$/, ""));
	}
}

/** A model may write a number as a text. */
function meant(name: string, value: unknown): unknown {
	return typeof value === "string" ? (readValue(name, value) ?? value) : value;
}
