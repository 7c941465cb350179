import { isKnown } from "@svc/base/http/conditions";
import type { LogFacts } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import type { Asker, ImageStore } from "@svc/images/ports";
import { COMPACT_MAX } from "@svc/images/transform/compact";
import { ALL_MENDS, type FoundMends, pixelMend } from "@svc/images/transform/mends";
import type { DailyCounters } from "@svc/images/usage/daily-usage";
import type { RenditionCache } from "../cache/cache.ts";
import { type ConfirmedImages, type Sighted, unanswered } from "../confirmed.ts";
import type { MendLooks, Pictured } from "./mend-looks.ts";
import type { Recipes } from "./recipes.ts";
import { type Remade, Remakes, type RemakesDeps } from "./remakes.ts";
import type { Renders } from "./renders.ts";
import { type Form, type NamedBytes, type Rendition, Renditions } from "./rendition.ts";
import type { ShrunkMasters } from "./shrunk-masters.ts";

export interface VersionsDeps extends RemakesDeps {
	/** Names the model that finds subjects: another model would find other subjects. */
	readonly subjectModel: string;
	readonly looks: MendLooks;
	readonly images: Pick<ConfirmedImages, "find" | "findNow">;
	readonly noteCompact: ImageStore["noteCompact"];
	readonly renders: Pick<Renders, "run">;
	readonly recipes: Pick<Recipes, "of">;
	readonly cache: Pick<RenditionCache, "bytesOf" | "drop" | "isOnDisk">;
	readonly shrunkMasters: Pick<ShrunkMasters, "describeAnew">;
	readonly served: Pick<DailyCounters, "countRendition">;
	/** Has the caches in front forget what they keep of an image. */
	readonly forgetInFront: (imageId: string) => Promise<void>;
}

/** What is shown of an image. */
export interface ShownImage {
	readonly image: Image;
	readonly form: Form;
	readonly rendition: Rendition;
	/** True where the database could not be asked. */
	readonly stale: boolean;
	/** True where an earlier release may have made it otherwise: in a moment it may be another one. */
	readonly isBrief?: boolean;
}

/** Finds an image that lies over another one. */
type FindLayer = (id: string) => Promise<Sighted | undefined>;

interface Showing {
	readonly request: Request;
	readonly asker: () => Asker;
	readonly findLayer: FindLayer;
	/** For the log. */
	readonly about: LogFacts;
}

const LATER: Asker = { signal: new AbortController().signal, background: true };

/**
 * Which version of a rendition is shown. What an earlier release made is served until it is known to be as it is now, or is made anew, neither of
 * which a request waits for.
 */
export class Versions {
	readonly #deps: VersionsDeps;
	readonly #renditions: Renditions;
	readonly #remakes: Remakes;

	constructor(deps: VersionsDeps) {
		this.#deps = deps;
		this.#renditions = new Renditions(deps.subjectModel);
		this.#remakes = new Remakes(deps);
	}

	/** By what is known of the pictures. Undefined where there cannot be such a file. */
	async find({ image, mends, compact }: Pictured, form: Form, findLayer: FindLayer): Promise<Rendition | undefined> {
		const pictured = async (one: Image, read: FoundMends | undefined) => ({
			image: one,
			mends: this.#deps.looks.known(one, read),
		});
		return await this.#findBy({ ...(await pictured(image, mends)), compact }, form, findLayer, pictured);
	}

