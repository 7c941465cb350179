import type { Transform } from "../transform/transform.ts";
import type { Box, Extent } from "./extent.ts";

/** The picture is mirrored sideways first and then rotated clockwise. */
export interface Turn {
	readonly mirrored: boolean;
	readonly degrees: 0 | 90 | 180 | 270;
}

export function turnOf({ flip, rotate }: Transform): Turn {
	const asked = rotate ?? 0;
	// Mirroring upside down is mirroring sideways and half a turn.
	const degrees = flip === "v" ? (asked + 180) % 360 : asked;
	return { mirrored: flip !== undefined, degrees: degrees === 90 || degrees === 180 || degrees === 270 ? degrees : 0 };
}

/** What EXIF says has to be done to a stored picture, by its number from 1 (upright) to 8 (Exif 2.32, section 4.6.4). */
export function turnOfOrientation(orientation = 1): Turn {
	return ORIENTATIONS[orientation - 1] ?? UPRIGHT;
}

const UPRIGHT: Turn = { mirrored: false, degrees: 0 };
const ORIENTATIONS: readonly Turn[] = [
	UPRIGHT,
	{ mirrored: true, degrees: 0 },
	{ mirrored: false, degrees: 180 },
	{ mirrored: true, degrees: 180 },
	{ mirrored: true, degrees: 270 },
	{ mirrored: false, degrees: 90 },
	{ mirrored: true, degrees: 90 },
	{ mirrored: false, degrees: 270 },
];

/** One turn after another, as one. */
export function bothTurns(first: Turn, second: Turn): Turn {
	// Mirrored afterwards, what was turned one way is turned the other way.
	const before = second.mirrored ? 360 - first.degrees : first.degrees;
	const degrees = ((before + second.degrees) % 360) as Turn["degrees"];
	return { mirrored: first.mirrored !== second.mirrored, degrees };
}

/** The turn that takes a turned picture back. */
export function inverse({ mirrored, degrees }: Turn): Turn {
	if (mirrored || degrees === 180 || degrees === 0) return { mirrored, degrees };
	return { mirrored, degrees: degrees === 90 ? 270 : 90 };
}

export function turnedExtent({ width, height }: Extent, { degrees }: Turn): Extent {
	return degrees === 90 || degrees === 270 ? { width: height, height: width } : { width, height };
}

/** The place of a box of `within` when `within` is turned. */
export function turnedBox(box: Box, within: Extent, turn: Turn): Box {
	const left = turn.mirrored ? within.width - box.left - box.width : box.left;
	const right = within.width - left - box.width;
	const bottom = within.height - box.top - box.height;
	const extent = turnedExtent(box, turn);
	if (turn.degrees === 90) return { left: bottom, top: left, ...extent };
	if (turn.degrees === 180) return { left: right, top: bottom, ...extent };
	if (turn.degrees === 270) return { left: box.top, top: right, ...extent };
	return { left, top: box.top, ...extent };
}
