import { parseXml, type XmlElement, type XmlNode, XmlText } from "@rgrove/parse-xml";

/** Real packets are a few KB; an extended one may be megabytes of edit history, which need not be parsed. */
const MAX_PACKET_BYTES = 256_000;
/** Statements and creators kept; more is not attribution. */
const MAX_VALUES = 20;
const MAX_VALUE_CHARACTERS = 2_000;
/** Anything deeper is built to exhaust something. RDF needs about six levels. */
const MAX_DEPTH = 64;
const MAX_PREFIXES = 4;

const DUBLIN_CORE = "http://purl.org/dc/elements/1.1/";

/** Kept properties and the RDF container that the XMP specification, part 1, section 8.3 gives each. */
const KEPT = { creator: "Seq", rights: "Alt" } as const;
type Kept = keyof typeof KEPT;

interface Value {
	readonly text: string;
	/** Set only for the alternatives of `rights`. */
	readonly language: string;
}

/** A statement that a packet makes, in whichever of its forms. */
export interface XmpProperty {
	readonly uri: string;
	readonly name: string;
	readonly values: readonly Value[];
}

/** Names of properties by the address of their namespace. */
type Wanted = ReadonlyMap<string, ReadonlySet<string>>;

const COPYRIGHT: Wanted = new Map([[DUBLIN_CORE, new Set(Object.keys(KEPT))]]);

/**
 * A fresh packet with only dc:rights and dc:creator of another, and with `more`: descriptions that were made here. Nothing of the
 * original markup is copied. Undefined when there is nothing to say. A packet that is not UTF-8, too large, malformed or declares a document
 * type (a vehicle for entities) says nothing.
 */
export function copyrightXmp(xmp: Uint8Array, more: readonly string[] = []): Uint8Array<ArrayBuffer> | undefined {
	const values: Record<Kept, Value[]> = { creator: [], rights: [] };
	const root = parsePacket(xmp);
	for (const property of root ? propertiesOf(root, COPYRIGHT) : []) {
		const list = values[property.name as Kept];
		for (const value of property.values) push(list, value);
	}
	const stated = values.creator.length + values.rights.length > 0;
	const descriptions = stated ? [description(values), ...more] : more;
	return descriptions.length === 0 ? undefined : packet(descriptions);
}

/** The outermost element of a packet that can be read within our bounds. */
export function parsePacket(xmp: Uint8Array): XmlElement | undefined {
	if (xmp.length > MAX_PACKET_BYTES) return undefined;
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(xmp).replaceAll("\0", "");
		if (text.includes("<!DOCTYPE")) return undefined;
		return parseXml(text.trim(), { includeOffsets: true }).root ?? undefined;
	} catch {
		// A packet that cannot be read, or one nested until the stack ends, says nothing.
		return undefined;
	}
}

/** What a packet says of the wanted properties, as elements or, in the short form, as attributes of their description. */
export function* propertiesOf(
	element: XmlElement,
	wanted: Wanted,
	outer: ReadonlyMap<string, string> = new Map(),
	depth = 0,
): Generator<XmpProperty> {
	if (depth > MAX_DEPTH) return;
	const spaces = namespaces(element, wanted, outer);
	const property = wantedName(element.name, spaces, wanted);
	if (property) {
		yield { ...property, values: listValues(element) };
		return;
	}
	for (const [name, text] of Object.entries(element.attributes)) {
		const attribute = wantedName(name, spaces, wanted);
		if (attribute) yield { ...attribute, values: [{ text, language: "x-default" }] };
	}
	for (const child of element.children) {
		if (isElement(child)) yield* propertiesOf(child, wanted, spaces, depth + 1);
	}
}

/**
 * What the prefixes inside an element mean, where that is wanted. Few of each meaning are kept, so that a thousand declarations cannot
 * multiply the work.
 */
function namespaces(
	element: XmlElement,
	wanted: Wanted,
	outer: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
	let inner = outer;
	for (const [name, uri] of Object.entries(element.attributes)) {
		if (!name.startsWith("xmlns:")) continue;
		const prefix = name.slice("xmlns:".length);
		const isNew = wanted.has(uri) && [...inner.values()].filter((one) => one === uri).length < MAX_PREFIXES;
		if (isNew) inner = new Map([...inner, [prefix, uri]]);
		else if (inner.has(prefix)) inner = new Map([...inner].filter(([kept]) => kept !== prefix));
	}
	return inner;
}

function wantedName(
	qualified: string,
	spaces: ReadonlyMap<string, string>,
	wanted: Wanted,
): Pick<XmpProperty, "uri" | "name"> | undefined {
	const [prefix = "", name = "", ...rest] = qualified.split(":");
	const uri = rest.length === 0 ? spaces.get(prefix) : undefined;
	return uri !== undefined && wanted.get(uri)?.has(name) ? { uri, name } : undefined;
}

/** The items of an Alt, Seq or Bag, or the text itself where a writer left the container out. */
function listValues(property: XmlElement): Value[] {
	const items = property.children
		.filter(isElement)
		.flatMap((container) => container.children.filter(isElement))
		.filter(({ name }) => name.endsWith(":li"));
	return (items.length === 0 ? [property] : items).map((item) => ({
		text: textOf(item),
		language: item.attributes["xml:lang"] ?? "x-default",
	}));
}

/** The parser's own way to the text goes down without a bound, and may end the stack where parsing just did not. */
function textOf(element: XmlElement, depth = 0): string {
	if (depth > MAX_DEPTH) return "";
	return element.children
		.map((node) => (node instanceof XmlText ? node.text : isElement(node) ? textOf(node, depth + 1) : ""))
		.join("");
}

function push(list: Value[], { text, language }: Value): void {
	const trimmed = [...text.trim()].slice(0, MAX_VALUE_CHARACTERS).join("");
	if (trimmed !== "" && list.length < MAX_VALUES) list.push({ text: trimmed, language: language.slice(0, 35) });
}

export function isElement(node: XmlNode): node is XmlElement {
	return node.type === "element";
}

/** A whole packet of descriptions that are well-formed. */
export function packet(descriptions: readonly string[]): Uint8Array<ArrayBuffer> {
	const text = [
		'<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
		'<x:xmpmeta xmlns:x="adobe:ns:meta/">',
		'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
		...descriptions,
		"</rdf:RDF></x:xmpmeta>",
		'<?xpacket end="r"?>',
	].join("");
	return new TextEncoder().encode(text);
}

function description(values: Readonly<Record<Kept, readonly Value[]>>): string {
	const properties = (Object.keys(KEPT) as Kept[])
		.filter((name) => values[name].length > 0)
		.map((name) => propertyXml(name, values[name]));
	return `<rdf:Description rdf:about="" xmlns:dc="${DUBLIN_CORE}">${properties.join("")}</rdf:Description>`;
}

function propertyXml(name: Kept, values: readonly Value[]): string {
	const items = values.map(({ text, language }) =>
		KEPT[name] === "Alt"
			? `<rdf:li xml:lang="${escapeXml(language)}">${escapeXml(text)}</rdf:li>`
			: `<rdf:li>${escapeXml(text)}</rdf:li>`,
	);
	return `<dc:${name}><rdf:${KEPT[name]}>${items.join("")}</rdf:${KEPT[name]}></dc:${name}>`;
}

export function escapeXml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
