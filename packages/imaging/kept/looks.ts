import type { Master } from "@svc/images/ports";
import type { Overview } from "@svc/images/transform/analysis";
import type { Looks } from "./analyser.ts";
import { type AnalysisInput, analysisPicture, findContent, findFocus, headerOf } from "./analysis.ts";
import { colourOf, coloursOf, fromAfar, takenMs, thumbhashOf } from "./placeholder.ts";

/** Looks at masters in this process. */
export const sharpLooks: Looks = {
	picture: async (master) => await analysisPicture(await inputOf(master), master.frame),
	focus: findFocus,
	content: async (master) => await findContent(await inputOf(master), master.frame),
	overview: seenFromAfar,
	header: async (master) => await headerOf(await inputOf(master)),
};

async function inputOf({ blob }: Master): Promise<AnalysisInput> {
	return blob.path ?? (await blob.read());
}

/** Reads the smallest copy, where there is one. */
async function seenFromAfar(master: Master): Promise<Overview> {
	const [smallest] = (master.shrunkMasters ?? []).toSorted((one, other) => other.factor - one.factor);
	const input = await inputOf(master);
	const pixels = await fromAfar((await smallest?.path()) ?? input);
	// The copies have no EXIF data.
	const taken = await takenMs(input);
	return { thumbhash: thumbhashOf(pixels), colour: colourOf(pixels), colours: coloursOf(pixels), taken };
}
