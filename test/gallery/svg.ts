import { openSharp } from "@svc/imaging/sharp-settings";
import type { Sharp, SharpOptions } from "sharp";

/** A drawing as a picture. The room for pictures closes sharp for SVG, in a whole process: here it is opened for what we drew ourselves. */
export function fromSvg(svg: string, options: SharpOptions = {}): Sharp {
	const sharp = openSharp();
	sharp.unblock({ operation: ["VipsForeignLoadSvg"] });
	return sharp(Buffer.from(svg), options);
}
