import { LeastRecent } from "@svc/base/pace/least-recent";
import type { Image } from "@svc/images/images";
import type { Asker } from "@svc/images/ports";
import { isAnimatable, parseManner, parseTransform } from "@svc/images/transform/transform";
import type { Originals } from "../cache/kept-originals.ts";
import { unanswered } from "../confirmed.ts";
import type { AnalysisSearches } from "./analysis.ts";

interface FrameCountsDeps {
	readonly masters: Pick<Originals, "find">;
	readonly analysis: Pick<AnalysisSearches, "findIn">;
}

const MAX_REMEMBERED = 4_096;

/** Names may be said with other characters. */
const COUNTED = /frame|auto|%/i;

/** How many frames pictures have, for the addresses whose meaning depends on it. */
export class FrameCounts {
	readonly #deps: FrameCountsDeps;
	/** By blob key; the bytes of one never change. */
	readonly #known = new LeastRecent<string, number>(MAX_REMEMBERED);

	constructor(deps: FrameCountsDeps) {
		this.#deps = deps;
	}

	/** Undefined where it does not matter. @throws Failure `server_error`, timedOut, where one frame is asked for and nobody can count them now */
	async find(image: Image, query: string, asker: () => Asker): Promise<number | undefined> {
		if (!COUNTED.test(query) || !isAnimatable(image.format)) return undefined;
		const parameters = new URLSearchParams(query);
		const asksForOne = parseTransform(parameters).frame !== undefined;
		if (!asksForOne && !parseManner(parameters).isAuto) return undefined;
		const frames = this.#known.get(image.blobKey) ?? (await this.#count(image, asker()));
		if (frames === undefined && asksForOne) throw unanswered();
		return frames;
	}

	async #count({ blobKey, format, width, height }: Image, asker: Asker): Promise<number | undefined> {
		const blob = await this.#deps.masters.find(blobKey);
		const header =
			blob && (await this.#deps.analysis.findIn({ blob, format, width, height }, blobKey, "header", asker));
		if (!header) return undefined;
		this.#known.set(blobKey, header.frames);
		return header.frames;
	}
}
