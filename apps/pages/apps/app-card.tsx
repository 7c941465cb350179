import type { ShownApp } from "../kit/shown-app.ts";
import type { Message } from "../kit/text.ts";
import { t } from "./messages.ts";

/* Who is behind an App, for people who are about to sign in to it, or to pay it. */

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
