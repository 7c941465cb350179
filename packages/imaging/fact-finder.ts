import type { FactKind, Facts, Mask, Region } from "@svc/core/facts";
import type { FactFinder, Master } from "@svc/core/ports-imaging";
import { type AnalysisInput, type AnalysisPicture, analysisPicture, findContent, findFocus } from "./analysis.ts";
import { colourOf, fromAfar, type Pixels, thumbhashOf } from "./placeholder.ts";

/** What needs a model: it looks at an analysis picture, and throws when it has no answer. */
export interface Models {
	faces(picture: AnalysisPicture, signal: AbortSignal): Promise<readonly Region[]>;
	subject(picture: AnalysisPicture, signal: AbortSignal): Promise<Mask | undefined>;
}

type Search<Value> = (looks: Looks, signal: AbortSignal) => Promise<Value>;

/** The ways to look at a master. */
interface Looks {
	readonly input: () => Promise<AnalysisInput>;
	readonly picture: () => Promise<AnalysisPicture>;
	/** For what needs few pixels. */
	readonly afar: () => Promise<Pixels>;
}

export function factFinder(models: Models): FactFinder {
	const searches: { readonly [K in FactKind]: Search<Facts[K]> } = {
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
	// Whoever asks about one and the same master twice has it decoded once.
	const seen = new WeakMap<Master, Promise<Pixels>>();
	const afar = (master: Master) => {
		const pixels = seen.get(master) ?? seenFromAfar(master);
		seen.set(master, pixels);
		return pixels;
	};
	return {
		async find(master, kind, signal) {
			signal.throwIfAborted();
			return await searches[kind]({ ...looksAt(master), afar: () => afar(master) }, signal);
		},
	};
}

function looksAt({ blob }: Master): Omit<Looks, "afar"> {
	const input = async () => blob.path ?? (await blob.read());
	return { input, picture: async () => await analysisPicture(await input()) };
}

/** On the smallest copy, where there is one. */
async function seenFromAfar({ blob, reductions = [] }: Master): Promise<Pixels> {
	const [smallest] = reductions.toSorted((one, other) => other.factor - one.factor);
	return await fromAfar((await smallest?.read()) ?? blob.path ?? (await blob.read()));
}

/** To ten-thousandths: finer than the model sees. */
function rounded({ left, top, width, height }: Region): Region {
	const round = (share: number) => Math.round(share * 10_000) / 10_000;
	return { left: round(left), top: round(top), width: round(width), height: round(height) };
}
