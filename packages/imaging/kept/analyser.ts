import type { AnalysisKind } from "@svc/base/enumerations";
import type { Analyser, Master } from "@svc/images/ports";
import type { Analysis, Mask, Region } from "@svc/images/transform/analysis";
import { type AnalysisInput, type AnalysisPicture, analysisPicture, findContent, findFocus } from "./analysis.ts";
import { colourOf, fromAfar, type Pixels, thumbhashOf } from "./placeholder.ts";

/** A finder that needs a model: it looks at an analysis picture, and throws when it has no answer. */
export interface Models {
	faces(picture: AnalysisPicture, signal: AbortSignal): Promise<readonly Region[]>;
	subject(picture: AnalysisPicture, signal: AbortSignal): Promise<Mask | undefined>;
}

type Search<Value> = (looks: Looks, signal: AbortSignal) => Promise<Value>;

/** The ways to look at a master. */
interface Looks {
	readonly input: () => Promise<AnalysisInput>;
	readonly picture: () => Promise<AnalysisPicture>;
	/** Pixels for analyses that need few of them. */
	readonly afar: () => Promise<Pixels>;
}

export function analyser(models: Models): Analyser {
	const searches: { readonly [K in AnalysisKind]: Search<Analysis[K]> } = {
		faces: async ({ picture }, signal) => (await models.faces(await picture(), signal)).map(rounded),
		focus: async ({ picture }) => await findFocus(await picture()),
		content: async ({ input }) => await findContent(await input()),
		subject: async ({ picture }, signal) => {
			const mask = await models.subject(await picture(), signal);
			return mask ? { width: mask.width, height: mask.height, alpha: mask.alpha } : null;
		},
		thumbhash: async ({ afar }) => thumbhashOf(await afar()),
		colour: async ({ afar }) => colourOf(await afar()),
	};
	const picture = oncePerMaster(async (master) => await analysisPicture(await inputOf(master)));
	const afar = oncePerMaster(seenFromAfar);
	return {
		async find(master, kind, signal) {
			signal.throwIfAborted();
			const looks = { input: () => inputOf(master), picture: () => picture(master), afar: () => afar(master) };
			return await searches[kind](looks, signal);
		},
	};
}

/** A caller that asks twice about the same master has it decoded once. */
function oncePerMaster<Value>(look: (master: Master) => Promise<Value>): (master: Master) => Promise<Value> {
	const seen = new WeakMap<Master, Promise<Value>>();
	return (master) => {
		const found = seen.get(master) ?? look(master);
		seen.set(master, found);
		return found;
	};
}

async function inputOf({ blob }: Master): Promise<AnalysisInput> {
	return blob.path ?? (await blob.read());
}

/** Reads the smallest copy, where there is one. */
async function seenFromAfar(master: Master): Promise<Pixels> {
	const [smallest] = (master.shrunkMasters ?? []).toSorted((one, other) => other.factor - one.factor);
	return await fromAfar((await smallest?.read()) ?? (await inputOf(master)));
}

/** Rounds to ten-thousandths: finer than the model sees. */
function rounded({ left, top, width, height }: Region): Region {
	const round = (share: number) => Math.round(share * 10_000) / 10_000;
	return { left: round(left), top: round(top), width: round(width), height: round(height) };
}
