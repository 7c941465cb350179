import type { XmlElement } from "@rgrove/parse-xml";
import { escapeXml, isElement, packet, parsePacket, propertiesOf, type XmpProperty } from "./xmp.ts";

/* What XMP says about a gain map: the numbers by which it is applied, and that there is one at all. */

/** The statements that are kept, by the prefix that we write. Those of the first two are the numbers. */
const STATEMENTS = {
	hdrgm: {
		uri: "http://ns.adobe.com/hdr-gain-map/1.0/",
		names: [
			"Version",
			"BaseRenditionIsHDR",
			"GainMapMin",
			"GainMapMax",
			"Gamma",
			"OffsetSDR",
			"OffsetHDR",
			"HDRCapacityMin",
			"HDRCapacityMax",
		],
	},
	HDRGainMap: {
		uri: "http://ns.apple.com/HDRGainMap/1.0/",
		names: ["HDRGainMapVersion", "HDRGainMapHeadroom"],
	},
	apdi: {
		uri: "http://ns.apple.com/pixeldatainfo/1.0/",
		names: ["AuxiliaryImageType", "NativeFormat", "StoredFormat"],
	},
} as const;

type Prefix = keyof typeof STATEMENTS;

const PREFIXES = Object.keys(STATEMENTS) as Prefix[];
const APPLE_GAIN_MAP = "urn:com:apple:photo:2020:aux:hdrgainmap";
/** Numbers and truths only: text of any other kind could be about anything. */
const VALUE = /^(?:[-+]?[\d.]{1,30}(?:e[-+]?\d{1,3})?|true|false)$/i;
/** One for each channel. */
const MAX_VALUES = 3;

/** Container and items: the table of contents of an Ultra HDR file. */
const CONTAINER = "http://ns.google.com/photos/1.0/container/";
const ITEM = "http://ns.google.com/photos/1.0/container/item/";

export interface GainMapProperty {
	readonly prefix: Prefix;
	readonly name: string;
	readonly values: readonly string[];
}

/** Nothing where the packet does not speak of a gain map, or only of what it is stored as. */
export function gainMapProperties(xmp: Uint8Array): readonly GainMapProperty[] {
	const root = parsePacket(xmp);
	if (!root) return [];
	const wanted = new Map(
		PREFIXES.map((prefix) => [STATEMENTS[prefix].uri as string, new Set<string>(STATEMENTS[prefix].names)]),
	);
	const found = new Map<string, GainMapProperty>();
	for (const property of propertiesOf(root, wanted)) {
		const kept = keptProperty(property);
		if (kept) found.set(`${kept.prefix}:${kept.name}`, kept);
	}
	const all = [...found.values()].sort((a, b) => (`${a.prefix}${a.name}` < `${b.prefix}${b.name}` ? -1 : 1));
	const isAbout = ({ prefix, name }: GainMapProperty) => prefix !== "apdi" || name === "AuxiliaryImageType";
	return all.some(isAbout) ? all : [];
}

function keptProperty({ uri, name, values }: XmpProperty): GainMapProperty | undefined {
	const prefix = PREFIXES.find((one) => STATEMENTS[one].uri === uri);
	const texts = values.slice(0, MAX_VALUES).map(({ text }) => text.trim());
	const valid = (text: string) => (name === "AuxiliaryImageType" ? text === APPLE_GAIN_MAP : VALUE.test(text));
	return prefix && texts.length > 0 && texts.every(valid) ? { prefix, name, values: texts } : undefined;
}

/** The same statements, written anew. */
export function describeProperties(properties: readonly GainMapProperty[]): string {
	const prefixes = [...new Set(properties.map(({ prefix }) => prefix))];
	const spaces = prefixes.map((prefix) => ` xmlns:${prefix}="${STATEMENTS[prefix].uri}"`);
	const single = properties.filter(({ values }) => values.length === 1);
	const lists = properties.filter(({ values }) => values.length > 1);
	const attributes = single.map(({ prefix, name, values }) => ` ${prefix}:${name}="${escapeXml(values.join())}"`);
	const elements = lists.map(({ prefix, name, values }) => {
		const items = values.map((value) => `<rdf:li>${escapeXml(value)}</rdf:li>`).join("");
		return `<${prefix}:${name}><rdf:Seq>${items}</rdf:Seq></${prefix}:${name}>`;
	});
	return `<rdf:Description rdf:about=""${spaces.join("")}${attributes.join("")}>${elements.join("")}</rdf:Description>`;
}

