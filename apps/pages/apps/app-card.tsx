import { ownAddress } from "@svc/delivery/own-addresses";
import { imageUrl } from "@svc/images/images";
import { contentPolicy } from "../kit/layout.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/* Who is behind an App, for people who are about to sign in to it, or to pay it. */

export interface ShownApp {
	readonly name: string;
	readonly developer: string | null;
	readonly homepage: string | null;
	readonly privacy: string | null;
	readonly terms: string | null;
	readonly support: string | null;
	/** The address of its picture; null where there is none that may be shown. */
	readonly logo: string | null;
}

/** @param app by its internal id */
export async function findShownApp(rooms: PagesRooms, app: { readonly pk: number }): Promise<ShownApp | undefined> {
	const found = await rooms.apps.profiles.find(app.pk);
	if (!found) return undefined;
	const { name, profile, teamHash } = found;
	const { developer, homepage_url, privacy_url, terms_url, support_email, logo_image_id } = profile;
	return {
		...{ name, developer },
		...{ homepage: homepage_url, privacy: privacy_url, terms: terms_url, support: support_email },
		logo: logo_image_id === null ? null : await findLogo(rooms, teamHash, logo_image_id),
	};
}

/** Twice as large as it is shown. */
const LOGO_SIZE = "w=96&h=96&fit=cover&format=png";
/** In pixels. */
const LOGO_SHOWN = 48;

/** What is blocked, locked, expired or deleted is not shown. */
async function findLogo({ images, delivery, clock }: PagesRooms, teamHash: string, id: string): Promise<string | null> {
	const found = await images.store.findAddressed(teamHash, id, clock.now());
	if (!found?.image || found.image.locked) return null;
	const { app, image } = found;
	// Where the App does not answer every address, ours is signed.
	if (app.policy !== "open") return ownAddress(delivery, image, LOGO_SIZE);
	return `${imageUrl(delivery.addresses, image)}?${LOGO_SIZE}`;
}

/** The headers of a page that shows an App: its picture comes from another origin, which no other page may load from. */
export function headersFor(app: ShownApp | undefined): Readonly<Record<string, string>> {
	if (!app?.logo) return {};
	return { "Content-Security-Policy": contentPolicy(new URL(app.logo).origin) };
}

/** Nothing for an App that says nothing of itself but its name, which the page has anyway. */
export function AppCard({ app }: { readonly app: ShownApp | undefined }) {
	if (!app || Object.entries(app).every(([field, value]) => field === "name" || value === null)) return null;
	const { name, developer, logo } = app;
	const links = linksOf(app);
	return (
		<div className="app">
			{/* The name beside it says what it shows. Should it not load after all, nothing stands in its place. */}
			{logo && <img src={logo} width={LOGO_SHOWN} height={LOGO_SHOWN} alt="" />}
			<p>
				<strong>
					<bdi>{name}</bdi>
				</strong>
				{developer && (
					<>
						<br />
						{t("app.by", { developer: <bdi>{developer}</bdi> })}
					</>
				)}
			</p>
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
