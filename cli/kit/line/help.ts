import { type Command, type Entry, type Group, isGroup, positionals } from "../command.ts";
import { type FlagShape, GLOBAL_FLAGS } from "./globals.ts";
import { flagShapes } from "./strict.ts";

const EXITS =
	"0 ok · 1 failed · 2 usage · 3 partly · 4 auth · 5 not found · 6 conflict · 7 retry later · 70 bug · 130 interrupted";

type Row = readonly [string, string];

/** The purpose of a command and its syntax, with its full path. */
export async function helpFor(path: readonly string[], entry: Command | Group): Promise<string> {
	const name = ["svc", ...path].join(" ");
	const lines = isGroup(entry) ? await groupHelp(name, entry) : commandHelp(name, entry);
	return lines.join("\n");
}

async function groupHelp(path: string, group: Group): Promise<string[]> {
	const isRoot = path === "svc";
	return [
		`${path}: ${group.summary}`,
		"",
		`Usage: ${path} <command> [flags]`,
		...(group.alone === undefined ? [] : ["", `Alone it means: ${path} ${group.alone}`]),
		...Object.entries(group.parts ?? { Commands: await group.commands() }).flatMap(([title, part]) =>
			section(title, Object.entries(part).map(summaryRow)),
		),
		...(isRoot ? section("Flags of every command", Object.entries(GLOBAL_FLAGS).map(flagRow)) : []),
		...section("Example", [[`${await firstCommand(path, group)} --help`, ""]]),
		...(isRoot
			? [
					"",
					`Exit: ${EXITS}`,
					"Who calls: SVC_API_KEY (and SVC_BASE_URL), else the current profile; svc login makes one. What needs a person is done as\n" +
						"whoever is signed in with that profile, if it is for the same address.",
				]
			: []),
	];
}

function summaryRow([name, { summary }]: readonly [string, Entry]): Row {
	return [name, summary];
}

function section(title: string, rows: readonly Row[]): string[] {
	if (rows.length === 0) return [];
	const width = Math.max(...rows.map(([name]) => name.length)) + 2;
	return ["", `${title}:`, ...rows.map(([name, text]) => `  ${name.padEnd(width)}${text}`.trimEnd())];
}

function flagRow([name, shape]: readonly [string, FlagShape]): Row {
	const alias = shape.alias === undefined ? "" : `-${shape.alias}, `;
	const value = shape.type === "boolean" ? "" : ` <${shape.valueHint ?? "value"}>`;
	return [`${alias}--${name}${value}`, shape.description];
}

async function firstCommand(path: string, group: Group): Promise<string> {
	const [first] = Object.entries(await group.commands());
	if (!first) return path;
	const [name, entry] = first;
	return isGroup(entry) ? await firstCommand(`${path} ${name}`, entry) : `${path} ${name}`;
}

function commandHelp(path: string, command: Command): string[] {
	const flags = Object.entries(flagShapes(command)).map((entry) => ownFlagRow(command, entry));
	return [
		`${path}: ${command.summary}`,
		"",
		`Usage: ${[path, ...usageWords(command), "[flags]"].join(" ")}`,
		...(command.notes === undefined ? [] : ["", command.notes]),
		...section("Words", wordRows(command)),
		...section("Flags", flags),
		...section(
			"Examples",
			command.examples.map((example): Row => [example, ""]),
		),
		"",
		"Flags of every command: svc --help",
	];
}

function ownFlagRow(command: Command, entry: readonly [string, FlagShape]): Row {
	const [written, text] = flagRow(entry);
	return [written, command.repeatable?.includes(entry[0]) ? `${text} (repeatable)` : text];
}

function wordRows(command: Command): Row[] {
	const rows = positionals(command).map((name): Row => [name, command.args[name]?.description ?? ""]);
	const { rest } = command;
	if (rest === undefined) return rows;
	const piped = rest.valueHint === undefined ? "" : "; - for those of standard input";
	return [...rows, [rest.name, `${rest.description}${piped}`]];
}

function usageWords(command: Command): string[] {
	const words = positionals(command).map((name) => `<${name}>`);
	if (command.rest === undefined) return words;
	return [...words, command.rest.required ? `<${command.rest.name}>...` : `[${command.rest.name}]...`];
}
