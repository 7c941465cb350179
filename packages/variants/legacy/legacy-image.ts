import type { Addresses } from "@svc/base/addresses";
import { IMAGE_FORMATS } from "@svc/base/enumerations";
import type { ImageFacts } from "@svc/images/images";
import { isTransformable } from "@svc/images/transform/transform";
import type { ImageSize } from "@svc/sdk/shapes";
import type { LegacyImage } from "@svc/sdk/types";
import * as v from "valibot";
import { named, oneOf } from "../shape.ts";
import { encodeVisibleImage, visibleImageEntries } from "../until-4.4/visible-image.ts";
import { sizeEntries } from "../wire.ts";

/* The Image of interface 4.2.0: it has more formats, and may not be ready yet. */

/** An image without renditions has no sizes, and one whose format is not final has them without dimensions. */
export function encodeLegacyImage(image: ImageFacts, addresses: Addresses): LegacyImage {
	const transformable = isTransformable(image.format);
	const { sizes, ...encoded } = encodeVisibleImage(image, addresses);
	if (!transformable) return { ...encoded, sizes: {}, transformable };
	if (image.status !== "processing") return { ...encoded, sizes, transformable };
	const { small, medium, large } = sizes;
	return { ...encoded, sizes: { small: bare(small), medium: bare(medium), large: bare(large) }, transformable };
}

function bare({ url }: ImageSize): ImageSize {
	return { url };
}

const size = named(
	"ImageSize",
	v.object({
		url: sizeEntries.url,
		width: v.optional(sizeEntries.width),
		height: v.optional(sizeEntries.height),
	}),
);

export const legacyImageEntries = {
	...visibleImageEntries,
	sizes: named("ImageSizes", v.object({ small: v.optional(size), medium: v.optional(size), large: v.optional(size) })),
	format: oneOf("ImageFormat", IMAGE_FORMATS),
	transformable: v.boolean(),
};
