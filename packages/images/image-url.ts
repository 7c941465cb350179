import type { Addresses } from "@svc/base/addresses";
import type { ImageFacts } from "./images.ts";

/** The direct address of an image: a public capability link. */
export function imageUrl(addresses: Addresses, image: Pick<ImageFacts, "teamHash" | "id" | "format">): string {
	return `${addresses.cdn}/${image.teamHash}/${image.id}.${image.format}`;
}
