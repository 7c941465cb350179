import type { Box, Extent } from "../layout/extent.ts";
import type { Transform } from "./transform.ts";

const USUAL_SHARE = 0.25;
/** From the edges, as a share of the picture's short side. */
const MARGIN = 0.025;
/** Where the room that is left beside it goes: 0 is all behind it, 1 all before it. */
const PLACES: Readonly<Record<NonNullable<Transform["overlay_at"]> | "bottom-right", readonly [number, number]>> = {
	"top-left": [0, 0],
	top: [0.5, 0],
	"top-right": [1, 0],
	left: [0, 0.5],
	center: [0.5, 0.5],
	right: [1, 0.5],
	"bottom-left": [0, 1],
	bottom: [0.5, 1],
	"bottom-right": [1, 1],
};

const AT = Object.keys(PLACES).toSorted((one) => (one === "bottom-right" ? -1 : 0)) as readonly (keyof typeof PLACES)[];
const SHARES = Array.from({ length: 100 }, (_, index) => (index + 1) / 100);

/** The plainest way to say where an overlay of this size lies on a finished picture, and how large. */
export function plainestOverlay(
	own: Extent,
	output: Extent,
	transform: Transform,
): Pick<Transform, "overlay_at" | "overlay_w"> {
	const box = JSON.stringify(overlayBox(own, output, transform));
	for (const at of AT) {
		for (const share of [USUAL_SHARE, ...SHARES]) {
			const said: Transform = {
				...(at !== "bottom-right" && { overlay_at: at }),
				...(share !== USUAL_SHARE && { overlay_w: share }),
			};
			if (JSON.stringify(overlayBox(own, output, said)) === box) return said;
		}
	}
	const { overlay_at, overlay_w } = transform;
	return { ...(overlay_at && { overlay_at }), ...(overlay_w && { overlay_w }) };
}

/**
 * Where an overlay of its own size `own` lies on a finished picture. It is as wide as was asked, which may leave no room for margins at its
 * sides; one that would be too high for those above and below is smaller.
 */
export function overlayBox(own: Extent, output: Extent, { overlay_w, overlay_at }: Transform): Box {
	const margin = Math.round(Math.min(output.width, output.height) * MARGIN);
	const highest = Math.max(1, output.height - 2 * margin);
	const scale = Math.min((output.width * (overlay_w ?? USUAL_SHARE)) / own.width, highest / own.height);
	const width = Math.min(output.width, Math.max(1, Math.round(own.width * scale)));
	const height = Math.min(highest, Math.max(1, Math.round(own.height * scale)));
	const along = (room: number, share: number) => {
		const edge = Math.min(margin, Math.floor(room / 2));
		return edge + Math.round((room - 2 * edge) * share);
	};
	const [across, down] = PLACES[overlay_at ?? "bottom-right"];
	return { left: along(output.width - width, across), top: along(output.height - height, down), width, height };
}
