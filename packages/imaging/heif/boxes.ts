import { latin1, viewOf } from "../bytes.ts";

/* What AVIF and HEIC are made of (ISO/IEC 14496-12, section 4.2). */

export interface HeifBox {
	readonly type: string;
	/** Offsets into the file: of the box, of its content, and past it. */
	readonly from: number;
	readonly start: number;
	readonly end: number;
}

/** @throws RangeError when one of them ends outside */
export function* boxes(file: Uint8Array, from: number, to: number): Generator<HeifBox> {
	const view = viewOf(file);
	let at = from;
	while (at + 8 <= to) {
		const size = view.getUint32(at);
		const large = size === 1;
		const bytes = large ? Number(view.getBigUint64(at + 8)) : size === 0 ? to - at : size;
		const start = at + (large ? 16 : 8);
		if (at + bytes > to || at + bytes < start) throw new RangeError(`box at ${at} ends outside`);
		yield { type: latin1(file.subarray(at + 4, at + 8)), from: at, start, end: at + bytes };
		at += bytes;
	}
}

/** For what was taken before all of its boxes were followed, and is taken as if it said nothing now. */
export function unlessBroken(error: unknown): undefined {
	if (!(error instanceof RangeError)) throw error;
}

/**
 * Big-endian numbers one after the other; none of no bytes.
 * @throws RangeError when the box has ended
 */
export function numbersOf(file: Uint8Array, { start, end }: Pick<HeifBox, "start" | "end">): (bytes: number) => number {
	let at = start;
	return (bytes) => {
		if (at + bytes > end || bytes > 8) throw new RangeError("a box ends early");
		let value = 0;
		for (let byte = 0; byte < bytes; byte++) value = value * 256 + (file[at++] ?? 0);
		return value;
	};
}
