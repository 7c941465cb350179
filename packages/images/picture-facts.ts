import type { ImageFacts } from "./images.ts";
import type { PictureFacts } from "./ports.ts";
import type { Images } from "./room.ts";

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
