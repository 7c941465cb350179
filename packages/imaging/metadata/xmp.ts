import { parseXml, type XmlElement, type XmlNode } from "@rgrove/parse-xml";

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

/**
 * A fresh packet with only dc:rights and dc:creator of another; nothing of the original markup is copied. Undefined when neither is
 * there, or when the packet is not UTF-8, too large, malformed or declares a document type (a vehicle for entities).
 */
export function copyrightXmp(xmp: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
	if (xmp.length > MAX_PACKET_BYTES) return undefined;
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(xmp).replaceAll("\0", "");
		if (text.includes("<!DOCTYPE")) return undefined;
		const { root } = parseXml(text.trim());
		if (root === null) return undefined;
		const values: Record<Kept, Value[]> = { creator: [], rights: [] };
		collect(root, new Set(), 0, values);
		return values.creator.length + values.rights.length === 0 ? undefined : new TextEncoder().encode(packet(values));
	} catch {
		// A packet that cannot be read, or one nested until the stack ends, holds no notice that could be kept.
		return undefined;
	}
}

function collect(element: XmlElement, outer: ReadonlySet<string>, depth: number, values: Record<Kept, Value[]>): void {
	if (depth > MAX_DEPTH) return;
	const prefixes = dublinCorePrefixes(element, outer);
	const property = keptName(element.name, prefixes);
	if (property !== undefined) {
		for (const value of listValues(element)) push(values[property], value);
		return;
	}
	// The short form: a simple property may be an attribute of its description.
	for (const [name, text] of Object.entries(element.attributes)) {
		const attribute = keptName(name, prefixes);
		if (attribute !== undefined) push(values[attribute], { text, language: "x-default" });
	}
	for (const child of element.children) {
		if (isElement(child)) collect(child, prefixes, depth + 1, values);
	}
}

/** The prefixes that mean Dublin Core inside an element. Few are kept, so that a thousand declarations cannot multiply the work. */
function dublinCorePrefixes(element: XmlElement, outer: ReadonlySet<string>): ReadonlySet<string> {
	let prefixes = outer;
	for (const [name, uri] of Object.entries(element.attributes)) {
		if (!name.startsWith("xmlns:")) continue;
		const prefix = name.slice("xmlns:".length);
		if (uri === DUBLIN_CORE && prefixes.size < MAX_PREFIXES) prefixes = new Set([...prefixes, prefix]);
		else if (prefixes.has(prefix)) prefixes = new Set([...prefixes].filter((kept) => kept !== prefix));
	}
	return prefixes;
}

function keptName(name: string, prefixes: ReadonlySet<string>): Kept | undefined {
	const [prefix, local, ...rest] = name.split(":");
	if (prefix === undefined || rest.length > 0 || !prefixes.has(prefix)) return undefined;
	return local === "rights" || local === "creator" ? local : undefined;
}

/** The items of an Alt, Seq or Bag, or the text itself where a writer left the container out. */
function listValues(property: XmlElement): Value[] {
	const items = property.children
		.filter(isElement)
		.flatMap((container) => container.children.filter(isElement))
		.filter(({ name }) => name.endsWith(":li"));
	return (items.length === 0 ? [property] : items).map((item) => ({
		text: item.text,
		language: item.attributes["xml:lang"] ?? "x-default",
	}));
}

function push(list: Value[], { text, language }: Value): void {
	const trimmed = [...text.trim()].slice(0, MAX_VALUE_CHARACTERS).join("");
	if (trimmed !== "" && list.length < MAX_VALUES) list.push({ text: trimmed, language: language.slice(0, 35) });
}

function isElement(node: XmlNode): node is XmlElement {
	return node.type === "element";
}

function packet(values: Record<Kept, Value[]>): string {
	const properties = (Object.keys(KEPT) as Kept[])
		.filter((name) => values[name].length > 0)
		.map((name) => propertyXml(name, values[name]));
	return [
		'<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
		'<x:xmpmeta xmlns:x="adobe:ns:meta/">',
		'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
		`<rdf:Description rdf:about="" xmlns:dc="${DUBLIN_CORE}">`,
		...properties,
		"</rdf:Description></rdf:RDF></x:xmpmeta>",
		'<?xpacket end="r"?>',
	].join("");
}

function propertyXml(name: Kept, values: readonly Value[]): string {
	const items = values.map(({ text, language }) =>
		KEPT[name] === "Alt"
			? `<rdf:li xml:lang="${escapeXml(language)}">${escapeXml(text)}</rdf:li>`
			: `<rdf:li>${escapeXml(text)}</rdf:li>`,
	);
	return `<dc:${name}><rdf:${KEPT[name]}>${items.join("")}</rdf:${KEPT[name]}></dc:${name}>`;
}

function escapeXml(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
