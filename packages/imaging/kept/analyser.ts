import type { AnalysisKind } from "@svc/base/enumerations";
import type { Analyser, Asker, Master } from "@svc/images/ports";
import type { Analysis, FileHead, Mask, Overview, Region, Spot } from "@svc/images/transform/analysis";
import type { FoundMends } from "@svc/images/transform/mends";

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
	/** All that may be faces. */
	everyFace(picture: AnalysisPicture, signal: AbortSignal): Promise<readonly Region[]>;
	subject(picture: AnalysisPicture, signal: AbortSignal): Promise<Mask | undefined>;
}

/** Who waits for what is found. */
export type LookAsker = Pick<Asker, "signal" | "visitor">;

/** The ways to look at a master, each of which decodes something. */
export interface MasterLooks {
	picture(master: Master, asker: LookAsker): Promise<AnalysisPicture>;
	focus(picture: AnalysisPicture, asker: LookAsker): Promise<Spot>;
	content(master: Master, asker: LookAsker): Promise<Region | null>;
	overview(master: Master, asker: LookAsker): Promise<Overview>;
	header(master: Master, asker: LookAsker): Promise<FileHead>;
	mends(master: Master, asker: LookAsker): Promise<FoundMends>;
	pixels(master: Master, asker: LookAsker): Promise<string | null>;
}

type Search<Value> = (master: Master, asker: LookAsker) => Promise<Value>;

export function analyser(models: Models, looks: MasterLooks): Analyser {
	const picture = oncePerMaster(looks.picture);
	const overview = oncePerMaster(looks.overview);
	const searches: { readonly [K in AnalysisKind]: Search<Analysis[K]> } = {
		faces: async (master, asker) => (await models.faces(await picture(master, asker), asker.signal)).map(rounded),
		focus: async (master, asker) => await looks.focus(await picture(master, asker), asker),
		content: looks.content,
		subject: async (master, asker) => {
			const mask = await models.subject(await picture(master, asker), asker.signal);
			return mask ? { width: mask.width, height: mask.height, alpha: mask.alpha } : null;
		},
		thumbhash: async (master, asker) => (await overview(master, asker)).thumbhash,
		colour: async (master, asker) => (await overview(master, asker)).colour,
		colours: async (master, asker) => (await overview(master, asker)).colours,
		taken: async (master, asker) => (await overview(master, asker)).taken,
		likeness: async (master, asker) => (await overview(master, asker)).likeness,
		pixels: looks.pixels,
		header: looks.header,
		mends: looks.mends,
		every_face: async (master, asker) =>
			(await models.everyFace(await picture(master, asker), asker.signal)).map(rounded),
	};
	return {
		async find(master, kind, asker) {
			asker.signal.throwIfAborted();
			return await searches[kind](master, asker);
		},
	};
}

/** A caller that asks twice about the same master has it decoded once. */
function oncePerMaster<Value>(look: Search<Value>): Search<Value> {
	const seen = new WeakMap<Master, Promise<Value>>();
	return (master, asker) => {
		const found = seen.get(master) ?? look(master, asker);
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
