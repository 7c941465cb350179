import { type FlagShape, GLOBAL_FLAGS } from "./globals.ts";
import { type Branch, isBranch, type Leaf, type Node, positionals } from "./leaf.ts";
import { flagShapes } from "./strict.ts";
import { padEnd } from "./text.ts";

const EXITS =
	"0 ok · 1 failed · 2 usage · 3 partly · 4 auth · 5 not found · 6 conflict · 7 retry later · 70 bug · 130 interrupted";

type Entry = readonly [string, string];

function section(title: string, entries: readonly Entry[]): string[] {
	if (entries.length === 0) return [];
	const width = Math.max(...entries.map(([name]) => name.length)) + 2;
	return ["", `${title}:`, ...entries.map(([name, text]) => `  ${padEnd(name, width)}${text}`.trimEnd())];
}

function flagEntry([name, shape]: readonly [string, FlagShape]): Entry {
	const alias = shape.alias === undefined ? "" : `-${shape.alias}, `;
	const value = shape.type === "boolean" ? "" : ` <${shape.valueHint ?? "value"}>`;
	return [`${alias}--${name}${value}`, shape.description];
}

function firstLeafPath(path: string, branch: Branch): string {
	const [first] = Object.entries(branch.commands);
	if (!first) return path;
	const [name, node] = first;
	return isBranch(node) ? firstLeafPath(`${path} ${name}`, node) : `${path} ${name}`;
}

function branchHelp(path: string, branch: Branch): string[] {
	const commands = Object.entries(branch.commands).map(([name, node]): Entry => [name, node.summary]);
	const isRoot = path === "svc";
	return [
		`${path}: ${branch.summary}`,
		"",
		`Usage: ${path} <command> [flags]`,
		...section("Commands", commands),
		...(isRoot ? section("Flags of every command", Object.entries(GLOBAL_FLAGS).map(flagEntry)) : []),
		...section("Example", [[`${firstLeafPath(path, branch)} --help`, ""]]),
		...(isRoot
			? [
					"",
					`Exit: ${EXITS}`,
					"Who calls: SVC_API_KEY (and SVC_BASE_URL), else the current profile; svc login makes one.",
				]
			: []),
	];
}

function usageWords(leaf: Leaf): string[] {
	const words = positionals(leaf).map((name) => `<${name}>`);
	if (leaf.rest === undefined) return words;
	return [...words, leaf.rest.required ? `<${leaf.rest.name}>...` : `[${leaf.rest.name}]...`];
}

function wordEntries(leaf: Leaf): Entry[] {
	const entries = positionals(leaf).map((name): Entry => [name, leaf.args[name]?.description ?? ""]);
	return leaf.rest === undefined ? entries : [...entries, [leaf.rest.name, leaf.rest.description]];
}

function leafFlag(leaf: Leaf, entry: readonly [string, FlagShape]): Entry {
	const [written, text] = flagEntry(entry);
	return [written, leaf.repeatable?.includes(entry[0]) ? `${text} (repeatable)` : text];
}

function leafHelp(path: string, leaf: Leaf): string[] {
	const flags = Object.entries(flagShapes(leaf)).map((entry) => leafFlag(leaf, entry));
	return [
		`${path}: ${leaf.summary}`,
		"",
		`Usage: ${[path, ...usageWords(leaf), "[flags]"].join(" ")}`,
		...(leaf.notes === undefined ? [] : ["", leaf.notes]),
		...section("Words", wordEntries(leaf)),
		...section("Flags", flags),
		...section(
			"Examples",
			leaf.examples.map((example): Entry => [example, ""]),
		),
		"",
		"Flags of every command: svc --help",
	];
}

/** What a command is for and how it is typed, with its full path. */
export async function helpFor(path: readonly string[], node: Node): Promise<string> {
	const name = ["svc", ...path].join(" ");
	const lines = isBranch(node) ? branchHelp(name, node) : leafHelp(name, await node.load());
	return lines.join("\n");
}
