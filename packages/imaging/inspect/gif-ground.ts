import { concat, viewOf } from "../bytes.ts";
import type { Edges } from "../edges.ts";
import { EXTENSION, gifBlocks, gifScreen, globalColours, IMAGE, imageHeadBytes } from "./gif-blocks.ts";
import { coloursIn, recolour } from "./gif-codes.ts";

/*
 * What no frame of a GIF covers, or what was disposed of, is transparent: so all browsers have it, whatever the file says about its background. The
 * decoder fills it with a colour where the frame that was there names no transparent colour, and knows no transparency at all where no frame
 * names one. So it gets a copy in which frames name one that none of their pixels has.
 */

const GRAPHIC_CONTROL = 0xf9;
const GRAPHIC_CONTROL_BYTES = 8;
const IS_TRANSPARENT = 0x01;
/** In hundredths of a second: what the decoder takes for a frame about which nothing is said. */
const DELAY = 10;
const DESCRIPTOR_BYTES = 10;
const COLOURS = 256;

interface Frame {
	/** The block that says how it is shown. */
	readonly control: Uint8Array | undefined;
	readonly image: Uint8Array;
	readonly covers: Edges;
	/** What becomes of its place when the next frame comes: 2 clears it, and 3 shows again what was there before. Some write 4 for that. */
	readonly disposal: number;
	readonly isTransparent: boolean;
}

/** A part of the screen that shows nothing. */
interface Clear {
	readonly place: Edges;
	/** The frame that was there. */
	readonly frame: Frame | undefined;
}

/** A copy that is decoded as browsers show the file; the file itself where that is so already. */
export function withClearGround(file: Uint8Array): Uint8Array {
	if (unmarkedFrames(file).length === 0) return file;
	const copy = Uint8Array.from(file);
	const parts: Uint8Array[] = [];
	let from = 0;
	for (const { control, image } of unmarkedFrames(copy)) {
		const colour = unusedColour(copy, image);
		if (control) {
			control[3] = (control[3] ?? 0) | IS_TRANSPARENT;
			control[6] = colour;
			continue;
		}
		const at = image.byteOffset - copy.byteOffset;
		const added = Uint8Array.of(EXTENSION, GRAPHIC_CONTROL, 4, IS_TRANSPARENT, DELAY, 0, colour, 0);
		parts.push(copy.subarray(from, at), added);
		from = at;
	}
	return concat([...parts, copy.subarray(from)]);
}

/** The frames that have to name a transparent colour and do not. */
function unmarkedFrames(file: Uint8Array): readonly Frame[] {
	const frames = framesOf(file);
	const disposed = new Set<Frame>();
	let showsGround = false;
	for (const clear of shownClear(frames, screenOf(file, frames))) {
		showsGround = true;
		if (clear.frame && !clear.frame.isTransparent) disposed.add(clear.frame);
	}
	if (disposed.size > 0 || !showsGround || frames.some(({ isTransparent }) => isTransparent)) return [...disposed];
	return frames.slice(0, 1);
}

/** What shows nothing while a frame is shown, for each one. A frame with a transparent colour may cover nothing. */
function* shownClear(frames: readonly Frame[], screen: Edges): Generator<Clear> {
	let clear: readonly Clear[] = [{ place: screen, frame: undefined }];
	for (const frame of frames) {
		const before = clear;
		const place = common(frame.covers, screen);
		const uncovered = clear.filter((one) => !contains(place, one.place));
		if (!frame.isTransparent) clear = uncovered;
		yield* clear;
		if (frame.disposal === 3 || frame.disposal === 4) clear = before;
		if (frame.disposal === 2 && contains(place, place)) clear = [...uncovered, { place, frame }];
	}
}

function framesOf(file: Uint8Array): readonly Frame[] {
	const frames: Frame[] = [];
	let control: Uint8Array | undefined;
	for (const block of gifBlocks(file)) {
		if (block[1] === GRAPHIC_CONTROL && block.length === GRAPHIC_CONTROL_BYTES) control = block;
		if (block[0] !== IMAGE) continue;
		const packed = control?.[3] ?? 0;
		const facts = { disposal: (packed >> 2) & 7, isTransparent: (packed & IS_TRANSPARENT) !== 0 };
		frames.push({ control, image: block, covers: placeOf(block), ...facts });
		control = undefined;
	}
	return frames;
}

function placeOf(image: Uint8Array): Edges {
	const view = viewOf(image);
	const [left, top] = [view.getUint16(1, true), view.getUint16(3, true)];
	return { left, top, right: left + view.getUint16(5, true), bottom: top + view.getUint16(7, true) };
}

/** The first frame makes it larger, if it is. */
function screenOf(file: Uint8Array, [first]: readonly Frame[]): Edges {
	const { width, height } = gifScreen(file);
	const { right, bottom } = first?.covers ?? { right: 0, bottom: 0 };
	return { left: 0, top: 0, right: Math.max(width, right), bottom: Math.max(height, bottom) };
}

function common(one: Edges, other: Edges): Edges {
	return {
		left: Math.max(one.left, other.left),
		top: Math.max(one.top, other.top),
		right: Math.min(one.right, other.right),
		bottom: Math.min(one.bottom, other.bottom),
	};
}

/** Nothing contains what has no area, and that contains nothing. */
function contains(outer: Edges, inner: Edges): boolean {
	if (inner.left >= inner.right || inner.top >= inner.bottom) return false;
	const isWide = outer.left <= inner.left && outer.right >= inner.right;
	return isWide && outer.top <= inner.top && outer.bottom >= inner.bottom;
}

/** A colour that no pixel of an image has. Where all are in use the two that are most alike become one. */
function unusedColour(file: Uint8Array, image: Uint8Array): number {
	const head = imageHeadBytes(image);
	const codes = image.subarray(head - 1);
	const used = coloursIn(codes);
	for (let colour = COLOURS - 1; colour >= 0; colour--) {
		if (!used.has(colour)) return colour;
	}
	const own = image.subarray(DESCRIPTOR_BYTES, head - 1);
	const [from, to] = mostAlike(own.length > 0 ? own : globalColours(file));
	recolour(codes, from, to);
	return from;
}

function mostAlike(table: Uint8Array): readonly [from: number, to: number] {
	const value = (colour: number, channel: number) => table[3 * colour + channel] ?? 0;
	let [pair, least]: [readonly [number, number], number] = [[1, 0], Number.POSITIVE_INFINITY];
	for (let from = 1; from < COLOURS; from++) {
		for (let to = 0; to < from; to++) {
			const difference = Math.hypot(...[0, 1, 2].map((channel) => value(from, channel) - value(to, channel)));
			if (difference < least) [pair, least] = [[from, to], difference];
		}
	}
	return pair;
}
