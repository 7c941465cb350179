import type { ImageFacts } from "./images.ts";
import type { Images } from "./room.ts";

/** What is known of a picture itself. */
export interface PictureFacts {
	/** In base64; null until it was looked at. */
	readonly thumbhash: string | null;
	/** `#rrggbb` each, most of the picture first; null until it was looked at. */
	readonly colours: readonly string[] | null;
	/** Milliseconds since 1970; null also where the picture does not say it. */
	readonly taken: number | null;
	/** Of the bytes as they were sent or fetched, in hexadecimal. */
	readonly sha256: string;
}

/** What is known of each image, by its id. A picture that was not looked at yet is looked at afterwards: seconds later it is known. */
export async function picturesFacts(
	room: Images,
	images: readonly ImageFacts[],
): Promise<ReadonlyMap<string, PictureFacts>> {
	const known = await room.pictureFacts.list(images.map(({ id }) => id));
	for (const image of images) {
		const facts = known.get(image.id);
		if (facts && !(facts.thumbhash && facts.colours)) room.shrunkMasters.want(image);
	}
	return known;
}
