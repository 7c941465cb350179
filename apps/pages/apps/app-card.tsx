import { ownAddress } from "@svc/delivery/own-addresses";
import { imageUrl } from "@svc/images/images";
import { accentStylesheet } from "../kit/assets.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import type { ShownApp } from "../kit/shown-app.ts";
import type { Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/* Who is behind an App, for people who are about to sign in to it, or to pay it. */

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
		sheet: await findSheet(accent_color),
	};
}

/** Parsed once more on its way out: nothing but six digits is ever made into a sheet. */
async function findSheet(accent: string | null): Promise<string | null> {
	const digits = /^#([0-9a-f]{6})$/.exec(accent ?? "")?.[1];
	return digits === undefined ? null : (await accentStylesheet(digits)).path;
}

/** More than twice as large as it is shown. */
const LOGO_SIZE = "w=96&h=96&fit=cover&format=png";

/** What is blocked, locked, expired or deleted is not shown. */
async function findLogo({ images, delivery, clock }: PagesRooms, teamHash: string, id: string): Promise<string | null> {
	const found = await images.store.findAddressed(teamHash, id, clock.now());
	if (!found?.image || found.image.locked) return null;
	const { app, image } = found;
	// Where the App does not answer every address, ours is signed.
	if (app.policy !== "open") return ownAddress(delivery, image, LOGO_SIZE);
	return `${imageUrl(delivery.addresses, image)}?${LOGO_SIZE}`;
}

/** What an App says of itself besides its name and its picture, which the frame of the page has. */
export function AppCard({ app }: { readonly app: ShownApp | undefined }) {
	const links = app ? linksOf(app) : [];
	if (!app || (app.developer === null && links.length === 0)) return null;
	return (
		<div className="app">
			{app.developer && <p>{t("app.by", { developer: <bdi>{app.developer}</bdi> })}</p>}
			{links.length > 0 && (
				<ul className="others">
					{links.map(({ href, words }) => (
						<li key={href}>
							<AppLink href={href}>{words}</AppLink>
						</li>
					))}
				</ul>
			)}
		</div>
	);
}

interface Link {
	readonly href: string;
	readonly words: Message | string;
}

function linksOf({ homepage, privacy, terms, support }: ShownApp): readonly Link[] {
	return [
		// Its host is what people know it by, and cannot be made to say anything else.
		...(homepage === null ? [] : [{ href: homepage, words: new URL(homepage).host }]),
		...(privacy === null ? [] : [{ href: privacy, words: t("app.privacy") }]),
		...(terms === null ? [] : [{ href: terms, words: t("app.terms") }]),
		...(support === null ? [] : [{ href: `mailto:${encodeURI(support)}`, words: t("app.support") }]),
	];
}

/** What an App chose is no page of ours: it learns nothing of ours, and opens beside it. */
function AppLink({ href, children }: { readonly href: string; readonly children: Link["words"] }) {
	return (
		<a href={href} target="_blank" rel="noopener noreferrer nofollow">
			{children}
		</a>
	);
}
