import { invalid } from "@svc/base/failure";
import type { AddressedImage } from "@svc/images/images";
import { type SignedAddress, signedAddress } from "./own-addresses.ts";
import { checkParameters } from "./parameters.ts";
import type { PresetParameters } from "./preset.ts";
import type { Delivery } from "./room.ts";

interface ToSign {
	/** Of the transform host, or `preset` with the name of one. */
	readonly parameters: PresetParameters;
	readonly seconds: number;
}

/**
 * Signs an address for somebody who has none of the App's secrets, which are shown once: with the App's newest signing key, so that deleting
 * that ends it, and where there is none with the service's own.
 * @throws Failure validation_error, naming each parameter that the transform host would ignore
 */
export async function signAddress(
	room: Delivery,
	image: AddressedImage,
	{ parameters: { preset, ...parameters }, seconds }: ToSign,
): Promise<SignedAddress> {
	checkParameters(parameters);
	if (preset !== undefined && !(await room.presets.isNamed(image.appPk, preset)))
		throw invalid("parameters.preset", "is the name of no preset of this App");
	const exp = Math.floor(room.clock.now() / 1_000) + seconds;
	const secret = await room.signingKeys.newestSecret(image.appPk);
	const asked = new URLSearchParams({ ...parameters, ...(preset !== undefined && { preset }) });
	return { url: signedAddress(room, image, { parameters: asked, exp, secret }), expiresMs: exp * 1_000 };
}
