import type { ImageFacts } from "./images.ts";

/** The three origins that a deployment is reached at; no trailing slashes. */
export interface Addresses {
	/** REST. */
	readonly base: string;
	/** Hosted pages. */
	readonly web: string;
	/** Transform host. */
	readonly cdn: string;
}

/** The direct address of an image: a public capability link. */
export function imageUrl(addresses: Addresses, image: Pick<ImageFacts, "teamHash" | "id" | "format">): string {
	return `${addresses.cdn}/${image.teamHash}/${image.id}.${image.format}`;
}
