/** What a rendition can be encoded as, and what a master is stored as in the current variant. */
export const OUTPUT_FORMATS = ["jpg", "png", "webp", "avif", "gif"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What the bytes of an uploaded file can be recognised as. */
export const SOURCE_FORMATS = [...OUTPUT_FORMATS, "heic", "svg", "bmp", "ico"] as const;
export type SourceFormat = (typeof SOURCE_FORMATS)[number];

/** What a stored image can be: HEIC becomes a JPEG master when it arrives. */
export type ImageFormat = Exclude<SourceFormat, "heic">;

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
