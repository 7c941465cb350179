import type { Extent } from "@svc/images/layout/extent";
import { svgExtent } from "./svg-extent.ts";

/*
 * Enough of XML to tell a whole SVG from something else, by indexes and without a tree: a browser shows nothing at all of a file that
 * is not well-formed. Nothing is expanded, fetched or run, and every letter is looked at a bounded number of times.
 */

/** The message follows the words "is an SVG file but". */
export class SvgFault extends Error {
	override readonly name = "SvgFault";
}

export interface SvgHead {
	readonly extent: Extent;
	/** Index of the start of the root element. */
	readonly rootAt: number;
}

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
/** Browsers give up at a depth of this order as well. */
const MAX_DEPTH = 1_000;
const MAX_ATTRIBUTES = 1_000;
/** Letters between two turns of the event loop. */
const SLICE = 100_000;

const SPACE = /[ \t\r\n]*/y;
const NAME = /[^\s<>/=!?'"&]+/y;
const ATTRIBUTE = /[ \t\r\n]+([^\s<>/=!?'"&]+)[ \t\r\n]*=[ \t\r\n]*("[^"<]*"|'[^'<]*')/y;
const ENCODING = /\sencoding\s*=\s*["']([^"']*)["']/;
/** An ampersand that begins neither a number nor one of the five names that need no declaration. */
const UNKNOWN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-fA-F]{1,6});)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML leaves out.
const NO_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;

/**
 * Reads up to the root element: what it is and how large.
 * @throws SvgFault
 */
export function readSvgHead(text: string): SvgHead {
	const at = skipProlog(text);
	const root = readTag(text, at);
	const { name, attributes } = root;
	const [prefix, local] = name.includes(":") ? name.split(":", 2) : ["", name];
	if (local !== "svg") throw new SvgFault(`its root element is ${name.slice(0, 40)}`);
	const namespace = attributes.get(prefix ? `xmlns:${prefix}` : "xmlns");
	if (namespace !== SVG_NAMESPACE) throw new SvgFault(`its root element lacks xmlns="${SVG_NAMESPACE}"`);
	return { extent: svgExtent(attributes), rootAt: at };
}

/**
 * Follows the whole file, a slice at a time.
 * @throws SvgFault
 */
export async function checkSvg(text: string): Promise<void> {
	if (NO_XML.test(text)) throw new SvgFault("it holds control characters");
	const open: string[] = [];
	let pausedAt = 0;
	let at = readSvgHead(text).rootAt;
	do {
		at = skipNode(text, at, open);
		if (at - pausedAt < SLICE) continue;
		pausedAt = at;
		await new Promise((resolve) => setImmediate(resolve));
	} while (open.length > 0);
	if (skipMisc(text, at) < text.length) throw new SvgFault("something follows its root element");
}

/** XML declaration, comments, instructions, and a document type without declarations of its own. */
function skipProlog(text: string): number {
	let at = text.startsWith("\ufeff") ? 1 : 0;
	if (text.startsWith("<?xml", at)) {
		const end = endOf(text, at, "?>");
		const encoding = ENCODING.exec(text.slice(at, end))?.[1]?.toLowerCase() ?? "utf-8";
		if (encoding !== "utf-8" && encoding !== "us-ascii") throw new SvgFault("it is not in UTF-8");
		at = end;
	}
	at = skipMisc(text, at);
	if (text.startsWith("<!DOCTYPE", at)) at = skipMisc(text, skipDoctype(text, at));
	if (text[at] !== "<") throw new SvgFault("text comes before its root element");
	return at;
}

function skipDoctype(text: string, from: number): number {
	const end = endOf(text, from, ">");
	// Declarations are what a few letters can be blown up with to billions.
	if (text.slice(from, end).includes("[")) throw new SvgFault("its DOCTYPE holds declarations");
	return end;
}

