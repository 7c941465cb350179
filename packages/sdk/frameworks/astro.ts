import type { TransformOptions } from "../transform.ts";
import { PARAMETERS } from "../transform-parameters.ts";
import { askedUrl } from "./framework.ts";

/** A picture of the site itself, as Astro's `import` gives it. */
interface Imported {
	readonly src: string;
	readonly width: number;
	readonly height: number;
}

/** What Astro hands to a service: the properties of `<Image>`, `<Picture>` or `getImage`. */
interface ImageTransform {
	readonly src: string | Imported;
	readonly width?: number | undefined;
	readonly height?: number | undefined;
	readonly position?: string | undefined;
	readonly fit?: string | undefined;
	readonly format?: string | undefined;
	readonly widths?: readonly number[] | undefined;
	readonly densities?: readonly (number | string)[] | undefined;
	/** Every parameter of `imageUrl` may be among them. */
	readonly [property: string]: unknown;
}

interface ImageConfig {
	readonly service: { readonly config: { readonly cdnUrl?: string } };
}

interface Size {
	readonly width: number | undefined;
	readonly height: number | undefined;
}

/** What makes a picture, and therefore is no attribute of its element. */
const MAKING: ReadonlySet<string> = new Set([
	...["src", "width", "height", "format", "quality", "fit", "position"],
	...["densities", "widths", "formats", "layout", "priority", "inferSize"],
	...Object.keys(PARAMETERS),
]);

/**
 * An image service for Astro: `image: { service: { entrypoint: "@svc/sdk/astro" } }` in `astro.config.mjs`, with
 * `config: { cdnUrl: "https://…" }` where only addresses below that one are the service's. Pictures of the site itself stay as they are.
 */
const service = {
	validateOptions<T extends ImageTransform>(options: T): T {
		return { ...options, format: options.format ?? "webp" };
	},

	getURL({ src, position, fit, ...asked }: ImageTransform, config: ImageConfig): string {
		if (typeof src !== "string") return src.src;
		const gravity = gravityOf(position);
		// Astro's `contain` is that of CSS: all of the picture, without bars.
		const filled = fit === "contain" ? "scale-down" : fit;
		return askedUrl(src, { ...(gravity && { gravity }), ...asked, fit: filled }, config.service.config.cdnUrl);
	},

	getSrcSet<T extends ImageTransform>(options: T) {
		const { width, height } = sizeOf(options);
		const ratio = width && height ? width / height : undefined;
		return wanted(options, width).map((one) => ({
			transform: { ...options, width: one.width, height: ratio && Math.max(1, Math.round(one.width / ratio)) },
			descriptor: one.descriptor,
			attributes: { type: `image/${options.format === "jpg" ? "jpeg" : options.format}` },
		}));
	},

	getHTMLAttributes(options: ImageTransform): Record<string, unknown> {
		const own = Object.fromEntries(Object.entries(options).filter(([name]) => !MAKING.has(name)));
		return { loading: "lazy", decoding: "async", ...own, ...sizeOf(options) };
	},
};

export default service;

function gravityOf(position: string | undefined): TransformOptions["gravity"] {
	const sides = ["left", "right", "top", "bottom", "face"] as const;
	return sides.find((side) => position?.split(/\s+/).includes(side));
}

function wanted({ widths, densities }: ImageTransform, width: number | undefined) {
	if (densities && width) {
		const factors = densities.map((density) => Number.parseFloat(String(density)));
		return factors
			.sort((a, b) => a - b)
			.map((factor) => ({ width: Math.round(width * factor), descriptor: `${factor}x` }));
	}
	const sorted = [...new Set(widths ?? [])].sort((a, b) => a - b);
	return sorted.map((one) => ({ width: one, descriptor: `${one}w` }));
}

/** Of a picture of the site its own size is known. */
function sizeOf({ src, width, height }: ImageTransform): Size {
	if (typeof src === "string") return { width, height };
	const ratio = src.width / src.height;
	if (width) return { width, height: height ?? Math.round(width / ratio) };
	if (height) return { width: Math.round(height * ratio), height };
	return { width: src.width, height: src.height };
}
