import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import { patternOf } from "@svc/images/transform/patterns";
import { type Kind, wordsOf } from "@svc/images/transform/values";
import type { NamedDocument } from "./api-document.ts";

/* The transform host's part of the API document: its one address, with every parameter of the table. */

/** Also the address of an image as clients know it: they are given it whole, and add parameters. */
const PATH = "/{team_hash}/{filename}";

const inPath = (name: string, description: string) => ({
	...{ name, in: "path", required: true, description },
	schema: { type: "string" },
});

/** `cdn` is the transform host's own origin. A document without images has none of it. */
export function withTransforms(document: NamedDocument, cdn: string): NamedDocument {
	if (!("/v1/images" in document.paths)) return document;
	const get = {
		operationId: "openImage",
		summary: "A picture as its address says: every answer about an image has its address in `url`",
		tags: ["images"],
		servers: [{ url: cdn }],
		security: [],
		parameters: [
			inPath("team_hash", "The storage of the image"),
			inPath("filename", "The image's id, a dot and its format"),
			...PARAMETER_LIST.map(({ name, takes, meaning, usual, example }) => {
				const shown = exampleOf(takes, new URLSearchParams(example).get(name) ?? "");
				const schema = { ...schemaOf(takes), ...(usual !== undefined && { default: usual }), examples: [shown] };
				return { name, in: "query", description: meaning, schema };
			}),
		],
		responses: {
			"200": {
				description: "The picture. A value that is not valid is ignored",
				content: { "image/*": { schema: { type: "string", format: "binary" } } },
			},
			"304": { description: "It is the one that `If-None-Match` names" },
			default: {
				description: "No such picture, or it cannot be made now or at all",
				content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
			},
		},
	};
	return { ...document, paths: { ...document.paths, [PATH]: { get } } };
}

/** A number is one in the document, too, and `true` the value that it is. */
function exampleOf(takes: Kind, text: string): unknown {
	if (takes.kind === "choice") return takes.values.find((value) => String(value) === text);
	return (takes.kind === "whole" || takes.kind === "decimal") && !wordsOf(takes).includes(text) ? Number(text) : text;
}

/** As JSON Schema: what is outside of it is ignored. */
function schemaOf(takes: Kind): object {
	switch (takes.kind) {
		case "choice":
			return { enum: takes.values };
		case "whole":
		case "decimal": {
			const { min: minimum, max: maximum } = takes;
			const number = { type: takes.kind === "whole" ? "integer" : "number", minimum, maximum };
			const words = wordsOf(takes);
			return words.length > 0 ? { anyOf: [number, { enum: words }] } : number;
		}
		case "name":
			return { type: "string", minLength: 1, maxLength: 100, pattern: patternOf(takes) };
		default:
			return { type: "string", pattern: patternOf(takes) };
	}
}
