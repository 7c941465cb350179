import type { Master } from "@svc/images/ports";
import type { Placeholder } from "@svc/images/transform/analysis";
import type { Looks } from "./analyser.ts";
import { type AnalysisInput, analysisPicture, findContent, findFocus } from "./analysis.ts";
import { colourOf, fromAfar, thumbhashOf } from "./placeholder.ts";

/** Looks at masters in this process. */
export const sharpLooks: Looks = {
	picture: async (master) => await analysisPicture(await inputOf(master)),
	focus: findFocus,
	content: async (master) => await findContent(await inputOf(master)),
	placeholder: seenFromAfar,
};

async function inputOf({ blob }: Master): Promise<AnalysisInput> {
	return blob.path ?? (await blob.read());
}

/** Reads the smallest copy, where there is one. */
async function seenFromAfar(master: Master): Promise<Placeholder> {
	const [smallest] = (master.shrunkMasters ?? []).toSorted((one, other) => other.factor - one.factor);
	const pixels = await fromAfar((await smallest?.path()) ?? (await inputOf(master)));
	return { thumbhash: thumbhashOf(pixels), colour: colourOf(pixels) };
}
