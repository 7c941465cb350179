import { FAKE_IMAGE } from "../../fake-objects.ts";
import type { FakeAnswer } from "../../fake-world.ts";

// One grey pixel.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";

/** A picture, as the transform host and the authenticated preview answer. */
export function fakePicture(): Response {
	return new Response(Buffer.from(PNG, "base64"), { headers: { "content-type": "image/png" } });
}

/** What is made of an image, and batches of them. */
export const IMAGE_ANSWERS: readonly FakeAnswer[] = [
	["GET", /^\/t\//, fakePicture],
	[
		"PATCH",
		/^\/v1\/images\/batch$/,
		() => ({ object: "batch_result", data: [FAKE_IMAGE, { ...FAKE_IMAGE, id: "img_2" }], errors: [] }),
	],
];
