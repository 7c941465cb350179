/* Prints the numbers by which the house is judged, each beside its bar: bun test/house/measures.ts [--static] [--list] */
import { dirname, join } from "node:path";
import ts from "typescript";
import { linesOfRequests } from "./request-lines.ts";
import { circles, type Module, productModules, visit, workspacesOf } from "./source-tree.ts";

interface Row {
	readonly name: string;
	readonly value: string;
	readonly bar: string;
	/** What is behind the number, the worst first; shown with `--list`. */
	readonly list?: readonly string[];
	/** Beyond it the command fails. */
	readonly fails?: boolean;
}

/** Lines by hand that the product may have: who needs more takes as much away. */
const MOST_LINES = 150_500;
const LONG_FUNCTION_LINES = 80;
const MOST_FILES_ON_A_FLOOR = 15;
const ABOUT_MIGRATIONS = /migrat/;
const SQL_WORDS =
	/\b(?:insert into|insert|update|delete from|delete|select|returning|where|values|begin|commit|rollback|from)\b/i;

if (import.meta.main) {
	const rows = await measures(join(import.meta.dirname, "../.."), process.argv.includes("--static"));
	const width = Math.max(...rows.map(({ name }) => name.length));
	for (const { name, value, bar, list = [] } of rows) {
		process.stdout.write(`${name.padEnd(width)}  ${value.padStart(12)}  ${bar}\n`);
		if (process.argv.includes("--list")) for (const line of list) process.stdout.write(`    ${line}\n`);
	}
	process.exitCode = rows.some(({ fails }) => fails) ? 1 : 0;
}

/** All rows, in the order in which they are told; `still` leaves out those for which a service has to run. */
async function measures(root: string, still: boolean): Promise<readonly Row[]> {
	const modules = productModules(root);
	return [
		...circleRows(modules),
		upwardRow(root, modules),
		regexRow(modules),
		...(still ? [] : await requestRows(root)),
		floorRow(modules),
		linesRow(modules),
		functionsRow(modules),
		twiceRow(modules),
	];
}

function circleRows(modules: readonly Module[]): readonly Row[] {
	const found = circles(new Map(modules.map(({ path, imports }) => [path, imports])));
	const list = found.map((circle) => `${circle.length}: ${circle.join(" ")}`);
	return [
		{ name: "largest circle of imports, types included", value: `${found[0]?.length ?? 0}`, bar: "≤ 12", list },
		{ name: "circles of imports, types included", value: `${found.length}`, bar: "≤ 15" },
	];
}

/** Imports of a workspace that stands higher in the list of the root, by value or by type. */
function upwardRow(root: string, modules: readonly Module[]): Row {
	const folders = workspacesOf(root).map(({ folder }) => folder);
	const heightOf = (path: string): number => folders.findIndex((folder) => path.startsWith(`${folder}/`));
	const list = modules.flatMap(({ path, imports }) =>
		imports.filter((imported) => heightOf(imported) > heightOf(path)).map((imported) => `${path} → ${imported}`),
	);
	return { name: "imports that run up between workspaces", value: `${list.length}`, bar: "0", list };
}

/** Regular expressions by which text of SQL is read, in the room that keeps the database; a migration is a text, and may be read as one. */
function regexRow(modules: readonly Module[]): Row {
	const list = modules
		.filter(({ path }) => path.startsWith("packages/base/database/") && !ABOUT_MIGRATIONS.test(path))
		.flatMap(({ source }) => found(source, ts.isRegularExpressionLiteral))
		.filter((literal) => SQL_WORDS.test(literal.getText()))
		.map((literal) => `${placeOf(literal)} ${literal.getText()}`);
	return { name: "regular expressions on the text of SQL", value: `${list.length}`, bar: "0", list };
}

