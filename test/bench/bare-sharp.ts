import sharp from "sharp";
import { answerParent } from "./child.ts";

/* The other side of transform.ts: the library in a bare loop, from file to bytes. */

export interface BareRenders {
	readonly path: string;
	readonly format: "jpg" | "webp";
	/** `plain` is the call as anybody would write it; `ours` has the options that the service encodes with. */
	readonly encoder: "plain" | "ours";
	readonly forms: readonly { readonly w: number; readonly q: number }[];
}

sharp.concurrency(1);
sharp.cache(false);

const OPTIONS = { plain: { jpg: {}, webp: {} }, ours: { jpg: { progressive: true }, webp: { effort: 2 } } } as const;

answerParent(async ({ path, format, encoder, forms }: BareRenders) => {
	let bytes = 0;
	for (const { w, q } of forms) {
		const image = sharp(path).autoOrient().resize(w);
		const options = { quality: q, ...OPTIONS[encoder][format] };
		bytes += (await (format === "jpg" ? image.jpeg(options) : image.webp(options)).toBuffer()).length;
	}
	return bytes;
});
