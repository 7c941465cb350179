import { type ImageFacts, imageUrl } from "@svc/images/images";
import type { Delivery } from "./room.ts";
import { signedQuery } from "./signature.ts";

/** In this time a page that shows a picture has loaded it, also one that was restored with its tab. */
const SHOWN_SECONDS = 86_400;

/** The address of an image on a page of the service itself: it is answered whatever the App's policy is, for a day. */
export function ownAddress(
	{ addresses, clock, ownSecrets }: Pick<Delivery, "addresses" | "clock" | "ownSecrets">,
	image: Pick<ImageFacts, "teamHash" | "id" | "format">,
	parameters: string,
): string {
	const url = imageUrl(addresses, image);
	// Addresses stay the same for hours, so that caches hold one of them.
	const exp = Math.ceil(clock.now() / 1_000 / SHOWN_SECONDS + 1) * SHOWN_SECONDS;
	return `${url}?${signedQuery(ownSecrets.current(), url.slice(addresses.cdn.length), new URLSearchParams(parameters), exp)}`;
}
