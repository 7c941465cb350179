import type { AnalysisKind } from "@svc/base/enumerations";
import type { Analyser, Master } from "@svc/images/ports";
import type { Analysis, Mask, Placeholder, Region, Spot } from "@svc/images/transform/analysis";

/** The pixels that facts are found on: the first frame, upright, in sRGB. */
export interface AnalysisPicture {
	/** Pixel rows without padding. */
	readonly data: Uint8Array;
	readonly width: number;
	readonly height: number;
}

/** A finder that needs a model: it looks at an analysis picture, and throws when it has no answer. */
export interface Models {
	faces(picture: AnalysisPicture, signal: AbortSignal): Promise<readonly Region[]>;
	subject(picture: AnalysisPicture, signal: AbortSignal): Promise<Mask | undefined>;
}

/** The ways to look at a master, each of which decodes something. */
export interface Looks {
	picture(master: Master, signal: AbortSignal): Promise<AnalysisPicture>;
	focus(picture: AnalysisPicture, signal: AbortSignal): Promise<Spot>;
	content(master: Master, signal: AbortSignal): Promise<Region | null>;
	placeholder(master: Master, signal: AbortSignal): Promise<Placeholder>;
}

type Search<Value> = (master: Master, signal: AbortSignal) => Promise<Value>;

export function analyser(models: Models, looks: Looks): Analyser {
	const picture = oncePerMaster(looks.picture);
	const placeholder = oncePerMaster(looks.placeholder);
	const searches: { readonly [K in AnalysisKind]: Search<Analysis[K]> } = {
		faces: async (master, signal) => (await models.faces(await picture(master, signal), signal)).map(rounded),
		focus: async (master, signal) => await looks.focus(await picture(master, signal), signal),
		content: looks.content,
		subject: async (master, signal) => {
			const mask = await models.subject(await picture(master, signal), signal);
			return mask ? { width: mask.width, height: mask.height, alpha: mask.alpha } : null;
		},
		thumbhash: async (master, signal) => (await placeholder(master, signal)).thumbhash,
		colour: async (master, signal) => (await placeholder(master, signal)).colour,
	};
	return {
		async find(master, kind, signal) {
			signal.throwIfAborted();
			return await searches[kind](master, signal);
		},
	};
}

/** A caller that asks twice about the same master has it decoded once. */
function oncePerMaster<Value>(look: Search<Value>): Search<Value> {
	const seen = new WeakMap<Master, Promise<Value>>();
	return (master, signal) => {
		const found = seen.get(master) ?? look(master, signal);
		seen.set(master, found);
		// A look that failed, or that its caller had stopped, is no answer for the next one.
		found.catch(() => seen.delete(master));
		return found;
	};
}

/** Rounds to ten-thousandths: finer than the model sees. */
function rounded({ left, top, width, height }: Region): Region {
	const round = (share: number) => Math.round(share * 10_000) / 10_000;
	return { left: round(left), top: round(top), width: round(width), height: round(height) };
}