/** White space, comments and instructions. */
function skipMisc(text: string, from: number): number {
	for (let at = from; ; ) {
		at = matchAt(SPACE, text, at).end;
		if (text.startsWith("<!--", at)) at = endOf(text, at + 4, "-->");
		else if (text.startsWith("<?", at)) at = endOf(text, at, "?>");
		else return at;
	}
}

/** One tag, one run of text, or one of what has no tags in it. `open` is where we are. */
function skipNode(text: string, at: number, open: string[]): number {
	if (at >= text.length) throw new SvgFault(`it ends inside ${open.at(-1)?.slice(0, 40)}`);
	if (text[at] !== "<") return skipText(text, at);
	if (text[at + 1] === "!") return skipDeclaration(text, at);
	if (text[at + 1] === "?") return endOf(text, at, "?>");
	if (text[at + 1] === "/") return closeTag(text, at, open);
	const { name, empty, end } = readTag(text, at);
	if (!empty) open.push(name);
	if (open.length > MAX_DEPTH) throw new SvgFault(`its elements lie more than ${MAX_DEPTH} deep`);
	return end;
}

function skipText(text: string, at: number): number {
	const next = text.indexOf("<", at);
	const end = next < 0 ? text.length : next;
	refuseEntities(text.slice(at, end));
	return end;
}

function skipDeclaration(text: string, at: number): number {
	if (text.startsWith("<!--", at)) return endOf(text, at + 4, "-->");
	if (text.startsWith("<![CDATA[", at)) return endOf(text, at, "]]>");
	throw new SvgFault("it holds a declaration among its elements");
}

function closeTag(text: string, at: number, open: string[]): number {
	const name = open.pop() ?? "";
	const end = at + 2 + name.length;
	const after = matchAt(SPACE, text, end).end;
	if (!text.startsWith(name, at + 2) || text[after] !== ">") {
		throw new SvgFault(`its ${name.slice(0, 40)} is not closed`);
	}
	return after + 1;
}

interface Tag {
	readonly name: string;
	readonly attributes: ReadonlyMap<string, string>;
	readonly empty: boolean;
	readonly end: number;
}

function readTag(text: string, at: number): Tag {
	const {
		end: nameEnd,
		groups: [name = ""],
	} = matchAt(NAME, text, at + 1);
	if (name === "") throw new SvgFault("one of its tags has no name");
	const attributes = new Map<string, string>();
	let end = nameEnd;
	for (;;) {
		const attribute = matchAt(ATTRIBUTE, text, end);
		const [whole, key = "", quoted = ""] = attribute.groups;
		if (whole === undefined) break;
		if (attributes.has(key)) throw new SvgFault(`its ${name.slice(0, 40)} has an attribute twice`);
		if (attributes.size >= MAX_ATTRIBUTES) throw new SvgFault(`an element has more than ${MAX_ATTRIBUTES} attributes`);
		refuseEntities(quoted);
		attributes.set(key, quoted.slice(1, -1));
		end = attribute.end;
	}
	end = matchAt(SPACE, text, end).end;
	const empty = text[end] === "/";
	if (empty) end += 1;
	if (text[end] !== ">") throw new SvgFault(`its ${name.slice(0, 40)} is not written as a tag`);
	return { name, attributes, empty, end: end + 1 };
}

function refuseEntities(text: string): void {
	if (UNKNOWN_ENTITY.test(text)) throw new SvgFault("it uses entities that are not declared");
}

/** Index behind the mark. */
function endOf(text: string, from: number, mark: string): number {
	const at = text.indexOf(mark, from);
	if (at < 0) throw new SvgFault(`${mark} is missing in it`);
	return at + mark.length;
}

/** Matches a sticky expression; without a match nothing is consumed. */
function matchAt(
	expression: RegExp,
	text: string,
	at: number,
): { end: number; groups: readonly (string | undefined)[] } {
	expression.lastIndex = at;
	const match = expression.exec(text);
	return match ? { end: expression.lastIndex, groups: match } : { end: at, groups: [] };
}
