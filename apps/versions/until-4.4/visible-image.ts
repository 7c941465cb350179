import type { Addresses } from "@svc/base/addresses";
import type { ImageFacts } from "@svc/images/images";
import type { Image } from "@svc/sdk/shapes";
import { uri } from "@svc/variants/shape";
import { encodeImage, imageEntries } from "@svc/variants/wire";
import * as v from "valibot";

/* The Image where each has a visibility, and a page of its own. */

export function imagePageUrl({ web }: Pick<Addresses, "web">, id: string): string {
	return `${web}/i/${id}`;
}

/** An image from an interface without visibility is private. */
export function encodeVisibleImage(image: ImageFacts, addresses: Addresses): Image {
	return {
		...encodeImage(image, addresses),
		page_url: imagePageUrl(addresses, image.id),
		public: image.public ?? false,
	};
}

export const visibleImageEntries = { ...imageEntries, page_url: uri, public: v.boolean() };
