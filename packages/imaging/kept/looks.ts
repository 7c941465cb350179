import type { Master } from "@svc/images/ports";
import type { Overview } from "@svc/images/transform/analysis";
import { greyOf, isTellable } from "@svc/images/transform/looks/likeness";
import { decodable } from "../decodable.ts";
import type { Pixels } from "../render/kept-pixels.ts";
import { type Header, sharp } from "../sharp-settings.ts";
import type { MasterLooks } from "./analyser.ts";
import { type AnalysisInput, analysisPicture, findContent, findFocus, headerOf } from "./analysis.ts";
import { foundMends } from "./mends.ts";
import { pixelDigest } from "./pixel-digest.ts";
import { afarOf, colourOf, coloursOf, fromAfar, takenMs, thumbhashOf } from "./placeholder.ts";

/** Looks at masters in this process. */
export const sharpLooks: MasterLooks = {
	picture: async (master) => await analysisPicture(await inputOf(master), master.frame),
	focus: findFocus,
	content: async (master) => await findContent(await inputOf(master), master.frame),
	overview: seenFromAfar,
	header: async (master) => await headerOf(await inputOf(master)),
	mends: async (master) => await foundMends(await storedInput(master), master.format),
	pixels: async (master) => await pixelDigest(await inputOf(master)),
};

async function inputOf(master: Master): Promise<AnalysisInput> {
	return await decodable(await storedInput(master), master.format);
}

async function storedInput({ blob }: Master): Promise<AnalysisInput> {
	return blob.path ?? (await blob.read());
}

/** Reads the smallest copy, where there is one. */
async function seenFromAfar(master: Master): Promise<Overview> {
	const [smallest] = (master.shrunkMasters ?? []).toSorted((one, other) => other.factor - one.factor);
	const input = await inputOf(master);
	return await overviewOf(
		(await smallest?.path()) ?? input,
		await sharp(input, { limitInputPixels: false }).metadata(),
	);
}

type OverviewHeader = Pick<Header, "exif" | "width" | "height">;

/** What is seen of a picture or its smallest copy, and what the header of the file itself says: copies have no EXIF data. */
export async function overviewOf(seen: AnalysisInput | Pixels, header: OverviewHeader): Promise<Overview> {
	const isWhole = typeof seen !== "string" && "data" in seen;
	const pixels = isWhole ? afarOf(seen) : await fromAfar(seen);
	const grey = isWhole ? greyOf(seen.data, seen, 3) : greyOf(pixels.data, pixels, 4);
	return {
		thumbhash: thumbhashOf(pixels),
		colour: colourOf(pixels),
		colours: coloursOf(pixels),
		taken: takenMs(header),
		likeness: isTellable(grey, header) ? grey : null,
	};
}