	/** After a look at the pictures, where that may say anything. */
	async findSeen(
		image: Image,
		form: Form,
		findLayer: FindLayer,
		asker: Asker,
		compact?: Pictured["compact"],
	): Promise<Rendition | undefined> {
		const known = await this.find({ image, mends: undefined, compact }, form, findLayer);
		if (known?.unseen.length === 0) return known;
		const pictured = async (one: Image) => ({ image: one, mends: await this.#deps.looks.findOrAll(one, asker) });
		return await this.#findBy({ ...(await pictured(image)), compact }, form, findLayer, pictured);
	}

	async #findBy(
		picture: Pictured,
		form: Form,
		findLayer: FindLayer,
		pictured: (image: Image, read: FoundMends | undefined) => Promise<Pictured>,
	): Promise<Rendition | undefined> {
		return await this.#renditions.find(picture, form, async (id) => {
			const layer = await findLayer(id);
			return layer?.image && (await pictured(layer.image, layer.mends));
		});
	}

	/** What is shown now. Where nothing is kept of a picture that is not known, it is looked at first. */
	async shown<Wanted extends ShownImage>(wanted: Wanted, showing: Showing): Promise<Wanted> {
		const { before, unseen } = wanted.rendition;
		if (before.length === 0 && unseen.length === 0) return wanted;
		const { rendition } = wanted;
		const isThere = this.#isKept(rendition) || isKnown(showing.request.headers.get("if-none-match"), rendition.etag);
		if (isThere && unseen.length === 0) return wanted;
		const older = isThere ? undefined : before.find((one) => this.#isKept(one));
		if (isThere || older) return this.#meanwhile(wanted, older, showing.about);
		return await this.#nothingKept(wanted, showing);
	}

	async #nothingKept<Wanted extends ShownImage>(wanted: Wanted, showing: Showing): Promise<Wanted> {
		const { image, form, rendition, stale } = wanted;
		// Nobody waits for what takes its time to be small.
		if (rendition.unseen.length === 0) return rendition.isCompact ? briefly(wanted, rendition.before[0]) : wanted;
		if (stale) return briefly(wanted);
		const seen = await this.findSeen(image, form, showing.findLayer, showing.asker(), rendition.compact);
		if (!seen) return wanted;
		this.#describeAnew(image, seen);
		const shown = { ...wanted, rendition: seen };
		return seen.isCompact ? briefly(shown, seen.before[0]) : shown;
	}

	/** What is there, for as long as it takes to look or to make it anew. */
	#meanwhile<Wanted extends ShownImage>(wanted: Wanted, older: NamedBytes | undefined, about: LogFacts): Wanted {
		if (!wanted.stale) this.#wantRemade(wanted, about);
		return briefly(wanted, older);
	}

	#wantRemade({ image, form, rendition: { before, key, compact } }: ShownImage, about: LogFacts): void {
		// Under one name, whatever comes to be known of the picture.
		this.#remakes.want(before.at(-1)?.key ?? key, () => this.#remake({ image, compact }, form, about));
	}

	/** What is asked for often is made once more in fewer bytes: here and on other machines, when it is asked for again. */
	wantCompact({ blobKey }: Image, { compact = [], compactName, key }: Rendition): void {
		if (compactName === undefined || compact.includes(compactName) || compact.length >= COMPACT_MAX) return;
		this.#remakes.want(`compact ${key}`, async () => {
			await this.#deps.noteCompact(blobKey, compactName, this.#deps.clock.now());
			return "noted";
		});
	}

	/** What was found out about a picture that was shown wrongly is found out once more. */
	#describeAnew(image: Image, { mends }: Rendition): void {
		if (pixelMend({ format: image.format, mends }) === 0) return;
		this.#remakes.want(`facts of ${image.blobKey}`, async () => {
			await this.#deps.shrunkMasters.describeAnew(image);
			return "made";
		});
	}

	/** Looks at the pictures, and where a mend concerns them makes the rendition anew, in the place of those of before. */
	async #remake(
		{ image: { teamHash, id, blobKey }, compact }: Pick<Pictured, "image" | "compact">,
		form: Form,
		about: LogFacts,
	): Promise<Remade> {
		const { images, cache, forgetInFront } = this.#deps;
		const image = await images.findNow(teamHash, id);
		if (image?.blobKey !== blobKey) return "unaltered";
		const pictured = async (one: Image) => {
			const mends = await this.#deps.looks.findOrAll(one, LATER);
			if (mends === ALL_MENDS) throw unanswered();
			return { image: one, mends };
		};
		const findLayer = (layer: string) => images.find(teamHash, layer);
		const rendition = await this.#findBy({ ...(await pictured(image)), compact }, form, findLayer, pictured);
		const older = rendition?.before.filter((one) => this.#isKept(one)) ?? [];
		if (!rendition || older.length === 0) return "unaltered";
		if (!this.#isKept(rendition))
			await this.#makeAnew(image, rendition, { about, bytes: cache.bytesOf(older[0]?.key ?? "") });
		for (const { key } of older) await cache.drop(key);
		this.#describeAnew(image, rendition);
		await forgetInFront(id);
		return "made";
	}

	/** @param before how many bytes it had */
	async #makeAnew(
		image: Image,
		rendition: Rendition,
		{ about, bytes = 0 }: { readonly about: LogFacts; readonly bytes: number | undefined },
	): Promise<void> {
		const { cache, renders, recipes, served, meters } = this.#deps;
		await renders.run(rendition.key, LATER, recipes.of(image, rendition, about));
		if (!(await cache.isOnDisk(rendition.key))) throw new Error("A rendition that was made anew could not be kept.");
		served.countRendition(image.storagePk);
		if (!rendition.isCompact) return;
		meters.count("svc_cdn_compact_bytes_total", { of: "plain" }, bytes);
		meters.count("svc_cdn_compact_bytes_total", { of: "compact" }, cache.bytesOf(rendition.key) ?? 0);
	}

	#isKept({ key }: Pick<Rendition, "key">): boolean {
		return this.#deps.cache.bytesOf(key) !== undefined;
	}
}

/** This version for now: in a moment it may be another one. */
function briefly<Wanted extends ShownImage>(wanted: Wanted, version?: NamedBytes): Wanted {
	return { ...wanted, rendition: { ...wanted.rendition, ...version }, isBrief: true };
}
