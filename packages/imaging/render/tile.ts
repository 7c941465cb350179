import { OUTPUT_FORMATS } from "@svc/base/enumerations";
import type { Master } from "@svc/images/ports";
import { type Extent, layoutOf } from "@svc/images/transform/geometry";
import type { OverlayOptions } from "sharp";
import { sharp } from "../sharp-settings.ts";
import { decode, laidOut, openSource } from "./source.ts";

/** A watermark is never wider than this share of the picture it lies on. */
const WIDEST_SHARE = 1 / 4;

/**
 * Another picture, repeated over the whole of a rendition from its top left on: at its own size where that is not too wide, and never
 * higher than the rendition. Every frame of an animation gets the same. A tile that cannot be decoded here gives undefined.
 */
export async function tileOver(
	tile: Master,
	output: Extent,
	frames: number,
	timeoutSeconds: number,
): Promise<OverlayOptions | undefined> {
	if (!OUTPUT_FORMATS.some((format) => format === tile.format)) return undefined;
	const source = await openSource(tile.blob.path ?? (await tile.blob.read()), { animated: false, ownColours: false });
	const box = { w: Math.max(1, Math.floor(output.width * WIDEST_SHARE)), h: output.height };
	const image = laidOut(decode(source), source, layoutOf(source, box), { mirrored: false, degrees: 0 });
	const repeated = {
		input: await image.ensureAlpha().timeout({ seconds: timeoutSeconds }).png().toBuffer(),
		...REPEATED,
	};
	if (frames === 1) return repeated;
	// The frames lie one below the other, and the pattern has to start anew in each.
	const { width, height } = output;
	const clear = sharp({ create: { width, height, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } });
	return { input: await clear.composite([repeated]).png().toBuffer(), ...REPEATED };
}

const REPEATED = { tile: true, gravity: "northwest" } as const;
