import type { Image } from "@svc/sdk/shapes";
import { imageUrl } from "@svc/sdk/transform";

/** Pixels of the short side of `size=s`. */
const SMALL = 320;

/** A small picture, with its own colour until it is there. */
export function Thumb({ image }: { readonly image: Image }) {
	const scale = Math.min(1, SMALL / Math.max(1, Math.min(image.width, image.height)));
	const colour = image.facts?.colors?.[0];
	return (
		<>
			{colour && (
				<svg className="behind" aria-hidden="true" focusable="false">
					<rect width="100%" height="100%" fill={colour} />
				</svg>
			)}
			<img
				src={smallAddress(image)}
				loading="lazy"
				decoding="async"
				width={Math.max(1, Math.round(image.width * scale))}
				height={Math.max(1, Math.round(image.height * scale))}
				alt={image.caption}
			/>
		</>
	);
}

/** By an address that every delivery policy answers, where there is one. An SVG that was kept as it is has no sizes. */
export function smallAddress({ url, sizes, preview }: Image): string {
	if (preview) return preview.url;
	return sizes.small ? imageUrl(url, { size: "s" }) : url;
}
