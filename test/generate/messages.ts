/* Writes the types of the catalogues of messages, and looks whether they agree: npm run generate */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { LOCALES, type Locale } from "@svc/base/enumerations";
import { IntlMessageFormat } from "intl-messageformat";
import { type GeneratedFile, urlOf } from "./transform.ts";

type Texts = Readonly<Record<string, string>>;
/** What fills each placeholder, by its name: the types that `fill` gives. */
type Placeholders = ReadonlyMap<string, Kind>;
type Kind = "text" | "number" | "choice" | "around";

interface Folder {
	/** From the root of the repository; holds `messages/<locale>.json`. */
	readonly path: string;
	readonly texts: Readonly<Record<Locale, Texts>>;
}

/** By the types of parts in the parser. */
const KINDS: Readonly<Record<number, Kind>> = {
	1: "text",
	2: "number",
	3: "number",
	5: "choice",
	6: "number",
	8: "around",
};

if (import.meta.main) {
	const folders = await catalogueFolders();
	for (const { path, text } of messageFiles(folders)) await writeFile(urlOf(path), text);
	const faults = folders.flatMap(faultsOf);
	if (faults.length > 0) throw new Error(`The catalogues do not agree:\n${faults.join("\n")}`);
}

/** French has a space before these, at which no line breaks. Nobody sees it in a file, so it is put in. */
function withSpaces(text: string): string {
	return text.replace(/ (?=[:;?!»])/g, "\u00a0").replace(/(?<=«) /g, "\u00a0");
}

/** Every folder with catalogues: of each part of the pages, and of the mails. */
export async function catalogueFolders(): Promise<readonly Folder[]> {
	const parts = await Promise.all(
		["apps/pages", "packages", "apps/versions"].map(async (root) => (await foldersIn(root)).sort()),
	);
	const folders = parts.flat().map(async (path): Promise<Folder | undefined> => {
		if (!(await foldersIn(path)).includes(`${path}/messages`)) return undefined;
		const texts = LOCALES.map(async (locale) => [locale, await readTexts(`${path}/messages/${locale}.json`)] as const);
		return { path, texts: Object.fromEntries(await Promise.all(texts)) as Record<Locale, Texts> };
	});
	return (await Promise.all(folders)).filter((folder) => folder !== undefined);
}

/** A key in a source, in quotes or with variable parts: `t("done.sent")`, `t(`done.${deed}`)`. */
const QUOTED = /"([a-z_0-9.]+)"|`([^`\s]+)`/g;

/** The messages that no source names, each with the folder of its catalogue. */
export async function unusedIn(folders: readonly Folder[]): Promise<readonly string[]> {
	const [pages, mails, variants] = await Promise.all(["apps/pages", "packages/mail", "apps/versions"].map(keysIn));
	return folders.flatMap(({ path, texts }) => {
		const shown = [path.startsWith("packages/mail") ? mails : pages, variants].flatMap((keys) => keys ?? []);
		const isShown = (name: string) => shown.some((key) => (typeof key === "string" ? key === name : key.test(name)));
		return Object.keys(texts.en)
			.filter((name) => !isShown(name))
			.map((name) => `${path}: ${name}`);
	});
}

async function keysIn(root: string): Promise<readonly (string | RegExp)[]> {
	const sources = await Promise.all((await sourcesIn(root)).map((path) => readFile(urlOf(path), "utf8")));
	return sources.flatMap((source) =>
		[...source.matchAll(QUOTED)].flatMap(([, whole, parts = ""]): readonly (string | RegExp)[] =>
			whole ? [whole] : patternsOf(parts),
		),
	);
}

async function sourcesIn(path: string): Promise<readonly string[]> {
	const entries = await readdir(urlOf(path), { withFileTypes: true });
	const inner = entries.filter((entry) => entry.isDirectory() && entry.name !== "node_modules");
	const own = entries
		.filter(({ name }) => /(?<!\.test|messages)\.tsx?$/.test(name))
		.map(({ name }) => `${path}/${name}`);
	return [...own, ...(await Promise.all(inner.map(({ name }) => sourcesIn(`${path}/${name}`)))).flat()];
}

/** A variable part is one word, or more of them; what is nothing but variable names no message. */
function patternsOf(parts: string): readonly RegExp[] {
	const fixed = parts.split(/\$\{[^}]*\}/);
	if (!/^[a-z_.]*$/.test(fixed.join("")) || !/[a-z]/.test(fixed.join(""))) return [];
	return [new RegExp(`^${fixed.map((part) => part.replaceAll(".", "\\.")).join("[a-z_0-9.]+")}$`)];
}

async function foldersIn(path: string): Promise<string[]> {
	const entries = await readdir(urlOf(path), { withFileTypes: true });
	return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${path}/${name}`);
}

async function readTexts(path: string): Promise<Texts> {
	return JSON.parse(await readFile(urlOf(path), "utf8"));
}

