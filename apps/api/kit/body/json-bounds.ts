import { Failure } from "@svc/base/failure";

/** What a JSON body may have: bytes, and names of fields and items of lists together. */
export interface JsonBounds {
	readonly maxBytes: number;
	/** A parser works far longer on many small values than on their bytes. */
	readonly maxParts: number;
}

const MAX_BYTES = 512 * 1_024;
/** What may be sent honestly has some hundred: 100 ids, or the 70 texts of an image. */
const MAX_PARTS = 2_000;
/** Of a call that says nothing else. */
export const JSON_BOUNDS: JsonBounds = { maxBytes: MAX_BYTES, maxParts: MAX_PARTS };
/** Of one object or list, however many a body may have in all: names that are numbers cost a parser the most, and the more of them the more each. */
const MAX_IN_ONE = 2_000;
const MAX_DEPTH = 32;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Counts in the bytes what a parser would have to make, so that a body that is laborious never reaches it. Looks at each byte once, and asks nothing else
 * of them: what is no JSON is refused by the parser.
 * @throws Failure bad_request naming the bound
 */
export function refuseLaborious(bytes: Uint8Array, { maxParts }: JsonBounds): void {
	const level = new Levels(maxParts);
	for (let place = 0; place < bytes.length; place++) {
		switch (bytes[place]) {
			case QUOTE:
				place = endOfString(bytes, place);
				break;
			case LIST:
			case OBJECT:
				level.open(bytes[place] === LIST);
				break;
			case LIST_END:
			case OBJECT_END:
				level.close();
				break;
			case COLON:
				level.count();
				break;
			case COMMA:
				if (level.isList) level.count();
		}
	}
}

/** Where in a body the scan is: what each object and list around it has so far. */
class Levels {
	readonly #parts = new Uint16Array(MAX_DEPTH + 1);
	readonly #lists = new Uint8Array(MAX_DEPTH + 1);
	readonly #maxParts: number;
	#depth = 0;
	#total = 0;

	constructor(maxParts: number) {
		this.#maxParts = maxParts;
	}

	get isList(): boolean {
		return this.#lists[this.#depth] === 1;
	}

	open(isList: boolean): void {
		this.#depth++;
		if (this.#depth > MAX_DEPTH) throw beyond("be", `${MAX_DEPTH} levels deep`);
		this.#lists[this.#depth] = isList ? 1 : 0;
		this.#parts[this.#depth] = 0;
		// The first item of a list has no comma before it.
		if (isList) this.count();
	}

	close(): void {
		// What is closed and was never open is no JSON, which the parser says.
		if (this.#depth > 0) this.#depth--;
	}

	/** One more name or item. */
	count(): void {
		const parts = (this.#parts[this.#depth] ?? 0) + 1;
		this.#parts[this.#depth] = parts;
		this.#total++;
		if (this.#total > this.#maxParts)
			throw beyond("have", `${this.#maxParts.toLocaleString("en")} names and items of lists`);
		if (parts > MAX_IN_ONE)
			throw beyond("have", `${MAX_IN_ONE.toLocaleString("en")} names or items in one object or list`);
	}
}

function beyond(verb: string, bound: string): Failure {
	return Failure.saying("bad_request", `A JSON body must ${verb} at most ${bound}.`);
}

/** The place of the closing quote; past the bytes where there is none. */
function endOfString(bytes: Uint8Array, start: number): number {
	let place = start + 1;
	while (place < bytes.length && bytes[place] !== QUOTE) place += bytes[place] === BACKSLASH ? 2 : 1;
	return place;
}
