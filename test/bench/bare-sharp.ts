import sharp, { type Sharp } from "sharp";
import { answerParent } from "./child.ts";
import type { Output } from "./transform-cases.ts";

/* The other side of transform.ts: the library in a bare loop, from file to bytes. */

export interface BareRenders {
	readonly path: string;
	readonly format: Output;
	readonly animated: boolean;
	/** `plain` is the call as anybody would write it; `ours` has the options that the service encodes with. */
	readonly encoder: "plain" | "ours";
	readonly forms: readonly { readonly w: number; readonly q: number }[];
}

sharp.concurrency(1);
sharp.cache(false);

const OURS = {
	jpg: { optimiseCoding: false },
	webp: { effort: 2 },
	avif: { effort: 0, chromaSubsampling: "4:2:0" },
} as const;

function encoded(image: Sharp, format: Output, quality: number, ours: boolean): Sharp {
	const options = { quality, ...(ours && OURS[format]) };
	if (format === "jpg") return image.jpeg(options);
	return format === "webp" ? image.webp(options) : image.avif(options);
}

answerParent(async ({ path, format, animated, encoder, forms }: BareRenders) => {
	let bytes = 0;
	for (const { w, q } of forms) {
		const image = sharp(path, { animated: animated && format === "webp" })
			.autoOrient()
			.resize(w);
		bytes += (await encoded(image, format, q, encoder === "ours").toBuffer()).length;
	}
	return bytes;
});
