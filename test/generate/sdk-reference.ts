import { readFileSync } from "node:fs";
import { ENTRIES } from "@svc/deploy/sdk-package";
import ts from "typescript";
import { cell } from "./cell.ts";
import { type Call, type Exported, FIELDS, type Options, readSdk } from "./sdk-calls.ts";
import { SDK_EXAMPLES } from "./sdk-examples.ts";
import { type GeneratedFile, urlOf } from "./transform.ts";

/* The pages that name each function and class of the SDK. */

const MADE = "<!-- Made by `npm run generate`: change the code instead. -->\n";

type SdkExports = ReadonlyMap<string, readonly Exported[]>;
/** By the name of what they show. */
type Examples = ReadonlyMap<string, string>;

/** Said of each entry, in its order on the page. */
const ENTRY_ABOUT: Readonly<Record<(typeof ENTRIES)[number], string>> = {
	index: "All of what follows that an App needs at its backend, and `verifyWebhook`.",
	client: "What an App does, with its key.",
	management: "What people do: run Apps, their keys, teams and users; operate the service.",
	transform: "The address of another form of an image.",
	picture: "`srcset` and `<picture>`.",
	"sign-url": "Addresses that end and cannot be changed.",
	"ticket-upload": "Uploads without a key, for browsers.",
	failure: "The two errors with which calls reject.",
	hono: "Sign-in for Hono.",
	express: "The same four functions for Express, and `userLeft(people)`, which handles failures after the routes.",
	next: "A loader for Next.js, the same four functions, and `.catch(userLeft(people))` for calls about a user.",
	astro: "An image service for Astro.",
	nuxt: "A provider for Nuxt Image.",
	unpic: "A transformer for unpic.",
	uppy: "Uploads with tickets from Uppy.",
	filepond: "Uploads with tickets from FilePond.",
	shapes: "The types of what the service answers, by the names that stand in the tables.",
	lists: "Their lists of words, as values: `BLOCK_REASONS`, `SCOPES` and the like.",
	types: "What several of them are made of: `List`, `BatchResult`, `WithSecret`.",
};

/** What has a page of its own, and what holds types or lists of words alone. */
const ELSEWHERE: readonly string[] = ["management", "shapes", "lists", "types"];

/** What operators of the service do. */
const OPERATING = /^(moderation|operator)\./;

export function sdkReference(): readonly GeneratedFile[] {
	const read = readSdk(ENTRIES);
	const examples = examplesByName();
	const [management] = read.get("management") ?? [];
	if (management === undefined) throw new Error("The SDK has no management.");
	return [
		{ path: "docs/reference/sdk.md", text: mainPage(read, examples) },
		{ path: "docs/reference/sdk-options.md", text: optionsPage(read) },
		{ path: "docs/reference/sdk-pages.md", text: pagesPage(read, examples) },
		{ path: "docs/reference/sdk-people.md", text: peoplePage(management, examples) },
		{ path: "docs/reference/sdk-people-options.md", text: peopleOptionsPage(management) },
		{ path: "docs/reference/sdk-operators.md", text: operatorsPage(management) },
	];
}

/** What a backend imports has a page, what makes addresses and what frameworks take another. */
const OF_BACKENDS: readonly string[] = ["index", "client", "failure", "hono"];

/** Functions of sign-in are said once, as the first of these has them. */
const KITS: readonly string[] = ["hono", "express", "next"];

