import { checkArguments } from "../wire/check.ts";
import { TRANSFORM } from "../wire/takes.ts";
import { type Asked, askedUrl } from "./framework.ts";

/** Those of unpic, and beside them every parameter of `imageUrl`. */
export interface Operations extends Omit<Asked, "width" | "height" | "quality" | "format"> {
	readonly width?: number | string;
	readonly height?: number | string;
	readonly quality?: number | string;
	readonly format?: string;
}

export interface Options {
	/** Only addresses below this one are transformed. Default: every `http` address. */
	readonly cdnUrl?: string | undefined;
}

/**
 * A transformer for unpic, and so for its components of ten frameworks: `import { Image }
 * from "@unpic/react/base"` and `<Image transformer={transform} src={image.url} … />`. Pictures are WebP unless the operations say otherwise.
 */
export function transform(src: string | URL, operations: Operations, options: Options = {}): string {
	checkArguments("transform", TRANSFORM, [src]);
	const format = operations.format === undefined || operations.format === "auto" ? "webp" : operations.format;
	return askedUrl(String(src), { ...operations, format }, options.cdnUrl);
}
