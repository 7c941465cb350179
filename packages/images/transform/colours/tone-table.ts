import type { Transform } from "../transform.ts";

/**
 * Holds for each value of a channel the value that brightness, contrast and gamma make of it. One table does all three, so that nothing is
 * clipped or rounded between them.
 */
export function toneTable({ brightness = 1, contrast = 1, gamma = 1 }: Transform): Uint8Array {
	return Uint8Array.from({ length: 256 }, (_, value) => {
		const linear = ((value / 255) * brightness - 0.5) * contrast + 0.5;
		return Math.round(255 * Math.min(1, Math.max(0, linear)) ** gamma);
	});
}