function mainPage(read: SdkExports, examples: Examples): string {
	const names = Object.keys(ENTRY_ABOUT);
	const rows = names.map((name) => `| \`${importOf(name)}\` | ${ENTRY_ABOUT[name as (typeof ENTRIES)[number]]} |`);
	return `# SDK

${MADE}
The client for JavaScript and TypeScript, which the service has as a package ([how to install it](../guides/typescript.md)). It needs \`fetch\` and nothing else. [TypeScript](../guides/typescript.md) shows it at work.

| Import | What it has |
|---|---|
${rows.join("\n")}

- Here is what a backend imports. Addresses, \`<picture>\`, tickets and frameworks are on [the next page](sdk-pages.md), what people do with a session or a token on [a third](sdk-people.md), what operators do on [a fourth](sdk-operators.md).
- Calls are on what \`createClient\` gives: \`svc.images.get(id)\`. What their options are is on [a page of their own](sdk-options.md).
- A call gives a promise of what stands in its row. *each* means \`for await (const one of …)\`, which asks for pages as they are needed; beside each such call \`list\` gives one page.
- A call rejects with \`ApiError\` where the service refused ([errors](errors.md)), and with \`ConnectionError\` where no answer came. What failed for a moment is tried again where that does no harm.

${sectionsOf(OF_BACKENDS, read, examples)}`;
}

/** What the calls of the client take, but for what stands beside it. */
function optionsPage(read: SdkExports): string {
	const [client] = read.get("client") ?? [];
	const options = client?.options.filter(({ name }) => !COMMON.includes(name)) ?? [];
	return `# SDK: options of calls

${MADE}
What the calls of [\`createClient\`](sdk.md) take besides \`CallOptions\`. A \`?\` marks what may be left out.

${options.map((one) => optionsOf(one).replace(/^###/, "##")).join("\n")}`;
}

function pagesPage(read: SdkExports, examples: Examples): string {
	const names = Object.keys(ENTRY_ABOUT).filter((name) => !OF_BACKENDS.includes(name) && !ELSEWHERE.includes(name));
	return `# SDK for pages

${MADE}
What makes addresses of images, uploads with tickets, and fits into frameworks: nothing of it needs a key, but \`signUrl\` needs the secret of a signing key. \`TransformOptions\`
are the [parameters of transforms](transforms.md). The [rest](sdk.md) is for backends.

${sectionsOf(names, read, examples)}`;
}

/** All exports of some entries, and their options each once. */
function sectionsOf(entries: readonly string[], read: SdkExports, examples: Examples): string {
	const said = new Set<string>();
	const namesOf = (entry: string) => read.get(entry)?.map(({ name }) => name) ?? [];
	const sections = entries.flatMap((entry) => {
		// What the kits before this one have was said there.
		const before = KITS.slice(0, Math.max(0, KITS.indexOf(entry))).flatMap(namesOf);
		const own = (read.get(entry) ?? []).filter(({ name }) => !before.includes(name));
		return own.map((one) => ({ entry, one }));
	});
	return sections
		.map(({ entry, one }) => {
			const fits = ({ name }: Options) => (one.name === "createClient" ? COMMON.includes(name) : !said.has(name));
			const options = one.options.filter((each) => each.name === FIELDS || fits(each));
			for (const { name } of options) said.add(name);
			return section({ ...one, options }, entry, examples);
		})
		.join("\n");
}

function peoplePage(management: Exported, examples: Examples): string {
	const calls = management.calls.filter(({ text }) => !OPERATING.test(text));
	return `# SDK for people

${MADE}
\`createManagement\` of \`@svc/sdk/management\`: what people do with a session or a token. Operators have [more](sdk-operators.md); how calls are read, and what they
reject with, is said [with the client](sdk.md). Calls are on what it gives: \`svc.me.get()\`.

${management.about}

${codeOf("createManagement", "management", examples)}
What their options are is on [a page of their own](sdk-people-options.md).

${tableOf(calls)}`;
}

function peopleOptionsPage(management: Exported): string {
	const options = management.options.filter(({ name }) => !COMMON.includes(name) && !OPERATORS_OPTIONS.includes(name));
	return `# SDK for people: options of calls

${MADE}
What the calls of [\`createManagement\`](sdk-people.md) take besides \`CallOptions\`. A \`?\` marks what may be left out.

${options.map((one) => optionsOf(one).replace(/^###/, "##")).join("\n")}`;
}

function operatorsPage(management: Exported): string {
	return `# SDK for operators

${MADE}
Calls of \`createManagement\` ([SDK for people](sdk-people.md)) that need an operator of the service.

${tableOf(management.calls.filter(({ text }) => OPERATING.test(text)))}
## Options

${management.options
	.filter(({ name }) => OPERATORS_OPTIONS.includes(name))
	.map(optionsOf)
	.join("\n")}`;
}

