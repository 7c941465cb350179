import { checkArguments } from "./check.ts";
import { askedUrl, isServed } from "./framework.ts";
import { CREATE_LOADER } from "./takes.ts";
import { checkParameters, type TransformOptions } from "./transform.ts";

export interface LoaderOptions extends Omit<TransformOptions, "size" | "w" | "h"> {
	/** Only addresses below this one are transformed. Default: every `http` address. */
	readonly cdnUrl?: string | undefined;
}

/** What `next/image` gives a loader. */
export interface LoaderRequest {
	readonly src: string;
	/** Pixels. */
	readonly width: number;
	/** 1 to 100. */
	readonly quality?: number | undefined;
}

/**
 * A loader for `next/image` with settings of one's own: `export default createLoader({ format: "avif" })` in the file that `images.loaderFile`
 * names, or `<Image loader={…}>` in a client component. Pictures are WebP by default, which every browser of today knows, and which may move.
 */
export function createLoader(options: LoaderOptions = {}): (request: LoaderRequest) => string {
	checkArguments("createLoader", CREATE_LOADER, [options]);
	const { cdnUrl, ...transform } = options;
	checkParameters("createLoader", transform, ["size", "w", "h"]);
	return ({ src, width, quality }) => {
		// A file of the site itself has one size; Next.js warns where an address does not tell the width.
		if (src.startsWith("data:") || src.startsWith("blob:")) return src;
		if (!isServed(src, cdnUrl)) return `${src}${src.includes("?") ? "&" : "?"}w=${width}`;
		return askedUrl(src, { format: "webp", ...transform, width, quality: transform.q ?? quality }, cdnUrl);
	};
}

/** The loader without settings. In the file that `images.loaderFile` names: `export { default } from "@svc/sdk/next"`. */
export default createLoader();
