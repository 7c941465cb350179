import { findPreview } from "@svc/delivery/own-addresses";
import type { ImageFacts } from "@svc/images/images";
import { picturesFacts } from "@svc/images/picture-facts";
import type { PictureFacts } from "@svc/images/ports";
import { hasGainMap } from "@svc/images/transform/mends";
import type { Call } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { readInclude } from "../kit/include.ts";
import { refuseParameters } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";

/** What a call wants to know of images besides. */
export type Included = ReadonlySet<string>;

const NOTHING_MORE: Included = new Set();

/**
 * Reads what a call that takes no other parameter wants to know besides.
 * @param known further parameters
 * @throws Failure validation_error
 */
export function readIncluded(
	{ variant }: ApiRooms,
	{ url }: Pick<Call, "url">,
	known: readonly string[] = [],
): Included {
	if (url.searchParams.size === 0) return NOTHING_MORE;
	const { includes } = variant.image;
	refuseParameters(url.searchParams, (name) => known.includes(name) || (includes.length > 0 && name === "include"));
	return readInclude(url.searchParams, includes);
}

/** Images as they are answered, with what else was asked for. */
export async function showImages(rooms: ApiRooms, images: readonly ImageFacts[], included: Included) {
	const shown = images.map((image) => ({
		...rooms.variant.image.encode(image, rooms.addresses),
		...(included.has("revision") && { revision: image.revision }),
		...(included.has("preview") && { preview: encodePreview(rooms, image) }),
	}));
	if (!included.has("facts")) return shown;
	const known = await picturesFacts(rooms.images, images);
	return shown.map((image) => {
		const facts = known.get(image.id);
		return facts === undefined ? image : { ...image, facts: encodeFacts(facts) };
	});
}

export async function showImage(rooms: ApiRooms, image: ImageFacts, included: Included) {
	const [shown] = await showImages(rooms, [image], included);
	return shown;
}

function encodePreview({ delivery }: ApiRooms, image: ImageFacts) {
	const preview = findPreview(delivery, image);
	return preview ? { url: preview.url, expires_at: isoDate(preview.expiresMs) } : null;
}

export function encodeFacts({ thumbhash, colours, taken, mends, sha256 }: PictureFacts) {
	return { thumbhash, colors: colours, taken_at: isoDate(taken), ...(hasGainMap(mends) && { hdr: true }), sha256 };
}