/** What is wrong with the catalogues of a folder, a line each. English says which messages there are. */
export function faultsOf({ path, texts }: Folder): readonly string[] {
	return LOCALES.flatMap((locale) => {
		const where = `${path}/messages/${locale}.json`;
		const missing = Object.keys(texts.en).filter((name) => !Object.hasOwn(texts[locale], name));
		const faults = Object.entries(texts[locale]).flatMap(([name, text]) => {
			const english = texts.en[name];
			if (english === undefined) return [`${name} is not there in English`];
			return textFaults(text, english).map((fault) => `${name} ${fault}`);
		});
		return [...missing.map((name) => `${name} is missing`), ...faults].map((fault) => `${where}: ${fault}`);
	});
}

function textFaults(text: string, english: string): readonly string[] {
	const faults: string[] = [];
	if (text.trim() === "" || text !== text.trim()) faults.push("is empty, or begins or ends with a space");
	// In a message ' makes the character after it mean nothing.
	if (text.includes("'")) faults.push("has a straight apostrophe: write ’");
	if (shown(text) !== shown(english)) faults.push(`has the placeholders ${shown(text)}, in English ${shown(english)}`);
	return faults;
}

function shown(text: string): string {
	const placeholders = [...placeholdersOf(text)].map(([name, kind]) => `${name}: ${kind}`);
	return `{${placeholders.sort().join(", ")}}`;
}

/** The parts of a message as its parser gives them. */
interface Part {
	readonly type: number;
	readonly value?: unknown;
	readonly children?: readonly Part[];
	readonly options?: Readonly<Record<string, { readonly value: readonly Part[] }>>;
}

function placeholdersOf(text: string): Placeholders {
	const found = new Map<string, Kind>();
	const look = (parts: readonly Part[]) => {
		for (const { type, value, children = [], options = {} } of parts) {
			const kind = KINDS[type];
			// A number may stand as it is elsewhere in the message.
			if (kind && found.get(String(value)) !== "number") found.set(String(value), kind);
			look(children);
			for (const option of Object.values(options)) look(option.value);
		}
	};
	look(new IntlMessageFormat(text, "en").getAst() as readonly Part[]);
	return found;
}

export function messageFiles(folders: readonly Folder[]): readonly GeneratedFile[] {
	return folders.flatMap(({ path, texts }) => [
		{
			path: `${path}/messages/fr.json`,
			text: withSpaces(`${JSON.stringify(texts.fr, null, "\t")}\n`).replaceAll('"\u00a0:', '":'),
		},
		{ path: `${path}/messages.ts`, text: fileOf(path, texts.en) },
	]);
}

function fileOf(path: string, english: Texts): string {
	const pages = !path.startsWith("packages/");
	const kinds = pages
		? { text: "Shown", number: "number", choice: "string", around: "Around" }
		: { text: "string", number: "number", choice: "string", around: "never" };
	const lines = Object.entries(english).map(([name, text]) => {
		const fills = [...placeholdersOf(text)].map(([value, kind]) => `\t\treadonly ${value}: ${kinds[kind]};\n`);
		return `\treadonly ${quoted(name)}: ${fills.length === 0 ? "null" : `{\n${fills.join("")}\t}`};\n`;
	});
	const used = pages ? ["Around", "Shown"].filter((type) => lines.some((line) => line.includes(`: ${type};`))) : [];
	const tool = pages ? "pageTexts" : "plainTexts";
	const named = [...used.map((type) => `type ${type}`), tool].sort(byName).join(", ");
	const tools = `import { ${named} } from "${toolsOf(path)}";\n`;
	const all = `{ ${[...LOCALES].sort().join(", ")} }`;
	const imports = LOCALES.map((locale) => `import ${locale} from "./messages/${locale}.json" with { type: "json" };\n`);
	return `/* Written by \`npm run generate\` from the catalogues in messages/: see docs/languages.md. */
${[...imports, tools].sort(byPath).join("")}
/** The messages, and what fills their placeholders. */
interface Messages {
${lines.join("")}}

export const ${pages ? "t" : "texts"} = ${tool}<Messages>(${all});
`;
}

function toolsOf(path: string): string {
	if (path.startsWith("apps/versions/")) return "@svc/pages/kit/text";
	if (!path.startsWith("apps/pages/")) return "@svc/base/words/messages";
	return path.endsWith("/kit") ? "./text.ts" : "../kit/text.ts";
}

/** As imports are sorted: what is farther away comes first. */
function byPath(left: string, right: string): number {
	const [one, other] = [left, right].map((line) =>
		line.slice(line.indexOf(" from ")).replace("../", " ").replace("@", " "),
	);
	return (one ?? "") < (other ?? "") ? -1 : 1;
}

/** As imported names are sorted: by the names themselves. */
function byName(left: string, right: string): number {
	const [one, other] = [left, right].map((name) => name.replace("type ", "").toLowerCase());
	return (one ?? "") < (other ?? "") ? -1 : 1;
}

function quoted(name: string): string {
	return /^[A-Za-z_]\w*$/.test(name) ? name : `"${name}"`;
}
