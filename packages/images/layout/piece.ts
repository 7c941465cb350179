import type { Piece } from "../transform/values.ts";
import type { Box, Extent } from "./extent.ts";

/** The part of a piece that lies in the picture; undefined where that is nothing, or all of the picture. */
export function pieceOf({ x, y, w, h }: Piece, picture: Extent): Box | undefined {
	const width = Math.min(x + w, picture.width) - x;
	const height = Math.min(y + h, picture.height) - y;
	if (width < 1 || height < 1) return undefined;
	return width === picture.width && height === picture.height ? undefined : { left: x, top: y, width, height };
}
