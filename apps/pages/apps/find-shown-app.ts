import { LOGO_PARAMETERS, ownAddress } from "@svc/delivery/own-addresses";
import { imageUrl } from "@svc/images/images";
import { accentPath } from "../kit/assets.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import type { ShownApp } from "../kit/shown-app.ts";

/* An App as it shows itself, read from its profile. */

/** @param app by its internal id */
export async function findShownApp(rooms: PagesRooms, app: { readonly pk: number }): Promise<ShownApp | undefined> {
	const found = await rooms.apps.profiles.find(app.pk);
	if (!found) return undefined;
	const { name, profile, teamHash } = found;
	const { developer, homepage_url, privacy_url, terms_url, support_email, logo_image_id, accent_color } = profile;
	return {
		...{ name, developer },
		...{ homepage: homepage_url, privacy: privacy_url, terms: terms_url, support: support_email },
		logo: logo_image_id === null ? null : await findLogo(rooms, teamHash, logo_image_id),
		sheet: await accentPath(accent_color),
	};
}

/** What is blocked, locked, expired or deleted is not shown. */
async function findLogo({ images, delivery, clock }: PagesRooms, teamHash: string, id: string): Promise<string | null> {
	const found = await images.store.findAddressed(teamHash, id, clock.now());
	if (!found?.image || found.image.locked) return null;
	const { app, image } = found;
	// Where the App does not answer every address, or not for everybody, ours is signed.
	if (app.policy !== "open" || app.terms) return ownAddress(delivery, image, LOGO_PARAMETERS);
	const { hosts: _, ...addresses } = delivery.addresses;
	return `${imageUrl(addresses, image)}?${LOGO_PARAMETERS}`;
}
