import { isKnown } from "@svc/base/http/conditions";
import type { LogFacts } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import type { Asker } from "@svc/images/ports";
import { ALL_MENDS, type FoundMends, pixelMend } from "@svc/images/transform/mends";
import type { DailyCounters } from "@svc/images/usage/daily-usage";
import type { RenditionCache } from "../cache/cache.ts";
import { type ConfirmedImages, type Sighted, unanswered } from "../confirmed.ts";
import type { MendLooks, Pictured } from "./mend-looks.ts";
import type { Recipes } from "./recipes.ts";
import { type Remade, Remakes, type RemakesDeps } from "./remakes.ts";
import type { Renders } from "./renders.ts";
import { type Form, type Rendition, Renditions } from "./rendition.ts";
import type { ShrunkMasters } from "./shrunk-masters.ts";

export interface VersionsDeps extends RemakesDeps {
	/** Names the model that finds subjects: another model would find other subjects. */
	readonly subjectModel: string;
	readonly looks: MendLooks;
	readonly images: Pick<ConfirmedImages, "find" | "findNow">;
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
	async find({ image, mends }: Pictured, form: Form, findLayer: FindLayer): Promise<Rendition | undefined> {
		const pictured = async (one: Image, read: FoundMends | undefined) => ({
			image: one,
			mends: this.#deps.looks.known(one, read),
		});
		return await this.#findBy(await pictured(image, mends), form, findLayer, pictured);
	}

	/** After a look at the pictures, where that may say anything. */
	async findSeen(image: Image, form: Form, findLayer: FindLayer, asker: Asker): Promise<Rendition | undefined> {
		const known = await this.find({ image, mends: undefined }, form, findLayer);
		if (known?.unseen.length === 0) return known;
		const pictured = async (one: Image) => ({ image: one, mends: await this.#deps.looks.findOrAll(one, asker) });
		return await this.#findBy(await pictured(image), form, findLayer, pictured);
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
		const { image, form, rendition, stale } = wanted;
		const { before, unseen } = rendition;
		if (before.length === 0 && unseen.length === 0) return wanted;
		const { request, asker, findLayer } = showing;
		const isThere = this.#isKept(rendition) || isKnown(request.headers.get("if-none-match"), rendition.etag);
		const older = isThere ? undefined : before.find((one) => this.#isKept(one));
		if (unseen.length === 0 && !older) return wanted;
		if (!isThere && !older && !stale) {
			const seen = await this.findSeen(image, form, findLayer, asker());
			if (seen) this.#describeAnew(image, seen);
			return { ...wanted, ...(seen && { rendition: seen }) };
		}
		if (!stale) this.#wantRemade(wanted, showing.about);
		return { ...wanted, rendition: { ...rendition, ...older }, isBrief: true };
	}

	#wantRemade({ image, form, rendition: { before, key } }: ShownImage, about: LogFacts): void {
		// Under one name, whatever comes to be known of the picture.
		this.#remakes.want(before.at(-1)?.key ?? key, () => this.#remake(image, form, about));
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
	async #remake({ teamHash, id, blobKey }: Image, form: Form, about: LogFacts): Promise<Remade> {
		const { images, cache, renders, recipes, served, forgetInFront } = this.#deps;
		const image = await images.findNow(teamHash, id);
		if (image?.blobKey !== blobKey) return "unaltered";
		const pictured = async (one: Image) => {
			const mends = await this.#deps.looks.findOrAll(one, LATER);
			if (mends === ALL_MENDS) throw unanswered();
			return { image: one, mends };
		};
		const findLayer = (layer: string) => images.find(teamHash, layer);
		const rendition = await this.#findBy(await pictured(image), form, findLayer, pictured);
		const older = rendition?.before.filter((one) => this.#isKept(one)) ?? [];
		if (!rendition || older.length === 0) return "unaltered";
		if (!this.#isKept(rendition)) {
			await renders.run(rendition.key, LATER, recipes.of(image, rendition, about));
			if (!(await cache.isOnDisk(rendition.key))) throw new Error("A rendition that was made anew could not be kept.");
			served.countRendition(image.storagePk);
		}
		for (const { key } of older) await cache.drop(key);
		this.#describeAnew(image, rendition);
		await forgetInFront(id);
		return "made";
	}

	#isKept({ key }: Pick<Rendition, "key">): boolean {
		return this.#deps.cache.bytesOf(key) !== undefined;
	}
}
