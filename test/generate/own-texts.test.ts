import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { urlOf } from "./transform.ts";

/*
 * What people read comes from catalogues. Pages and templates of mails are looked through for texts of their own, as they are after
 * types, comments and JSX are gone: what an element holds, what attributes and properties say that are read, and whole sentences.
 */

const ROOTS = ["apps/pages", "packages/mail", "apps/versions"];
/** Templates and pages alone: what a server of mail, a log or the API is told is English. */
const IN_MAILS = /templates\.ts$|\/letter\.ts$|\/render\.ts$/;
const READ = `(?:children|label|title|hint|alt|placeholder|heading|subject|"aria-label"|fault|notice|submit|verb)`;
const WORDS = String.raw`"((?:[^"\\]|\\.)*\p{L}{2}(?:[^"\\]|\\.)*)"`;
const SHOWN = new RegExp(`${READ}: ?\\[?${WORDS}`, "gu");
/** A word that begins with a capital letter, and another one behind it. */
const SENTENCE = /["`](\p{Lu}\p{Ll}+ (?:\p{Ll}+|\$\{)[^"`]*)["`]/gu;
/** The screens of those who run the service are in English alone, and say so by `lang`. */
const IN_ENGLISH = "apps/pages/console/operator/";
/** Said to programs and in logs, or a name. */
const ALLOWED = new Set(["A browser", "no-cache"]);

async function sources(root: string): Promise<readonly string[]> {
	const paths = await Array.fromAsync(new Bun.Glob("**/*.{ts,tsx}").scan({ cwd: fileURLToPath(urlOf(root)) }));
	return paths
		.filter((path) => !/node_modules|\.test\.|\.d\.ts$|messages\.ts$/.test(path))
		.map((path) => `${root}/${path}`)
		.filter((path) => !path.startsWith(IN_ENGLISH) || path.endsWith("/mails.tsx"))
		.filter((path) => path.startsWith("apps/pages/") || path.endsWith(".tsx") || IN_MAILS.test(path));
}

const transpiler = new Bun.Transpiler({ loader: "tsx", tsconfig: { compilerOptions: { jsx: "react-jsx" } } });

function ownTexts(source: string): readonly string[] {
	const code = transpiler
		.transformSync(source)
		// What is thrown as a plain Error is a bug, for the log; what is logged is for operators.
		.replace(/new (?:Error|TypeError)\([^)]*\)/g, "")
		.replace(/log\.\w+\("[^"]*"/g, "");
	const found = [...code.matchAll(SHOWN), ...code.matchAll(SENTENCE)].map(([, text = ""]) => text);
	return [...new Set(found)].filter((text) => !ALLOWED.has(text));
}

test("no page and no mail holds a text of its own: all of them stand in catalogues (docs/languages.md)", async () => {
	const found: string[] = [];
	const paths = (await Promise.all(ROOTS.map(sources))).flat();
	expect(paths.length).toBeGreaterThan(40);
	for (const path of paths) {
		for (const text of ownTexts(await readFile(urlOf(path), "utf8"))) found.push(`${path}: ${text}`);
	}
	expect(found).toEqual([]);
});

test.each([
	["what stands in an element", "const a = <p>Hello</p>;"],
	["words beside other things", "const a = <p>Signed in as <b>{x}</b></p>;"],
	["an attribute that is read out", 'const a = <a aria-label="Keys" href="/">{x}</a>;'],
	["a label", 'const a = <Field label="Name" />;'],
	["a title", 'show("Your account", x);'],
	["a refusal", 'throw new Refusal(404, "Not here", x);'],
	["a fault", 'const a = { fault: "missing" };'],
	["a sentence with a value in it", "const a = `Wait $" + "{n} seconds`;"],
])("%s is found", (_, source) => {
	expect(ownTexts(source)).not.toEqual([]);
});
