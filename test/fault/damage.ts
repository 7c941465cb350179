import type { Dice } from "./seed.ts";

/* Ways in which bytes go wrong between a client and us. */

type Bytes = Uint8Array<ArrayBuffer>;
type Damage = (bytes: Bytes, dice: Dice) => Bytes;

function splice(bytes: Bytes, start: number, end: number, between: Uint8Array): Bytes {
	const whole = new Uint8Array(start + between.length + (bytes.length - end));
	whole.set(bytes.subarray(0, start));
	whole.set(between, start);
	whole.set(bytes.subarray(end), start + between.length);
	return whole;
}

function range(bytes: Bytes, dice: Dice): [number, number] {
	const start = dice.below(bytes.length + 1);
	return [start, Math.min(bytes.length, start + dice.below(1 + dice.pick([4, 40, 400])))];
}

/** What parsers stumble over. */
const TOKENS = ["\r\n", "\n", "\r", "\0", '"', "--", "\r\n\r\n", "\\", ";", ":", "{", "[", "\u{feff}", "\xff"].map(
	(token) => new TextEncoder().encode(token),
);

const DAMAGES: readonly Damage[] = [
	(bytes, dice) => bytes.slice(0, dice.below(bytes.length + 1)),
	(bytes, dice) => splice(bytes, ...range(bytes, dice), new Uint8Array()),
	(bytes, dice) => splice(bytes, ...range(bytes, dice), dice.bytes(dice.below(12))),
	(bytes, dice) => splice(bytes, ...range(bytes, dice), dice.pick(TOKENS)),
	(bytes, dice) => {
		const [start, end] = range(bytes, dice);
		return splice(bytes, end, end, bytes.slice(start, end));
	},
	(bytes, dice) => {
		const flipped = bytes.slice();
		for (let flips = dice.below(8); flips >= 0; flips--) flipped[dice.below(bytes.length)] = dice.below(256);
		return flipped;
	},
];

/** One to three damages. */
export function damaged(bytes: Bytes, dice: Dice): Bytes {
	let result = bytes;
	for (let times = dice.below(3); times >= 0; times--) result = dice.pick(DAMAGES)(result, dice);
	return result;
}

/** The same bytes in chunks of at most `most` each. */
export function chunked(bytes: Bytes, dice: Dice, most: number): Bytes[] {
	const chunks: Bytes[] = [];
	for (let start = 0; start < bytes.length; ) {
		const end = start + 1 + dice.below(most);
		chunks.push(bytes.slice(start, end));
		start = end;
	}
	return chunks;
}

/** A body as it comes off a network; with `broken` the client hangs up after the last chunk. */
export function bodyOf(chunks: readonly Bytes[], broken = false): ReadableStream<Bytes> {
	const waiting = [...chunks];
	return new ReadableStream({
		pull(controller) {
			const next = waiting.shift();
			if (next) controller.enqueue(next);
			else if (broken) controller.error(new Error("the client hung up"));
			else controller.close();
		},
	});
}
