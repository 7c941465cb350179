import { type ImageFormat, OUTPUT_FORMATS, type OutputFormat } from "@svc/base/enumerations";

export const CONTENT_TYPES = {
	jpg: "image/jpeg",
	png: "image/png",
	webp: "image/webp",
	avif: "image/avif",
	gif: "image/gif",
	svg: "image/svg+xml",
	bmp: "image/bmp",
	ico: "image/x-icon",
} satisfies Record<ImageFormat, string>;

/** Whether renditions are made from it. The others are kept and served as they are, whatever an address asks for. */
export function isTransformable(format: ImageFormat): format is OutputFormat {
	return OUTPUT_FORMATS.some((one) => one === format);
}
