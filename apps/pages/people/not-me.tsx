import { findDeed, takeBackDeed } from "@svc/erasure/not-me";
import type { SentLetter } from "@svc/people/letters/security-letter";
import { readForm } from "../kit/form.ts";
import { Alert, Moment, strong } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Message } from "../kit/text.ts";
import { type Page, type PageResult, type Route, redirect, type Visit } from "../kit/visit.ts";
import { askedPage, takenBackPage } from "./letter-pages.tsx";
import { t } from "./messages.ts";

/* "This was not me": where the link of a security letter leads. */

export function notMeRoutes(rooms: PagesRooms): Route[] {
	return [
		{ path: "/account/not-me/:token", get: (visit) => ask(rooms, visit), post: (visit) => takeBack(rooms, visit) },
	];
}

/** What was done, and what taking it back does besides ending all that is signed in. */
const DEEDS = {
	device: [t("deed.device"), t("back.device")],
	token: [t("deed.token"), t("back.token")],
	key: [t("deed.key"), t("back.key")],
	app_connected: [t("deed.app_connected"), t("back.app_connected")],
	operator: [t("deed.operator"), t("back.operator")],
	transfer: [t("deed.transfer"), t("back.transfer")],
	address: [t("deed.address"), t("back.address")],
	passkey_added: [t("deed.passkey_added"), t("back.passkey_added")],
	passkey_removed: [t("deed.passkey_removed"), t("back.passkey_removed")],
	passkey_counter: [t("deed.passkey_counter"), t("back.passkey_counter")],
	many: [t("deed.many"), t("back.many")],
} satisfies Record<SentLetter["deed"], readonly [done: Message, back: Message]>;

/** Names the deed, and does nothing: mail scanners follow links. */
async function ask(rooms: PagesRooms, visit: Visit): Promise<Page> {
	const letter = await findDeed(rooms.erasure, visit.params.token ?? "");
	if (letter.usedMs !== null) return takenBackPage(t("not_me.done"), t("not_me.done.text"));
	const { name, app, who, device, network } = letter.facts;
	const [done, back] = DEEDS[letter.deed];
	const details = [name, app, who, device, network].filter((detail) => detail);
	return askedPage({
		title: t("not_me"),
		path: visit.url.pathname,
		submit: t("not_me.do"),
		other: (
			<a className="button quiet" href="/account">
				{t("not_me.was_me")}
			</a>
		),
		children: (
			<>
				<div className="stack">
					<p>{t("not_me.when", { strong, deed: done, moment: <Moment ms={letter.createdMs} /> })}</p>
					{details.length > 0 && (
						<p className="soft">
							{details.map((detail, place) => (
								<span key={detail}>
									{place > 0 && " · "}
									<bdi>{detail}</bdi>
								</span>
							))}
						</p>
					)}
				</div>
				<Alert>
					{back} {t("not_me.all")}
				</Alert>
			</>
		),
	});
}

/** The link is its own proof, and a form from elsewhere is refused. */
async function takeBack(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	await readForm(visit, rooms.addresses);
	await takeBackDeed(rooms.erasure, visit.params.token ?? "", visit.requestId);
	return redirect(visit.url.pathname);
}
