import { expect, test } from "bun:test";
import fc from "fast-check";
import { overlayBox } from "./overlay.ts";
import { PARAMETERS } from "./parameters.ts";

const side = (max: number) => fc.integer({ min: 1, max });
const extent = (max: number) => fc.record({ width: side(max), height: side(max) });

test("wherever it lies and whatever its shape, an overlay keeps 2.5 % of the short side from the edges, but for a width that was asked for", () => {
	fc.assert(
		fc.property(
			extent(4_096),
			extent(4_096),
			fc.constantFrom(...PARAMETERS.overlay_at.takes.values),
			fc.integer({ min: 1, max: 100 }),
			(own, output, at, share) => {
				const transform = { overlay_w: share / 100, ...(at !== "bottom-right" && { overlay_at: at }) };
				const { left, top, width, height } = overlayBox(own, output, transform);
				const margin = Math.round(Math.min(output.width, output.height) * 0.025);
				// A picture of one row or column has room for nothing but the overlay.
				const highest = Math.min(margin, Math.floor((output.height - 1) / 2));
				const widest = Math.min(margin, Math.floor((output.width - width) / 2));
				expect(Math.min(top, output.height - top - height)).toBeGreaterThanOrEqual(highest);
				expect(Math.min(left, output.width - left - width)).toBeGreaterThanOrEqual(widest);
				expect(width).toBeLessThanOrEqual(Math.max(1, Math.round((output.width * share) / 100)));
			},
		),
	);
});
