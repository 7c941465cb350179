import { unreadable } from "./body.ts";

/* What is looked at of a multipart body (RFC 2046, 5.1) in front of its parser. */

/**
 * Any text of 70 characters at most that a quoted parameter holds as it is: some clients take letters that RFC 2046 does not name. With an empty one each
 * line that begins with two dashes would be a part.
 */
const BOUNDARY = /;[ \t]{0,40}boundary=(?:"([ !#-[\]-~]{0,69}[!#-[\]-~])"|([!#-:<-[\]-~]{1,70}))[ \t]{0,40}(?:;|$)/i;

/** @throws Failure bad_request where the Content-Type has no boundary of 1 to 70 characters */
export function boundaryOf({ headers }: Request): string {
	const [, quoted, plain] = BOUNDARY.exec(headers.get("content-type") ?? "") ?? [];
	const boundary = quoted ?? plain;
	if (boundary === undefined) throw unreadable("The Content-Type of a form names its boundary, of 1 to 70 characters.");
	return boundary;
}

const LINE_END = Buffer.from("\r\n");

/**
 * Counts the delimiters of a body. A part costs the parser several microseconds, however little is in it: a body of boundary lines alone has millions,
 * and no limit of the parser ends its work on the piece that it has begun.
 */
export class DelimiterCount {
	readonly #delimiter: Buffer;
	/** Of what was seen the end, in which a delimiter may have begun. The first one of a body needs no line before it. */
	#tail = LINE_END;
	#count = 0;

	constructor(boundary: string) {
		this.#delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
	}

	/** Whether the body has more than `most`, as far as it is known with this piece. */
	exceeds(most: number, { buffer, byteOffset, byteLength }: Uint8Array): boolean {
		const piece = Buffer.from(buffer, byteOffset, byteLength);
		const reach = this.#delimiter.length - 1;
		// Each side is shorter than a delimiter: what is found here lies across the seam.
		this.#countIn(Buffer.concat([this.#tail, piece.subarray(0, reach)]), most);
		this.#countIn(piece, most);
		const end = byteLength < reach ? Buffer.concat([this.#tail, piece]) : piece;
		this.#tail = Buffer.from(end.subarray(-reach));
		return this.#count > most;
	}

	#countIn(bytes: Buffer, most: number): void {
		let from = bytes.indexOf(this.#delimiter);
		while (from !== -1 && this.#count <= most) {
			this.#count++;
			from = bytes.indexOf(this.#delimiter, from + this.#delimiter.length);
		}
	}
}
