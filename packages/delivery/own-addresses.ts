import { type AddressedImage, type ImageFacts, imageUrl } from "@svc/images/images";
import type { Delivery } from "./room.ts";
import { readSigned, signedQuery } from "./signature.ts";

type Signing = Pick<Delivery, "addresses" | "clock" | "ownSecrets">;

/** In this time a page that shows a picture has loaded it, also one that was restored with its tab. */
const SHOWN_SECONDS = 86_400;
/** For so long, and at most twice as long, the preview of a picture is shown to whoever was given its address. */
const PREVIEW_SECONDS = 300;
const PREVIEW_PARAMETERS = "size=s";

/** As the logo of an App is shown; more than twice as large as it is. */
export const LOGO_PARAMETERS = "w=96&h=96&fit=cover&format=png";

/**
 * Whether the service has signed this address for its own pages and calls: those are answered also where the App's bounds for links are reached. What it
 * signs for an App that has no key of its own is another form, or lasts longer: that stands on pages of the App.
 */
export function isOwnAddress(
	{ ownSecrets, clock }: Pick<Delivery, "ownSecrets" | "clock">,
	{ path, query }: { readonly path: string; readonly query: string },
): boolean {
	if (!query.includes("sig=")) return false;
	const nowMs = clock.now();
	const signed = readSigned(path, new URLSearchParams(query), ownSecrets.all(), nowMs);
	if (!signed) return false;
	const parameters = signed.parameters.toString();
	const seconds = signed.exp - nowMs / 1_000;
	return (
		(parameters === PREVIEW_PARAMETERS && seconds <= 2 * PREVIEW_SECONDS) ||
		(parameters === LOGO_PARAMETERS && seconds <= 2 * SHOWN_SECONDS)
	);
}

/** The address of an image on a page of the service itself: it is answered whatever the App's policy is, for a day. */
export function ownAddress(signing: Signing, image: AddressedImage, parameters: string): string {
	const exp = laterWindow(signing, SHOWN_SECONDS);
	return signedAddress(onOwnHost(signing), image, { parameters: new URLSearchParams(parameters), exp });
}

/** The service's own pages show pictures of its own host alone: that is the one that their policies name, and it answers whatever becomes of others. */
function onOwnHost({ addresses: { hosts: _, ...addresses }, ...signing }: Signing): Signing {
	return { ...signing, addresses };
}

/** An address that is answered whatever the App's policy is, and until when. */
export interface SignedAddress {
	readonly url: string;
	/** Milliseconds since 1970. */
	readonly expiresMs: number;
}

/**
 * Shows the smallest size of an image and nothing else, for five to ten minutes: the same address for five, so that browsers keep the picture.
 * Undefined for an image of which there is nothing to see.
 */
export function findPreview(
	signing: Signing,
	image: AddressedImage & Pick<ImageFacts, "status">,
): SignedAddress | undefined {
	if (image.status !== "ready") return undefined;
	const exp = laterWindow(signing, PREVIEW_SECONDS);
	const url = signedAddress(onOwnHost(signing), image, { parameters: new URLSearchParams(PREVIEW_PARAMETERS), exp });
	return { url, expiresMs: exp * 1_000 };
}

/**
 * An address of an image that is answered under every policy until `exp`, in seconds since 1970; nothing in it can be changed.
 * @param secret with the service's own where it is left out
 */
export function signedAddress(
	{ addresses, ownSecrets }: Pick<Delivery, "addresses" | "ownSecrets">,
	image: AddressedImage,
	{ parameters, exp, secret = ownSecrets.current() }: SignedAs,
): string {
	const url = imageUrl(addresses, image);
	return `${url}?${signedQuery(secret, new URL(url).pathname, parameters, exp)}`;
}

interface SignedAs {
	readonly parameters: URLSearchParams;
	readonly exp: number;
	readonly secret?: string | undefined;
}

/** The end of the window after the one that runs: addresses stay the same for a window, so that caches hold one of them. */
function laterWindow({ clock }: Signing, seconds: number): number {
	return (Math.floor(clock.now() / 1_000 / seconds) + 2) * seconds;
}
