import type { Addresses } from "@svc/base/addresses";
import { IMAGE_FORMATS } from "@svc/base/enumerations";
import type { ImageFacts } from "@svc/images/images";
import { isTransformable } from "@svc/images/transform/transform";
import type { LegacyImage } from "@svc/sdk/types";
import { integer, named, oneOf, uri } from "@svc/variants/shape";
import * as v from "valibot";
import { encodeVisibleImage, visibleImageEntries } from "../until-4.4/visible-image.ts";

/* The Image of interface 4.2.0: it has more formats, and may not be ready yet. */

/** The sizes of an image whose format is not final have no dimensions yet. */
export function encodeLegacyImage(image: ImageFacts, addresses: Addresses): LegacyImage {
	const { sizes, ...encoded } = encodeVisibleImage(image, addresses);
	const transformable = isTransformable(image.format);
	if (image.status !== "processing") return { ...encoded, sizes, transformable };
	const bare = Object.entries(sizes).map(([name, { url }]) => [name, { url }]);
	return { ...encoded, sizes: Object.fromEntries(bare), transformable };
}

const size = named("ImageSize", v.object({ url: uri, width: v.optional(integer), height: v.optional(integer) }));

export const legacyImageEntries = {
	...visibleImageEntries,
	sizes: named("ImageSizes", v.object({ small: v.optional(size), medium: v.optional(size), large: v.optional(size) })),
	format: oneOf("ImageFormat", IMAGE_FORMATS),
	transformable: v.boolean(),
};
