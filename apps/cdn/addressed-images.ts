import { inTime } from "@svc/base/pace/patience";
import type { Clock } from "@svc/base/ports";
import type { Image } from "@svc/images/images";
import { type Address, ignoredNames, parseAddress } from "./address.ts";
import { type ConfirmedImages, type Sighted, unanswered } from "./confirmed.ts";
import { type AdmittedAddress, admit, type DeliveryDoor } from "./delivery.ts";
import type { FrameCounts } from "./renditions/frame-counts.ts";
import type { Versions } from "./renditions/versions.ts";
import { askerOf, KEPT_MS, leftMs, type PictureVisit, type WantedImage } from "./visit.ts";

interface AddressedDeps {
	readonly addressOf: (request: Request) => string;
	readonly clock: Clock;
	/** Undefined where all Apps answer every address. */
	readonly delivery: DeliveryDoor | undefined;
	readonly images: Pick<ConfirmedImages, "find">;
	readonly frames: Pick<FrameCounts, "find">;
	readonly versions: Pick<Versions, "find">;
}

/** Finds what an address asks for, for whom it may be shown to. */
export class AddressedImages {
	readonly #deps: AddressedDeps;

	constructor(deps: AddressedDeps) {
		this.#deps = deps;
	}

	/** The image is looked up first and on every request: once deleted, it is gone, whatever is cached or being made. */
	async find(visit: PictureVisit): Promise<WantedImage | "forbidden" | "elsewhere" | undefined> {
		const address = parseAddress(visit.request.url);
		visit.imageId = address?.imageId;
		const found = address && (await this.#deps.images.find(address.teamHash, address.imageId));
		if (!found || (visit.only ?? found.app.appPk) !== found.app.appPk) return undefined;
		// Before it is said whether there is an image: who may not see it does not learn that either.
		const admitted = await this.#admit(visit, address, found);
		if (!admitted) return "forbidden";
		const bounds = await this.#boundsOf(visit, address, found);
		if (bounds?.isElsewhere(visit.request)) return "elsewhere";
		const { image } = found;
		if (!image) return undefined;
		let { stale } = found;
		const accept = visit.request.headers.get("accept");
		const counting = this.#deps.frames.find(image, admitted.query, () => askerOf(visit, image, this.#deps.addressOf));
		const frames = await (stale ? inTime(counting, leftMs(visit, KEPT_MS), unanswered) : counting);
		const form = { extension: address.extension, query: admitted.query, accept, frames };
		const picture = { image, mends: found.mends, compact: found.compact };
		const rendition = await this.#deps.versions.find(picture, form, async (id) => {
			const layer = await this.findLayer(visit, image, id);
			stale ||= layer?.stale ?? false;
			return layer;
		});
		const { exp, query } = admitted;
		return rendition && { image, form, rendition, stale, exp, ignored: ignoredNames(query), bounds };
	}

	async findLayer(visit: PictureVisit, { teamHash }: Image, id: string): Promise<Sighted | undefined> {
		const layer = await this.#deps.images.find(teamHash, id, leftMs(visit));
		if (layer?.image) visit.layers.push(layer.image);
		return layer;
	}

	#boundsOf(visit: PictureVisit, address: Address, { app, stale }: Sighted) {
		const bounds = this.#deps.delivery?.boundsOf(app, address);
		return bounds instanceof Promise ? inTime(bounds, leftMs(visit, stale ? KEPT_MS : 0), unanswered) : bounds;
	}

	#admit(
		visit: PictureVisit,
		address: Address,
		{ app, stale }: Sighted,
	): AdmittedAddress | undefined | Promise<AdmittedAddress | undefined> {
		const { delivery, clock } = this.#deps;
		if (!delivery) return address;
		const admitted = admit(address, app, delivery, clock.now());
		// Where the rules cannot be read nothing is answered that they may forbid.
		return admitted instanceof Promise ? inTime(admitted, leftMs(visit, stale ? KEPT_MS : 0), unanswered) : admitted;
	}
}