async function requestRows(root: string): Promise<readonly Row[]> {
	const { get, upload, keptMs } = await linesOfRequests(root);
	return [
		{
			name: "files / lines that a GET of an image executes",
			value: `${get.files} / ${get.lines}`,
			bar: "≤ 36 / ≤ 400",
			list: get.list,
		},
		{
			name: "files / lines that an upload executes",
			value: `${upload.files} / ${upload.lines}`,
			bar: "≤ 88 / ≤ 1700",
			list: upload.list,
		},
		{
			name: "a rendition again, after a label of another App changed",
			value: `${keptMs.toFixed(3)} ms`,
			bar: "≤ 0.020 ms",
		},
	];
}

function floorRow(modules: readonly Module[]): Row {
	const floors = Map.groupBy(modules, ({ path }) => dirname(path));
	const high = [...floors]
		.map(([folder, { length }]) => ({ folder, length }))
		.sort((one, other) => other.length - one.length);
	const list = high
		.filter(({ length }) => length > MOST_FILES_ON_A_FLOOR)
		.map(({ folder, length }) => `${length} ${folder}`);
	const name = "product files on one floor of a folder";
	return { name, value: `${high[0]?.length ?? 0}`, bar: `≤ ${MOST_FILES_ON_A_FLOOR}`, list };
}

function linesRow(modules: readonly Module[]): Row {
	const sum = (some: readonly Module[]): number => some.reduce((total, { lines }) => total + lines, 0);
	const byHand = modules.filter(({ generated }) => !generated);
	const rooms = Map.groupBy(byHand, ({ path }) =>
		path
			.split("/")
			.slice(0, path.startsWith("packages/") ? 2 : 1)
			.join("/"),
	);
	const lines = sum(byHand);
	return {
		name: "product lines by hand",
		value: `${lines}`,
		bar: `≤ ${MOST_LINES}`,
		list: [...rooms].map(([room, some]) => `${sum(some)} ${room}`),
		fails: lines > MOST_LINES,
	};
}

function functionsRow(modules: readonly Module[]): Row {
	const long = modules
		.flatMap(({ source }) => found(source, isFunction))
		.map((node) => ({ node, lines: lineAt(node, node.getEnd()) - lineAt(node, node.getStart()) + 1 }))
		.filter(({ lines }) => lines > LONG_FUNCTION_LINES)
		.sort((one, other) => other.lines - one.lines);
	const list = long.map(({ node, lines }) => `${lines} ${placeOf(node)}`);
	return { name: `functions over ${LONG_FUNCTION_LINES} lines`, value: `${list.length}`, bar: "≤ 8", list };
}

/** Names of exported types and classes that more than one module declares; the SDK, the CLI and the dashboard name wire shapes anew. */
function twiceRow(modules: readonly Module[]): Row {
	const declared = modules
		.filter(({ path }) => !/^(?:packages\/sdk|cli|tui)\//.test(path))
		.flatMap(({ source }) =>
			source.statements.filter(isExportedType).map((node) => ({ name: node.name?.text ?? "", node })),
		);
	const list = [...Map.groupBy(declared, ({ name }) => name)]
		.filter(([, { length }]) => length > 1)
		.sort(([, one], [, other]) => other.length - one.length)
		.map(([name, all]) => `${name}: ${all.map(({ node }) => placeOf(node)).join(" ")}`);
	return { name: "exported types declared twice", value: `${list.length}`, bar: "0", list };
}

type TypeDeclaration = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration;

function isExportedType(node: ts.Statement): node is TypeDeclaration {
	const declares = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isClassDeclaration(node);
	return declares && (node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false);
}

function isFunction(node: ts.Node): node is ts.FunctionLikeDeclaration {
	return ts.isFunctionLike(node) && "body" in node;
}

function found<Kind extends ts.Node>(source: ts.SourceFile, is: (node: ts.Node) => node is Kind): Kind[] {
	const nodes: Kind[] = [];
	visit(source, (node) => {
		if (is(node)) nodes.push(node);
	});
	return nodes;
}

function lineAt(node: ts.Node, position: number): number {
	return node.getSourceFile().getLineAndCharacterOfPosition(position).line;
}

function placeOf(node: ts.Node): string {
	return `${node.getSourceFile().fileName}:${lineAt(node, node.getStart()) + 1}`;
}
