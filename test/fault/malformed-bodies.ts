import { damaged } from "./damage.ts";
import type { Dice } from "./seed.ts";

/* Bodies for the malformed requests: from nearly right to noise. */

type Bytes = Uint8Array<ArrayBuffer>;

export interface Body {
	readonly bytes: Bytes;
	readonly contentType: string;
}

/** What bodies are made of. */
export interface Material {
	/** Small whole pictures, one of each format. */
	readonly pictures: readonly Bytes[];
	/** Images that exist. */
	readonly imageIds: readonly string[];
}

const encoder = new TextEncoder();

/** JSON texts of values that no field takes, or only some. */
const VALUES = [
	"null",
	"true",
	"-0",
	"1e400",
	"-1e400",
	"9007199254740993",
	"0.1e-400",
	"1".repeat(400),
	'""',
	'"\\u0000"',
	'"\\ud800"',
	'"\\udc00\\ud800"',
	'"24h"',
	'"never"',
	'"2024-02-30"',
	'"0000-01-01T00:00+14:00"',
	"1700000000",
	"[]",
	"{}",
	'{"__proto__":"x"}',
	'{"constructor":{"prototype":null}}',
	'{"k":"v"}',
	'{"k":null}',
	'{"k":"a,b"}',
	'{"a":"1","a":"2"}',
	`{"${"k".repeat(5_000)}":"v"}`,
	`"${"x".repeat(5_001)}"`,
	"[[[[[[[[[[]]]]]]]]]]",
] as const;

const NAMES = [
	...["caption", "ttl", "published_at", "metadata", "labels", "if_labels", "public", "ids", "url", "file"],
	...["id", "nsfw", "filename", "__proto__", "constructor", "toString", "", "\\u0000", "\\ud800", "x".repeat(300)],
];

function jsonText(dice: Dice, { imageIds }: Material): string {
	const members = Array.from({ length: dice.below(5) }, () => `"${dice.pick(NAMES)}":${dice.pick(VALUES)}`);
	if (dice.chance(0.2)) members.push('"url":"ftp://localhost/a"');
	if (dice.chance(0.4)) members.push(`"ids":${ids(dice, imageIds)}`);
	return `{${members.join(",")}}`;
}

function ids(dice: Dice, imageIds: readonly string[]): string {
	const one = () => (dice.chance(0.5) ? `"${dice.pick(imageIds)}"` : dice.pick(VALUES));
	return `[${Array.from({ length: dice.pick([0, 1, 2, 100, 101]) }, one).join(",")}]`;
}

function nested(dice: Dice): string {
	const depth = dice.pick([31, 32, 33, 1_000, 100_000]);
	const [open, close] = dice.pick([
		["[", "]"],
		['{"a":', "}"],
	] as const);
	return `{"metadata":${open.repeat(depth)}${dice.pick(["", "0", '"'])}${close.repeat(dice.pick([depth, 0]))}}`;
}

/** Long texts on which a careless reader works far longer than they are. */
function laborious(dice: Dice): string {
	const unit = dice.pick(['\\"', '"', "\\", '"\\', "[]", '{"":', " ", "\\u0000", "é"]);
	return `${dice.pick(["", '"', '{"caption":"'])}${unit.repeat(dice.pick([1_000, 60_000, 200_000]) / unit.length)}`;
}

function json(dice: Dice, material: Material): Bytes {
	const text = dice.pick([jsonText, jsonText, jsonText, jsonText, jsonText, nested])(dice, material);
	const bytes = encoder.encode(dice.chance(0.01) ? laborious(dice) : text);
	return dice.chance(0.4) ? damaged(bytes, dice) : bytes;
}

const DISPOSITIONS = [
	'form-data; name="file"; filename="a.png"',
	'form-data; name="file"',
	'form-data; name="avatar"; filename="b"',
	'form-data; name="file"; filename="..\\\\..\\/\0é.png"',
	"form-data; name=\"file\"; filename*=utf-16''%ff%fe",
	'form-data; name=""',
	"form-data",
	"attachment; name=caption",
	'form-data; name="__proto__"',
	`form-data; name="${"n".repeat(300)}"`,
];

const CAPTION = "caption";

function part(dice: Dice, { pictures }: Material): Bytes[] {
	const type = dice.pick([
		"",
		"Content-Type: image/png\r\n",
		"Content-Type: text/plain; charset=utf-16\r\n",
		"X: \xff\r\n",
	]);
	if (dice.chance(0.65)) {
		const picture = dice.pick(pictures);
		const disposition = dice.chance(0.7) ? DISPOSITIONS[0] : dice.pick(DISPOSITIONS);
		const head = encoder.encode(`Content-Disposition: ${disposition}\r\n${type}\r\n`);
		return [head, dice.chance(0.5) ? damaged(picture, dice) : picture];
	}
	const name = dice.chance(0.5) ? CAPTION : dice.pick(NAMES);
	const head = `Content-Disposition: form-data; name="${name}"\r\n${dice.chance(0.1) ? type : ""}\r\n`;
	return [encoder.encode(head + dice.pick(VALUES))];
}

/** A create that should succeed, unless its fields say otherwise. */
function wholePart(dice: Dice, { pictures }: Material): Bytes[] {
	return [encoder.encode(`Content-Disposition: ${DISPOSITIONS[0]}\r\n\r\n`), dice.pick(pictures)];
}

function multipart(dice: Dice, material: Material): Body {
	const whole = dice.chance(0.15);
	const boundary = whole ? "b" : dice.pick(["b", "----WebKitFormBoundaryAAAA", "-", "é", "x".repeat(200)]);
	const count = whole ? 1 : dice.pick([0, 1, 1, 1, 2, 2, 3, 17, 30]);
	const pieces = Array.from({ length: count }, () => [
		encoder.encode(`--${boundary}\r\n`),
		...(whole ? wholePart : part)(dice, material),
		encoder.encode("\r\n"),
	]);
	const end = encoder.encode(`--${boundary}${whole || dice.chance(0.95) ? "--" : ""}`);
	const joined = new Uint8Array(Buffer.concat([...pieces.flat(), end]));
	const bytes = !whole && dice.chance(0.4) ? damaged(joined, dice) : joined;
	const sent = encodeURI(whole || dice.chance(0.95) ? boundary : `${boundary}x`);
	const quote = dice.pick(["", '"']);
	return { bytes, contentType: `multipart/form-data; boundary=${quote}${sent}${quote}` };
}

const TYPES = [
	"application/json",
	"APPLICATION/JSON ; charset=utf-16",
	"multipart/form-data",
	"multipart/form-data; boundary=",
	"multipart/mixed; boundary=b",
	"application/x-www-form-urlencoded",
	"image/png",
	";",
	"",
	"a".repeat(9_000),
];

export function malformedBody(dice: Dice, material: Material): Body {
	const body = dice.pick([
		() => ({ bytes: json(dice, material), contentType: "application/json" }),
		() => multipart(dice, material),
		() => multipart(dice, material),
		() => ({ bytes: dice.bytes(dice.below(300)), contentType: dice.pick(TYPES) }),
		() => ({ bytes: damaged(dice.pick(material.pictures), dice), contentType: dice.pick(TYPES) }),
	])();
	return dice.chance(0.05) ? { ...body, contentType: dice.pick(TYPES) } : body;
}
