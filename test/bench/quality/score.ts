import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Extent } from "@svc/images/layout/extent";
import sharp, { type Sharp } from "sharp";

/* How much like its master a rendition looks: SSIMULACRA2, where 90 cannot be told apart, 70 is high and 50 medium. */

const program = Bun.which("ssimulacra2_rs");

/** `gamma` mixes the values as they are stored, as most programs do, and `linear` the light that they stand for. */
export type Reference = "gamma" | "linear";

export interface Scorer extends AsyncDisposable {
	/** The score of a file beside the same master resized to its size from all its pixels. */
	score(master: Uint8Array, rendition: Uint8Array): Promise<number>;
}

/** Undefined where there is no `ssimulacra2_rs` on the PATH, as `cargo install ssimulacra2_rs` puts it there. */
export async function startScorer(reference: Reference): Promise<Scorer | undefined> {
	if (!program) return undefined;
	const folder = await mkdtemp(join(tmpdir(), "svc-score-"));
	const [asked, shown] = [join(folder, "asked.png"), join(folder, "shown.png")];
	let drawn: { readonly of: Uint8Array; readonly size: string } | undefined;
	return {
		async score(master, rendition) {
			const { data, info } = await opaque(sharp(rendition)).toBuffer({ resolveWithObject: true });
			const size = `${info.width}x${info.height}`;
			if (drawn?.of !== master || drawn.size !== size) await writeFile(asked, await resized(master, info, reference));
			drawn = { of: master, size };
			await writeFile(shown, data);
			const said = await Bun.$`${program} image ${asked} ${shown}`.text();
			const score = Number(/-?\d+(\.\d+)?\s*$/.exec(said.trim())?.[0]);
			if (Number.isNaN(score)) throw new Error(`no score: ${said}`);
			return score;
		},
		[Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
	};
}

async function resized(master: Uint8Array, { width, height }: Extent, reference: Reference): Promise<Buffer> {
	const upright = sharp(master).autoOrient();
	const image = reference === "linear" ? upright.pipelineColourspace("scrgb") : upright;
	return await opaque(image.resize(width, height, { fit: "fill", fastShrinkOnLoad: false })).toBuffer();
}

function opaque(image: Sharp): Sharp {
	return image.flatten({ background: "white" }).toColourspace("srgb").png({ compressionLevel: 0 });
}
