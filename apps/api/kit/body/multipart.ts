import { unreadable } from "./body.ts";

/* A multipart body as it comes, part by part (RFC 2046, 5.1). */

/** A part. Its content is read to the end, or nothing more of the body is. */
export interface FormPart {
	/** The lines of its head, without the empty one that ends it. */
	readonly head: Buffer;
	readonly content: Pieces;
}

type Pieces = AsyncGenerator<Buffer, void>;

const NOTHING = Buffer.alloc(0);
const LINE_END = Buffer.from("\r\n");
const HEAD_END = Buffer.from("\r\n\r\n");
const HEAD_MAX_BYTES = 80 * 1_024;
/** White space that transports add behind a boundary. */
const PADDING_MAX_BYTES = 1_024;
/** Each line that begins like a delimiter costs more than its bytes; a file has none by chance. */
const LOOKALIKES_MAX = 1_000;

/** What makes a boundary a delimiter: the end of its line, or two dashes before that. Some clients end the last line with a line feed alone. */
const NEXT = /^[ \t]*\r\n/;
const LAST = /^--[ \t]*[\r\n]/;
const LAST_AT_END = /^--[ \t]*$/;
/** What may become one of them with more bytes. */
const UNDECIDED = /^(?:-|(?:--)?[ \t]*\r?)$/;

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

/**
 * The parts of a body, and what is behind the last one read to its end. A line that only begins like a delimiter belongs to what it stands in.
 * @throws Failure bad_request for what is not whole, and whatever `pieces` throw
 */
export async function* partsOf(pieces: AsyncIterator<Uint8Array>, boundary: string): AsyncGenerator<FormPart, void> {
	const body = new Body(pieces, boundary);
	await body.drop();
	while (!body.isOver) {
		const head = await body.head();
		yield { head, content: body.content() };
	}
	await body.dropRest();
}

class Body {
	/** The last delimiter has been read. */
	isOver = false;
	readonly #pieces: AsyncIterator<Uint8Array>;
	readonly #delimiter: Buffer;
	// No line has to end before the first delimiter.
	#held: Buffer = LINE_END;
	#isRead = false;
	#lookalikes = 0;

	constructor(pieces: AsyncIterator<Uint8Array>, boundary: string) {
		this.#pieces = pieces;
		this.#delimiter = Buffer.from(`\r\n--${boundary}`);
	}

	/** The end of its last line stays: it may be the beginning of a delimiter, for a part may have no content at all. */
	async head(): Promise<Buffer> {
		const lines: Buffer[] = [];
		let bytes = 0;
		for await (const piece of this.#upTo(HEAD_END, LINE_END.length)) {
			lines.push(piece);
			bytes += piece.length;
			if (bytes > HEAD_MAX_BYTES) {
				throw unreadable(`The head of a part must have at most ${HEAD_MAX_BYTES.toLocaleString("en")} bytes.`);
			}
		}
		return Buffer.concat(lines).subarray(LINE_END.length);
	}

	async *content(): Pieces {
		let of = LINE_END.length;
		for await (const piece of this.#upToDelimiter()) {
			if (piece.length > of) yield piece.subarray(of);
			of = 0;
		}
	}

	/** What is before the first part. */
	async drop(): Promise<void> {
		for await (const _ of this.#upToDelimiter());
	}

	async dropRest(): Promise<void> {
		do this.#held = NOTHING;
		while (await this.#more());
	}

	async *#upToDelimiter(): Pieces {
		for (;;) {
			yield* this.#upTo(this.#delimiter, this.#delimiter.length);
			if (await this.#isDelimiter()) return;
			if (++this.#lookalikes > LOOKALIKES_MAX) {
				throw unreadable("The boundary of the form begins too many lines of what is in it: choose another one.");
			}
			yield this.#delimiter;
		}
	}

	/** What is before the next mark, of which `taken` bytes are read too. */
	async *#upTo(mark: Buffer, taken: number): Pieces {
		for (;;) {
			const place = this.#held.indexOf(mark);
			const piece = this.#held.subarray(0, place < 0 ? beginningOf(mark, this.#held) : place);
			this.#held = this.#held.subarray(place < 0 ? piece.length : place + taken);
			if (piece.length > 0) yield piece;
			if (place >= 0) return;
			if (!(await this.#more())) throw unreadable("The body is not a whole multipart form.");
		}
	}

	/** Whether a boundary that has just been read ends a part. The end of its line stays, for a head may have no lines. */
	async #isDelimiter(): Promise<boolean> {
		for (;;) {
			const next = this.#held.toString("latin1", 0, PADDING_MAX_BYTES);
			const line = NEXT.exec(next)?.[0];
			if (line !== undefined) {
				this.#held = this.#held.subarray(line.length - LINE_END.length);
				return true;
			}
			this.isOver = LAST.test(next) || (this.#isRead && LAST_AT_END.test(next));
			if (this.isOver) return true;
			if (this.#isRead || next.length === PADDING_MAX_BYTES || !UNDECIDED.test(next)) return false;
			await this.#more();
		}
	}

	/** False where no more comes. */
	async #more(): Promise<boolean> {
		if (this.#isRead) return false;
		const { done, value } = await this.#pieces.next();
		this.#isRead = done === true;
		if (value === undefined) return false;
		const piece = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
		this.#held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
		return true;
	}
}

/** Where the end of some bytes may be the beginning of a mark; their length where it is not. */
function beginningOf(mark: Buffer, bytes: Buffer): number {
	const [first = 0] = mark;
	let place = bytes.indexOf(first, Math.max(0, bytes.length - mark.length + 1));
	while (place >= 0 && !mark.subarray(0, bytes.length - place).equals(bytes.subarray(place))) {
		place = bytes.indexOf(first, place + 1);
	}
	return place < 0 ? bytes.length : place;
}
