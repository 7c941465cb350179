import type { FactKind, Facts, Mask, Region } from "@svc/core/facts";
import type { FactFinder, Master } from "@svc/core/ports";
import { type AnalysisInput, type AnalysisPicture, analysisPicture, findContent, findFocus } from "./analysis.ts";

/** What needs a model: it looks at an analysis picture, and throws when it has no answer. */
export interface Models {
	faces(picture: AnalysisPicture, signal: AbortSignal): Promise<readonly Region[]>;
	subject(picture: AnalysisPicture, signal: AbortSignal): Promise<Mask | undefined>;
}

type Search<Value> = (looks: Looks, signal: AbortSignal) => Promise<Value>;

/** The two ways to look at a master. */
interface Looks {
	readonly input: () => Promise<AnalysisInput>;
	readonly picture: () => Promise<AnalysisPicture>;
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
	};
	return {
		async find(master, kind, signal) {
			signal.throwIfAborted();
			return await searches[kind](looksAt(master), signal);
		},
	};
}

function looksAt({ blob }: Master): Looks {
	const input = async () => blob.path ?? (await blob.read());
	return { input, picture: async () => await analysisPicture(await input()) };
}

/** To ten-thousandths: finer than the model sees. */
function rounded({ left, top, width, height }: Region): Region {
	const round = (share: number) => Math.round(share * 10_000) / 10_000;
	return { left: round(left), top: round(top), width: round(width), height: round(height) };
}