/** Said once, with the client. */
const COMMON = ["ClientOptions", "CallOptions", "QueryOptions", "PostOptions"];
const OPERATORS_OPTIONS = [
	...["Verdict", "RevisedVerdict", "Release", "PreviewOptions", "WithReason"],
	...["AppTerms", "ReconcileOptions", "CollectOptions", "Refund"],
];

function importOf(entry: string): string {
	return entry === "index" ? "@svc/sdk" : `@svc/sdk/${entry}`;
}

function section(one: Exported, entry: string, examples: Examples): string {
	const title = one.name === "default" ? `The default of ${importOf(entry)}` : one.name;
	const signature = one.signature === "" ? "." : `: \`${one.signature}\``;
	const parts = [
		`## ${title}`,
		`From \`${importOf(entry)}\`${signature}`,
		one.about,
		one.kind === "function" || examples.has(one.name) ? codeOf(one.name, entry, examples) : "",
		one.calls.length > 0 ? tableOf(one.calls) : "",
		...one.options.map(optionsOf),
	];
	return `${parts
		.filter(Boolean)
		.map((part) => part.trimEnd())
		.join("\n\n")}\n`;
}

/** @throws Error for a function that nobody has shown how to call */
function codeOf(name: string, entry: string, examples: Examples): string {
	const code = examples.get(name);
	// How a framework takes the default is said over it.
	if (code === undefined && name !== "default") throw new Error(`${name} needs an example in sdk-examples.ts.`);
	if (code === undefined) return "";
	const names = [name, ...(name === "ApiError" ? ["ConnectionError"] : [])].join(", ");
	const imports = [`import { ${names} } from "${importOf(entry)}";`];
	if (name === "ApiError") imports.unshift('import { createClient } from "@svc/sdk/client";');
	return `\`\`\`ts\n${imports.join("\n")}\n\n${code}\n\`\`\`\n`;
}

function tableOf(calls: readonly Call[]): string {
	const lists = new Set(calls.filter(({ text }) => text.endsWith(".list(options?)")).map(({ text }) => text));
	const rows = calls
		.filter(({ text, about }) => !(lists.has(text) && about === "Fetches one page."))
		.map(({ text, gives, about }) => {
			const isPlain = about.startsWith("Yields every item from `cursor` on");
			return `| \`${text.replaceAll("|", "\\|")}\` | \`${gives.replace("<ArrayBufferLike>", "").replaceAll("|", "\\|")}\` | ${isPlain ? "" : cell(about)} |`;
		});
	return `| Call | Gives | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function optionsOf({ name, about, has, fields }: Options): string {
	const others = has.length > 0 ? [`With all of ${has.map((one) => `\`${one}\``).join(", ")}.`] : [];
	const text = [about, ...others].filter(Boolean).join(" ");
	const rows = fields.map(
		(field) => `| \`${field.name}\` | \`${field.type.replaceAll("|", "\\|")}\` | ${cell(field.about)} |`,
	);
	return `### ${name}\n${text === "" ? "" : `\n${text}\n`}\n| Field | Type | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** The code between the braces of each example, as it stands in the file. */
function examplesByName(): ReadonlyMap<string, string> {
	const path = urlOf("test/generate/sdk-examples.ts");
	const source = ts.createSourceFile("e.ts", readFileSync(path, "utf8"), ts.ScriptTarget.ESNext, true);
	const found = new Map<string, string>();
	const look = (node: ts.Node): void => {
		if (ts.isPropertyAssignment(node) && ts.isArrowFunction(node.initializer) && node.name.getText() in SDK_EXAMPLES) {
			const all = node.initializer.body.getText().split("\n").slice(1, -1);
			const lines = all.filter((line) => !line.startsWith("\t\treturn "));
			found.set(node.name.getText(), lines.map((line) => line.replace(/^\t\t/, "")).join("\n"));
		}
		ts.forEachChild(node, look);
	};
	look(source);
	return found;
}
