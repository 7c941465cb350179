import fc from "fast-check";

/* Multipart bodies as RFC 7578 and RFC 2046 allow them, further afield than any one client goes. */

type Bytes = Uint8Array<ArrayBuffer>;

interface Part {
	readonly name: string;
	readonly value: string;
}

export interface Upload {
	readonly boundary: string;
	readonly contentType: string;
	readonly fields: readonly Part[];
	readonly file: { readonly filename: string | undefined; readonly type: string | undefined; readonly bytes: Bytes };
	readonly body: Bytes;
}

const BOUNDARY_LETTERS = [..."abcXYZ019'()+_,-./:=?"];

const boundaries = fc
	.tuple(
		fc.constantFrom("", "-", "--", "----WebKitFormBoundary"),
		fc.string({ unit: fc.constantFrom(...BOUNDARY_LETTERS), minLength: 1, maxLength: 40 }),
	)
	.map((halves) => halves.join(""));

const names = fc.oneof(
	fc.constantFrom(
		"caption",
		"ttl",
		"published_at",
		"metadata",
		"labels",
		"__proto__",
		"constructor",
		"é",
		"a b",
		'a"b',
	),
	fc.string({ unit: fc.constantFrom(..."abc[].-"), minLength: 1, maxLength: 12 }),
);

const lines = fc.constantFrom(
	"",
	"\r\n",
	"\n",
	"\r",
	"--",
	"\r\n-",
	"\r\n--",
	"a: b\r\n\r\nc",
	"😀",
	"\0",
	"\ufeff",
	"value",
);
const values = fc.array(fc.oneof(lines, fc.string()), { maxLength: 6 }).map((pieces) => pieces.join(""));
const contents = fc.oneof(
	fc.uint8Array({ maxLength: 300 }),
	values.map((text) => new TextEncoder().encode(text)),
);

/** How a file says what it is called; in a plain parameter a quote is escaped, in an extended one everything but letters. */
const filenames = fc.oneof(
	fc.constant({ spelling: () => "", name: undefined }),
	fc
		.constantFrom("a.png", 'q"uote.png', "sp ace.png", "semi;colon.png", "é😀.png", "100%.png", ".png", "a'b.png")
		.chain((name) =>
			fc.constantFrom(
				{ spelling: () => `; filename="${name.replaceAll('"', '\\"')}"`, name },
				{ spelling: () => `; filename*=UTF-8''${extended(name)}`, name },
				// RFC 6266, 4.3: where both are sent the extended one counts, whatever their order.
				{ spelling: () => `; filename="plain.png"; filename*=utf-8'en'${extended(name)}`, name },
				{ spelling: () => `; filename*=UTF-8''${extended(name)}; filename=plain.png`, name },
				{ spelling: () => `;filename="${name.replaceAll('"', '\\"')}" `, name },
			),
		),
);

function extended(name: string): string {
	return encodeURIComponent(name).replaceAll("'", "%27");
}

const headerStyles = fc.record({
	disposition: fc.constantFrom("Content-Disposition: ", "content-disposition:", "CONTENT-DISPOSITION: "),
	type: fc.option(fc.constantFrom("image/png", "IMAGE/PNG", "application/octet-stream"), { nil: undefined }),
	typeFirst: fc.boolean(),
	extra: fc.constantFrom("", "X-Nothing: 1\r\n", "Content-Transfer-Encoding: binary\r\n", "Content-Length: 3\r\n"),
});

type HeaderStyle = typeof headerStyles extends fc.Arbitrary<infer Style> ? Style : never;

function header({ disposition, type, typeFirst, extra }: HeaderStyle, parameters: string, quotedName: string): string {
	const first = `${disposition}form-data; name="${quotedName}"${parameters}\r\n`;
	const second = type === undefined ? "" : `Content-Type: ${type}\r\n`;
	return `${extra}${typeFirst ? second + first : first + second}\r\n`;
}

interface Frame {
	readonly boundary: string;
	readonly quoted: boolean;
	readonly preamble: string;
	readonly epilogue: string;
	/** White space after the last boundary, which transports may add. */
	readonly padding: string;
}

const frames: fc.Arbitrary<Frame> = fc.record({
	boundary: boundaries,
	quoted: fc.boolean(),
	preamble: fc.constantFrom("", "\r\n", "This is a multipart message.\r\n", "a\nb\r\n\r\n", "--\r\n"),
	epilogue: fc.constantFrom("", "\r\n", "\n", "\r\nThe end.\n", "\r\n\r\n--\r\n"),
	padding: fc.constantFrom("", " ", "\t  "),
});

const fieldParts = fc.uniqueArray(fc.record({ name: names, value: values, style: headerStyles }), {
	maxLength: 12,
	selector: ({ name }) => name,
});

function quote(name: string): string {
	return name.replaceAll('"', '\\"');
}

/** Well-formed bodies with one file and up to twelve fields, the file anywhere among them. */
export const uploads: fc.Arbitrary<Upload> = fc
	.record({
		frame: frames,
		fields: fieldParts,
		bytes: contents,
		filename: filenames,
		style: headerStyles,
		place: fc.nat(12),
	})
	.map(({ frame, fields, bytes, filename, style, place }) => {
		const { boundary } = frame;
		const encoder = new TextEncoder();
		const parts = fields.map((part) =>
			encoder.encode(header({ ...part.style, type: undefined }, "", quote(part.name)) + part.value),
		);
		const file = joined([encoder.encode(header(style, filename.spelling(), "file")), bytes]);
		parts.splice(Math.min(place, parts.length), 0, file);
		return {
			boundary,
			contentType: `multipart/form-data; boundary=${frame.quoted || /[^\w.+-]/.test(boundary) ? `"${boundary}"` : boundary}`,
			fields,
			file: { filename: filename.name, type: style.type?.toLowerCase(), bytes: new Uint8Array(bytes) },
			body: framed(frame, parts),
		};
	})
	.filter(({ boundary, fields, file }) => {
		const delimiter = `--${boundary}`;
		const texts = [...fields.map(({ value }) => value), new TextDecoder("latin1").decode(file.bytes)];
		return !texts.some((text) => text.includes(delimiter));
	});

function framed({ boundary, preamble, epilogue, padding }: Frame, parts: readonly Uint8Array[]): Bytes {
	const encoder = new TextEncoder();
	const delimited = parts.flatMap((part) => [encoder.encode(`--${boundary}\r\n`), part, encoder.encode("\r\n")]);
	return joined([encoder.encode(preamble), ...delimited, encoder.encode(`--${boundary}--${padding}${epilogue}`)]);
}

function joined(pieces: readonly Uint8Array[]): Bytes {
	const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
	let place = 0;
	for (const piece of pieces) {
		whole.set(piece, place);
		place += piece.length;
	}
	return whole;
}
