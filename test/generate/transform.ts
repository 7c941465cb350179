/* Writes what is made from the table of transform parameters: npm run generate */
import { writeFile } from "node:fs/promises";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import { demandOf, type Kind, wordsOf } from "@svc/images/transform/values";
import { EXAMPLES, type Example, MARK, type ShownName } from "../gallery/transform-examples.ts";

export interface GeneratedFile {
	/** From the root of the repository. */
	readonly path: string;
	/** All of it, as it has to be. */
	readonly text: string;
}

type Entry = (typeof PARAMETER_LIST)[number];

if (import.meta.main) {
	for (const { path, text } of transformFiles()) await writeFile(urlOf(path), text);
}

export function transformFiles(): readonly GeneratedFile[] {
	return [
		{ path: "packages/sdk/transform-parameters.ts", text: sdkTable() },
		{ path: "docs/reference/transforms.md", text: reference() },
	];
}

export function urlOf(path: string): URL {
	return new URL(`../../${path}`, import.meta.url);
}

function valuesOf({ takes, usual }: Entry): string {
	switch (takes.kind) {
		case "choice":
			return takes.values.map((value) => `\`${value}\`${value === usual ? " (default)" : ""}`).join(", ");
		case "whole":
		case "decimal": {
			const range = usual === undefined ? "" : ` (default ${usual})`;
			const words = wordsOf(takes).map((word) => `, \`${word}\``);
			return `${takes.min} to ${takes.max}${range}${words.join("")}`;
		}
		case "colour":
			return "a CSS colour name, hex (`%23ff8800`), `rgb(…)`, `rgba(…)`";
		case "image":
			return "the id of an image";
		case "point":
			return `\`x,y\`, each 0 to 1${wordsOf(takes)
				.map((word) => `, \`${word}\``)
				.join("")}`;
		case "name":
			return "1 to 100 characters";
		case "piece":
			return "`x,y,w,h` in pixels";
	}
}

/** The SDK imports nothing outside of itself, so it gets a copy of what it needs. Laid out as the formatter does it. */
function sdkTable(): string {
	const entries = PARAMETER_LIST.map(({ name, takes, usual, unit, meaning }) => {
		const more = { ...(usual !== undefined && { usual }), ...(unit && { unit }) };
		// A choice says by its values what it demands.
		const demand = takes.kind !== "choice" && { demand: demandOf(takes) };
		const properties = { ...sdkKind(takes), ...more, ...demand };
		const lines = Object.entries(properties).map(([key, value]) => `\t\t${key}: ${literal(value)},\n`);
		return `\t/** ${meaning} */\n\t${name}: {\n${lines.join("")}\t},\n`;
	});
	return `/* Written by \`npm run generate\` from the table of transform parameters, by which the service itself goes. */

export const PARAMETERS = {
${entries.join("")}} as const;
`;
}

/** What words stand for and what is clamped is the service's own affair. */
function sdkKind(kind: Kind): object {
	const words = wordsOf(kind);
	if (kind.kind === "whole")
		return { kind: kind.kind, min: kind.min, max: kind.max, ...(words.length > 0 && { words }) };
	if (kind.kind === "point") return { ...kind, words };
	if (kind.kind !== "decimal") return kind;
	const { clamps, ...decimal } = kind;
	return decimal;
}

function literal(value: unknown): string {
	return Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value);
}

/** One section for each parameter. Its pictures are made by test/gallery/transforms.ts. */
function reference(): string {
	return `<!-- Written by \`npm run generate\` from the table of transform parameters. -->
# Transforms

Every address of an image takes parameters: \`https://…/{team}/{image}.jpg?w=300&format=webp\`. Each combination is made once, when it is first asked for, and kept. What a parameter does not take is ignored, so that an
address never breaks, and a name that is no parameter is told in the header \`X-Svc-Ignored\`; \`imageUrl\`, \`srcSet\` and \`picture\` of the SDK and \`svc images url\` take the same names and refuse what has no effect. Pictures are shown before and after.

${PARAMETER_LIST.map((entry) => `[${entry.name}](#${entry.name})`).join(" · ")}

${PARAMETER_LIST.map(section).join("\n")}`;
}

function section(entry: Entry): string {
	const { name, meaning } = entry;
	const shown = isShown(name) ? [before(name, EXAMPLES[name])] : [`Example: \`?${entry.example}\``];
	return `## ${name}\n\n${[`${meaning} Values: ${valuesOf(entry)}.`, ...shown].join("\n\n")}\n`;
}

function before(name: ShownName, { before, after }: Example): string {
	const query = (text: string) => `\`?${text.replace(MARK, "img_…")}\``;
	return `${query(before)} and ${query(after)}:\n![Before and after](pictures/${name}.webp)`;
}

function isShown(name: string): name is ShownName {
	return name in EXAMPLES;
}
