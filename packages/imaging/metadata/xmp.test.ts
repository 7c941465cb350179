import { describe, expect, test } from "bun:test";
import { copyrightXmp } from "./xmp.ts";

const DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/"';
const RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"';

function rewrite(xml: string): string | undefined {
	const result = copyrightXmp(new TextEncoder().encode(xml));
	return result && new TextDecoder("utf-8", { ignoreBOM: true }).decode(result);
}

const describeWith = (attributes: string, content: string) =>
	`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF ${RDF}><rdf:Description ${attributes}>${content}</rdf:Description></rdf:RDF></x:xmpmeta>`;

/** Less is mostly the clock. */
const LEAST_US = 1_000;

/** Microseconds of processor time: what a busy machine does meanwhile does not count. */
function costOf(xml: string): number {
	const before = process.cpuUsage();
	rewrite(xml);
	const { user, system } = process.cpuUsage(before);
	return user + system;
}

describe("the packet with the copyright alone", () => {
	test("holds rights with their languages and creators, and nothing else", () => {
		const xml = describeWith(
			`${DC} xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="51,30N"`,
			`<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© A &amp; B</rdf:li><rdf:li xml:lang="de">Rechte</rdf:li></rdf:Alt></dc:rights>
			<dc:creator><rdf:Seq><rdf:li>次田</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator><dc:title>Home</dc:title>`,
		);
		const packet = rewrite(`<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>${xml}<?xpacket end="w"?>`);
		expect(packet).toBe(
			'<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">' +
				`<rdf:RDF ${RDF}><rdf:Description rdf:about="" ${DC}>` +
				"<dc:creator><rdf:Seq><rdf:li>次田</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator>" +
				'<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">© A &amp; B</rdf:li><rdf:li xml:lang="de">Rechte</rdf:li></rdf:Alt></dc:rights>' +
				'</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="r"?>',
		);
		expect(rewrite(packet ?? "")).toBe(packet as string);
	});

	test("understands attributes, missing containers and other prefixes", () => {
		expect(rewrite(describeWith(`${DC} dc:rights="Ann"`, ""))).toContain(">Ann</rdf:li></rdf:Alt></dc:rights>");
		expect(rewrite(describeWith(DC, "<dc:creator>Ann</dc:creator>"))).toContain("<rdf:li>Ann</rdf:li>");
		const other = 'xmlns:d="http://purl.org/dc/elements/1.1/"';
		expect(rewrite(describeWith(other, "<d:creator>Ann</d:creator>"))).toContain("<rdf:li>Ann</rdf:li>");
	});

	test("believes the namespace, not the prefix", () => {
		expect(rewrite(describeWith('xmlns:dc="urn:other"', "<dc:creator>Ann</dc:creator>"))).toBeUndefined();
		expect(rewrite(describeWith(DC, '<a xmlns:dc="urn:other"><dc:creator>Ann</dc:creator></a>'))).toBeUndefined();
	});

	test("copies no markup: text stays text", () => {
		const packet = rewrite(describeWith(DC, '<dc:creator>&lt;script&gt;"&amp;amp;<b>x</b></dc:creator>'));
		expect(packet).toContain("<rdf:li>&lt;script&gt;&quot;&amp;amp;x</rdf:li>");
	});

	test.each([
		["nothing", ""],
		["no XML", "hello"],
		["no notice", describeWith(DC, "<dc:title>x</dc:title>")],
		["a blank notice", describeWith(DC, "<dc:rights> </dc:rights>")],
		["entities", `<!DOCTYPE x [<!ENTITY a "b">]>${describeWith(DC, "<dc:creator>&a;</dc:creator>")}`],
		["an unknown entity", describeWith(DC, "<dc:creator>&a;</dc:creator>")],
		["a packet over the bound", describeWith(DC, `<dc:creator>${"a".repeat(300_000)}</dc:creator>`)],
	])("is not made of %s", (_, xml) => {
		expect(rewrite(xml)).toBeUndefined();
	});

	test("is not made of UTF-16 or torn UTF-8", () => {
		expect(copyrightXmp(Uint8Array.of(0xff, 0xfe, 0x3c, 0))).toBeUndefined();
		expect(copyrightXmp(Uint8Array.of(0x3c, 0x61, 0xe2, 0x82))).toBeUndefined();
	});

	test.each([
		["nesting", (k: number) => "<a>".repeat(80 * k)],
		["closed nesting", (k: number) => `${"<a>".repeat(36 * k)}${"</a>".repeat(36 * k)}`],
		[
			"nesting in a notice",
			(k: number) => describeWith(DC, `<dc:rights>${"<a>".repeat(30 * k)}${"</a>".repeat(30 * k)}</dc:rights>`),
		],
		["open tags", (k: number) => "<a</".repeat(60 * k)],
		[
			"prefixes",
			(k: number) =>
				`<a ${Array.from({ length: 8 * k }, (_, n) => `xmlns:a${n}=""`).join(" ")}>${"<b xmlns:c='d'/>".repeat(6 * k)}</a>`,
		],
		["references", (k: number) => `<a>${"&amp;".repeat(50 * k)}</a>`],
	])("hostile %s costs no more than its length", (_, xml) => {
		const [small, large] = [xml(125), xml(1_000)];
		// What grew with the square of the length would take 64 times as much, on any machine and in every try.
		let times = Number.POSITIVE_INFINITY;
		for (let tries = 0; tries < 10 && times > 24; tries++)
			times = Math.min(times, costOf(large) / Math.max(LEAST_US, costOf(small)));
		expect(times).toBeLessThanOrEqual(24);
	});

	test("keeps a bounded number of bounded values", () => {
		const items = `<rdf:li>${"a".repeat(3_000)}</rdf:li>`.repeat(70);
		const packet = rewrite(describeWith(DC, `<dc:creator><rdf:Seq>${items}</rdf:Seq></dc:creator>`)) ?? "";
		expect(packet.split("<rdf:li>").length - 1).toBe(20);
		expect(packet.length).toBeLessThan(42_000);
	});
});
