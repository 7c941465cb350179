import type { Answer } from "./answers.ts";

/* What the API document says that a call may answer, compared with what it does answer. */

interface Response {
	readonly $ref?: string;
	readonly headers?: Readonly<Record<string, object>>;
}

interface Operation {
	readonly requestBody?: { readonly content: Readonly<Record<string, object>> };
	readonly responses: Readonly<Record<string, Response>>;
	readonly servers?: readonly object[];
}

interface Document {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
	readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

interface Known {
	readonly document: Document;
	readonly places: readonly { readonly path: string; readonly pattern: RegExp }[];
}

const known = new Map<string, Promise<Known>>();

/** Says what an answer has that the document does not; undefined where it has all. */
export async function undeclared(answer: Answer, type: string | null): Promise<string | undefined> {
	const { variant, readDocument } = answer.deployment;
	known.set(variant, known.get(variant) ?? readDocument().then((read) => placesOf(read as Document)));
	const { document, places } = (await known.get(variant)) as Known;
	const method = answer.method === "HEAD" ? "get" : answer.method.toLowerCase();
	const { pathname } = answer.url;
	const meant = places.filter(({ path, pattern }) => pattern.test(pathname) && document.paths[path]?.[method]);
	// Of two that fit, the one with fewer parameters is meant; what fits none is no call of the document.
	const place = meant.find(({ path }) => path.split("#")[0] === pathname) ?? meant[0];
	if (!place || answer.status === 405 || answer.status === 304) return undefined;
	const json = document.paths[`${place.path}#import`]?.[method];
	const operation = json && type?.startsWith("application/json") ? json : document.paths[place.path]?.[method];
	return operation && faultOf(document, operation, answer);
}

function placesOf(document: Document): Known {
	// What has a server of its own is no call of the API.
	const isOurs = (path: string) => Object.values(document.paths[path] ?? {}).every(({ servers }) => !servers);
	const paths = Object.keys(document.paths).filter((path) => !path.includes("#") && isOurs(path));
	const places = paths.map((path) => ({ path, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) }));
	return { document, places };
}

const OURS = /^(x-|retry-after$|idempotent-replayed$)/;
/** On every answer, of whatever kind. */
const EVERYWHERE = new Set(["x-content-type-options"]);

function faultOf({ components }: Document, { responses }: Operation, { status, headers }: Answer): string | undefined {
	const declared = responses[status];
	if (!declared) return `has a status that the API document does not tell of`;
	const { headers: named = {} } = declared.$ref
		? (components.responses[declared.$ref.split("/").at(-1) ?? ""] ?? {})
		: declared;
	const names = new Set(Object.keys(named).map((name) => name.toLowerCase()));
	const others = [...headers.keys()].filter((name) => OURS.test(name) && !EVERYWHERE.has(name) && !names.has(name));
	return others.length === 0 ? undefined : `has headers that the API document does not tell of: ${others}`;
}
