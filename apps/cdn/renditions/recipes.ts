import { Failure } from "@svc/base/failure";
import type { LogFacts } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import type { Asker, Master, MasterBlob, RenderAids, ShrunkMaster } from "@svc/images/ports";
import { hasGainMap } from "@svc/images/transform/mends";
import { LAYERS, type LayerName } from "@svc/images/transform/transform";
import type { RenditionCache } from "../cache/cache.ts";
import type { Originals } from "../cache/kept-originals.ts";
import type { ConfirmedImages } from "../confirmed.ts";
import { RETRY_SECONDS } from "./analysis.ts";
import type { Recipe, Rendered } from "./renders.ts";
import type { Layers, Rendition } from "./rendition.ts";
import { type InfoDeps, tellAbout } from "./rendition-info.ts";
import { AS_STORED, type ShrunkMasters } from "./shrunk-masters.ts";

interface RecipesDeps extends InfoDeps {
	readonly images: Pick<ConfirmedImages, "findNow">;
	readonly masters: Pick<Originals, "find" | "findWhole">;
	readonly cache: RenditionCache;
	readonly shrunkMasters: Pick<ShrunkMasters, "find">;
}

/** How renditions are made: of which master, with which aids, and where they are kept. */
export class Recipes {
	readonly #deps: RecipesDeps;

	constructor(deps: RecipesDeps) {
		this.#deps = deps;
	}

	/** @param facts what the log tells of it where it fails */
	of(image: Image, rendition: Rendition, facts: LogFacts): Recipe {
		const { cache } = this.#deps;
		let checkedAt = cache.moment();
		return {
			about: facts,
			make: async (asker) => {
				const made = await this.#make(image, rendition, asker).catch(async (cause: unknown) => {
					// Deleted meanwhile, so that its bytes could not be read any more.
					throw (await this.#isServable(image).catch(() => true)) ? cause : new Failure("not_found");
				});
				checkedAt = cache.moment();
				// The image was deleted while it was being made: a purge may have passed already and would not find an entry kept now.
				if (!(await this.#isServable(image))) throw new Failure("not_found");
				return made;
			},
			keep: async (made) => {
				await cache.put(rendition.key, made, image.blobKey, checkedAt, rendition.spec.isSmallest);
				return made instanceof Uint8Array ? undefined : (await cache.find(rendition.key))?.blob;
			},
		};
	}

	async #make(image: Image, rendition: Rendition, asker: Asker): Promise<Rendered> {
		const { spec, layers, mends } = rendition;
		const { renderer, analysis: searches } = this.#deps;
		const { transform, format } = spec;
		const shrunkMasters = this.#reductionsFor(image, rendition);
		const stored = await this.getStored(image, "findWhole", isReadNow(rendition, shrunkMasters));
		const master = { ...masterOf(image, stored), shrunkMasters };
		if (spec.tells) return await tellAbout(this.#deps, { image, master, spec }, asker);
		if (!transform) {
			const stripped = await renderer.strip(master, asker);
			// A store that is far away would be asked again at some visit: the bytes are kept here as they are.
			const isHere = stored.path !== undefined && stored.hold === undefined;
			return { made: stripped ?? (isHere ? AS_STORED : await stored.read()), provisional: false };
		}
		const { analysis, complete } = await searches.resolve(master, image.blobKey, transform, asker);
		if (transform.fx === "blur-faces" && !analysis.every_face) throw facesUnknown();
		const compact = rendition.isCompact && { isCompact: true };
		const aids = { ...analysis, ...withGainMap(mends), ...(await this.#findLayers(layers)), ...compact };
		const { made, format: of } = await renderer.render(master, transform, aids, asker);
		if (of !== format) throw new Error(`The renderer made ${of} where ${format} was due.`);
		// A layer that was deleted meanwhile is not used again, and neither is a rendition that was made with it.
		const there = await Promise.all(Object.values(layers).map((layer) => this.#isServable(layer)));
		return { made, provisional: !complete || there.includes(false) };
	}

	async #findLayers(layers: Layers): Promise<Partial<Record<LayerName, Master>>> {
		const found: Partial<Record<LayerName, Master>> = {};
		for (const name of LAYERS) {
			const image = layers[name];
			const master = image && (await this.#findMaster(image));
			if (master) found[name] = master;
		}
		return found;
	}

	/** The stripped master is read whole. */
	#reductionsFor(image: Image, { spec, mends }: Rendition): readonly ShrunkMaster[] {
		return spec.transform ? this.#deps.shrunkMasters.find(image, mends) : [];
	}

	async #findMaster(layer: Image): Promise<Master | undefined> {
		const stored = await this.#deps.masters.findWhole(layer.blobKey);
		if (stored) return masterOf(layer, stored);
		const cause = await this.#whyMissing(layer);
		if (cause instanceof Failure && cause.code === "not_found") return undefined;
		throw cause;
	}

	/** @throws DamagedMaster; Failure not_found when the image was deleted meanwhile, server_error when it was given other bytes */
	async getStored(image: Image, look: "find" | "findWhole" = "find", isReadNow = false): Promise<MasterBlob> {
		const stored = await this.#deps.masters[look](image.blobKey, isReadNow);
		if (stored) return stored;
		throw await this.#whyMissing(image);
	}

	/** Who deletes or replaces an image removes bytes that others are about to read: that is no fault of the store. */
	async #whyMissing({ teamHash, id, blobKey }: Image): Promise<Error> {
		const now = await this.#deps.images.findNow(teamHash, id);
		if (!now) return new Failure("not_found");
		return now.blobKey === blobKey ? new Error(`The blob of ${id} is missing.`) : replaced();
	}

	async #isServable({ teamHash, id }: Image): Promise<boolean> {
		return (await this.#deps.images.findNow(teamHash, id)) !== undefined;
	}
}

/** A worker that makes a rendition of the master itself compares all of it on the way. */
function isReadNow({ spec }: Rendition, copies: readonly ShrunkMaster[]): boolean {
	return !spec.tells && spec.transform !== undefined && copies.length === 0;
}

/** What a renderer is told of a master that has a map to bring along. */
function withGainMap(mends: Rendition["mends"]): Pick<RenderAids, "mends"> {
	return mends && hasGainMap(mends) ? { mends } : {};
}

function replaced(): Failure {
	return new Failure("server_error", undefined, {
		message: "This image has just been given other bytes; try again.",
		timedOut: true,
		retryAfterSeconds: RETRY_SECONDS,
	});
}

/** Rather than faces that were to be hidden. */
function facesUnknown(): Failure {
	return new Failure("server_error", undefined, {
		message: "Faces cannot be looked for in this image right now; try again shortly.",
		timedOut: true,
		retryAfterSeconds: RETRY_SECONDS,
	});
}

function masterOf({ format, width, height }: Image, blob: MasterBlob): Master {
	return { blob, format, width, height };
}
