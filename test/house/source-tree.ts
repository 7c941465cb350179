import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

/* The product's modules as a tree that can be asked: which they are, what they import, types included, and what stands in them. */

export interface Module {
	/** From the root of the checkout. */
	readonly path: string;
	/** Written by a generator, which its first line says. */
	readonly generated: boolean;
	readonly lines: number;
	readonly source: ts.SourceFile;
	/** Paths of the modules that it imports or exports from, types included. */
	readonly imports: readonly string[];
}

interface Manifest {
	readonly name: string;
	readonly workspaces?: readonly string[];
	readonly exports?: Readonly<Record<string, unknown>>;
}

export interface Workspace {
	readonly folder: string;
	readonly name: string;
}

const PRODUCT = "{apps,packages,cli,tui}/**/*.{ts,tsx}";
const NOT_OURS = /\/node_modules\/|\.test\.tsx?$|\/declarations\//;
const GENERATED = /^\/\* (?:Made|Written) by `npm run generate`/;

/** From the lowest room to the highest. */
export function workspacesOf(root: string): readonly Workspace[] {
	const { workspaces = [] } = readManifest(root);
	return workspaces.map((folder) => ({ folder, name: readManifest(join(root, folder)).name }));
}

/** All product modules of a checkout, or of one of its folders, sorted by path. */
export function productModules(root: string, folder?: string): readonly Module[] {
	const workspaces = workspacesOf(root);
	const paths = globSync(folder === undefined ? PRODUCT : `${folder}/**/*.{ts,tsx}`, { cwd: root })
		.filter((path) => !NOT_OURS.test(path))
		.sort();
	return paths.map((path) => {
		const text = readFileSync(join(root, path), "utf8");
		const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
		const imports = specifiersOf(source).flatMap((specifier) => pathOf(root, path, specifier, workspaces) ?? []);
		return { path, generated: GENERATED.test(text), lines: text.split("\n").length - 1, source, imports };
	});
}

function specifiersOf(source: ts.SourceFile): readonly string[] {
	const found: string[] = [];
	visit(source, (node) => {
		const said = saidIn(node);
		if (said !== undefined && ts.isStringLiteral(said)) found.push(said.text);
	});
	return found;
}

/** What names the other module: of `import … from`, `export … from`, `import("…")` as a call and as a type. */
function saidIn(node: ts.Node): ts.Node | undefined {
	if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
	if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return node.arguments[0];
	return ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
}

function pathOf(root: string, from: string, specifier: string, workspaces: readonly Workspace[]): string | undefined {
	if (specifier.startsWith(".")) return relative(root, resolve(root, dirname(from), specifier));
	const owner = workspaces.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
	return owner && moduleOf(root, owner, specifier.slice(owner.name.length));
}

/** `@svc/base/text` is `packages/base/text.ts`, or what the room's `exports` say that it is. */
function moduleOf(root: string, { folder }: Workspace, below: string): string | undefined {
	const said = readManifest(join(root, folder)).exports?.[`.${below}`];
	const candidates = typeof said === "string" ? [said] : [`.${below}.ts`, `.${below}.tsx`, `.${below}`];
	return candidates.map((candidate) => join(folder, candidate)).find((path) => existsSync(join(root, path)));
}

/** Calls `see` with a node and all that is below it. */
export function visit(node: ts.Node, see: (node: ts.Node) => void): void {
	see(node);
	ts.forEachChild(node, (child) => visit(child, see));
}

const manifests = new Map<string, Manifest>();

function readManifest(folder: string): Manifest {
	const kept = manifests.get(folder) ?? (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest);
	manifests.set(folder, kept);
	return kept;
}

/** The circles of a graph, the largest first: nodes of which each leads to each (Tarjan's strongly connected components). */
export function circles(graph: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
	const order = new Map<string, number>();
	const lowest = new Map<string, number>();
	const open: string[] = [];
	const found: string[][] = [];
	const walk = (node: string): number => {
		const at = order.size;
		order.set(node, at);
		let low = at;
		open.push(node);
		for (const next of graph.get(node) ?? []) {
			if (!order.has(next)) low = Math.min(low, walk(next));
			else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low);
		}
		lowest.set(node, low);
		if (low === at) found.push(open.splice(open.indexOf(node)));
		return low;
	};
	for (const node of graph.keys()) if (!order.has(node)) walk(node);
	return found.filter(({ length }) => length > 1).sort((one, other) => other.length - one.length);
}
