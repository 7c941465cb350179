import sharp, { type Sharp, type SharpOptions } from "sharp";

/** A drawing as a picture. The room for pictures closes sharp for SVG, in a whole process: here it is opened for what we drew ourselves. */
export function fromSvg(svg: string, options: SharpOptions = {}): Sharp {
	sharp.unblock({ operation: ["VipsForeignLoadSvg"] });
	return sharp(Buffer.from(svg), options);
}