/** The table of contents of a file with a gain map of that many bytes behind the picture. */
export function containerOf(mapBytes: number): string {
	const item = (facts: string) =>
		`<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" ${facts}/></rdf:li>`;
	return [
		`<rdf:Description rdf:about="" xmlns:Container="${CONTAINER}" xmlns:Item="${ITEM}"><Container:Directory><rdf:Seq>`,
		item('Item:Semantic="Primary"'),
		item(`Item:Semantic="GainMap" Item:Length="${mapBytes}"`),
		"</rdf:Seq></Container:Directory></rdf:Description>",
	].join("");
}

/** A packet that says more; undefined where it does not end as packets do. */
export function withDescriptions(
	xmp: Uint8Array | undefined,
	more: readonly string[],
): Uint8Array<ArrayBuffer> | undefined {
	if (xmp === undefined) return packet(more);
	const text = new TextDecoder().decode(xmp);
	const end = text.lastIndexOf("</rdf:RDF>");
	return end < 0 ? undefined : new TextEncoder().encode(text.slice(0, end) + more.join("") + text.slice(end));
}

const ANNOUNCING: readonly string[] = [...PREFIXES.map((prefix) => STATEMENTS[prefix].uri), CONTAINER, ITEM];

/**
 * A packet for a file without a gain map: all of it but what speaks of one. Undefined where such words stand in a packet that cannot be
 * read.
 */
export function withoutGainMap(xmp: Uint8Array): Uint8Array | undefined {
	const text = new TextDecoder()
		.decode(xmp)
		.replaceAll("\0", "")
		.replaceAll("\r\n", "\n")
		.replace(/^\ufeff/, "");
	if (!ANNOUNCING.some((uri) => text.includes(uri))) return xmp;
	const trimmed = text.trim();
	const root = parsePacket(new TextEncoder().encode(trimmed));
	if (!root) return undefined;
	const cuts: Cut[] = [];
	findCuts(root, trimmed, new Set(), cuts);
	return new TextEncoder().encode(without(trimmed, cuts));
}

interface Cut {
	readonly start: number;
	readonly end: number;
}

/** Elements of those names go whole; of others, their attributes of those names, and where the names are declared. */
function findCuts(element: XmlElement, text: string, outer: ReadonlySet<string>, cuts: Cut[]): void {
	const prefixes = announcingPrefixes(element, outer);
	if (prefixes.has(prefixOf(element.name))) {
		cuts.push({ start: element.start, end: element.end });
		return;
	}
	const tagEnd = element.children[0]?.start ?? element.end;
	for (const prefix of prefixes) {
		const attribute = new RegExp(`\\s(?:xmlns:${prefix}|${prefix}:[\\w.-]+)\\s*=\\s*(?:"[^"]*"|'[^']*')`, "g");
		for (const { 0: found, index } of text.slice(element.start, tagEnd).matchAll(attribute)) {
			cuts.push({ start: element.start + index, end: element.start + index + found.length });
		}
	}
	for (const child of element.children.filter(isElement)) findCuts(child, text, prefixes, cuts);
}

/** Few are followed, so that a thousand declarations cannot multiply the work. */
const MAX_PREFIXES = 16;

function announcingPrefixes(element: XmlElement, outer: ReadonlySet<string>): ReadonlySet<string> {
	const prefixes = new Set(outer);
	for (const [name, uri] of Object.entries(element.attributes)) {
		if (!/^xmlns:[A-Za-z_][\w-]*$/.test(name)) continue;
		const prefix = name.slice("xmlns:".length);
		if (ANNOUNCING.includes(uri) && prefixes.size < MAX_PREFIXES) prefixes.add(prefix);
		else prefixes.delete(prefix);
	}
	return prefixes;
}

function prefixOf(name: string): string {
	return name.slice(0, Math.max(0, name.indexOf(":")));
}

function without(text: string, cuts: readonly Cut[]): string {
	let left = "";
	let at = 0;
	for (const { start, end } of [...cuts].sort((a, b) => a.start - b.start)) {
		left += text.slice(at, Math.max(at, start));
		at = Math.max(at, end);
	}
	return left + text.slice(at);
}
