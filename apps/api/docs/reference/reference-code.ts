import { codeHtml, tabsHtml } from "../code.ts";
import type { Place } from "./reference-bodies.ts";
import { bodyOf } from "./reference-bodies.ts";
import { credentialOf, exampleIn, examplePath, type Listed, takesFile } from "./reference-operations.ts";
import { sdkCall } from "./reference-sdk.ts";

/* A call as a program makes it. */

const PLACEHOLDER = { key: "<API_KEY>", token: "<TOKEN>", none: undefined } as const;
const PHOTO = "photo.jpg";

interface Call {
	readonly method: string;
	readonly url: string;
	readonly bearer: string | undefined;
	readonly body: Readonly<Record<string, unknown>> | undefined;
	readonly isUpload: boolean;
}

/** Tabs with the call in three languages. */
export function codeTabs(one: Listed, place: Place): string {
	const call = callOf(one, place);
	const languages = [
		["curl", "sh", curl(call)],
		["TypeScript", "ts", typescript(one, call, place.base)],
		["Python", "py", python(call)],
	] as const;
	const tabs = languages.map(([label, language, text]) => ({
		label,
		id: `${one.id}-${language}`,
		html: lean(codeHtml({ text, language })),
	}));
	return tabsHtml(`code-${one.id}`, tabs);
}

function callOf(one: Listed, place: Place): Call {
	const [server] = one.operation.servers ?? [];
	return {
		method: one.method,
		url: `${server?.url ?? place.base}${examplePath(one)}`,
		bearer: PLACEHOLDER[credentialOf(one)],
		body: bodyOf(one, place),
		isUpload: takesFile(one),
	};
}

/** JSON with colours. */
export function jsonHtml(value: unknown): string {
	return lean(codeHtml({ text: JSON.stringify(value, undefined, 2), language: "json" }));
}

/** Marks that have no colour go, the others get a name of one letter, and quotation marks need no escape: a third of the page. */
function lean(html: string): string {
	return html
		.replace(/<span class="c-(?:punctuation|params|operator|property)">([^<]*)<\/span>/g, "$1")
		.replace(/<span class="c-literal">(<span[^>]*>[^<]*<\/span>)<\/span>/g, "$1")
		.replace(/<span class="c-([a-z])[^"]*">([^<]*)<\/span>/g, "<i class=$1>$2</i>")
		.replace(/&quot;/g, '"')
		.replace(/&#x27;/g, "'");
}

function curl({ method, url, bearer, body, isUpload }: Call): string {
	const isUsual = method === "GET" || (method === "POST" && (isUpload || body !== undefined));
	return [
		`curl ${isUsual ? "" : `-X ${method} `}${shell(url)}`,
		...(bearer === undefined ? [] : [`-H ${shell(`Authorization: Bearer ${bearer}`)}`]),
		...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shell(JSON.stringify(body))}`]),
		...(isUpload ? [`-F 'file=@${PHOTO}'`] : []),
	].join(" \\\n  ");
}

function shell(text: string): string {
	return `'${text.replaceAll("'", `'\\''`)}'`;
}

function python({ method, url, bearer, body, isUpload }: Call): string {
	const lines = [
		JSON.stringify(url),
		...(bearer === undefined ? [] : [`headers={"Authorization": "Bearer ${bearer}"}`]),
		...(body === undefined ? [] : [`json=${pythonValue(body)}`]),
		...(isUpload ? [`files={"file": open("${PHOTO}", "rb")}`] : []),
	];
	const made = lines.map((line) => `    ${line},\n`).join("");
	return `import requests\n\nanswer = requests.${method.toLowerCase()}(\n${made})\nprint(answer.status_code, answer.text)`;
}

/** A value of JSON as Python writes it. */
function pythonValue(value: unknown): string {
	if (value === null) return "None";
	if (typeof value === "boolean") return value ? "True" : "False";
	if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
	if (typeof value !== "object") return JSON.stringify(value);
	const members = Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${pythonValue(part)}`);
	return `{${members.join(", ")}}`;
}

function typescript(one: Listed, call: Call, base: string): string {
	const sdk = sdkCall(one.id);
	if (!sdk) return plainTypescript(one, call);
	const exampleOf = (name: string) => exampleIn(one.parameters.find((known) => known.name === name)?.schema);
	const made = sdk.call.replace(/\{(\w+)\}/g, (_, name: string) => JSON.stringify(exampleOf(name)));
	const [maker, from, secret] = sdk.isKeyed
		? ["createClient", "@svc/sdk", "SVC_API_KEY"]
		: ["createManagement", "@svc/sdk/management", "SVC_TOKEN"];
	const key = call.bearer === undefined ? "null" : `process.env.${secret}`;
	return [
		...(call.isUpload ? [`import { openAsBlob } from "node:fs";`] : []),
		`import { ${maker} } from "${from}";`,
		"",
		`const svc = ${maker}({ baseUrl: "${base}", apiKey: ${key} });`,
		...(call.isUpload ? [`const file = await openAsBlob("${PHOTO}");`] : []),
		`const answer = await ${made};`,
	].join("\n");
}

/** What the SDK has no method for. */
function plainTypescript({ id }: Listed, { method, url, isUpload }: Call): string {
	if (id === "uploadWithTicket") {
		return [
			`import { openAsBlob } from "node:fs";`,
			`import { uploadWithTicket } from "@svc/sdk/uploads/ticket-upload";`,
			"",
			`const answer = await uploadWithTicket(${JSON.stringify(url)}, await openAsBlob("${PHOTO}"));`,
		].join("\n");
	}
	if (id === "openImage") {
		return `import { imageUrl } from "@svc/sdk";\n\nconst small = imageUrl(${JSON.stringify(url)}, { w: 300, format: "webp" });`;
	}
	const form = isUpload ? ", body: form" : "";
	return `const answer = await fetch(${JSON.stringify(url)}, { method: "${method}"${form} });`;
}
