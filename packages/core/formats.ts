/** What a rendition can be encoded as, and what a master is stored as in the current variant. */
export const OUTPUT_FORMATS = ["jpg", "png", "webp", "avif", "gif"] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What the bytes of an uploaded file can be recognised as. */
export type SourceFormat = OutputFormat | "heic" | "svg" | "bmp" | "ico";

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
