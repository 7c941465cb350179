import { findLinkedApp } from "@svc/people/sign-in/login-start";
import { AppCard } from "../apps/app-card.tsx";
import { findShownApp } from "../apps/find-shown-app.ts";
import { PostForm } from "../kit/parts.tsx";
import type { PagesRooms } from "../kit/rooms.ts";
import type { ShownApp } from "../kit/shown-app.ts";
import type { Text } from "../kit/text.ts";
import { type Page, PageRefusal, show, type Visit } from "../kit/visit.ts";
import { t } from "./messages.ts";

/*
 * Signing in by a link in the mail, for people whom strangers keep out by typing wrong codes. It is of use in the browser alone that asked
 * for it. Browsers do not send the cookie that proves it along with a link from elsewhere, but with a form of ours: so the link leads to a
 * page with a button, which shows nothing secret, and a mail scanner that follows the link does nothing.
 */

interface SentProps {
	readonly email: string;
	/** Where another link is asked for. */
	readonly action: string;
	readonly token: string;
	/** Where one begins again. */
	readonly restart: string;
	/** The App that one is on the way to. */
	readonly app?: ShownApp | undefined;
}

export function linkSentPage({ email, action, token, restart, app }: SentProps): Page {
	const body = (
		<div className="card">
			<h1>{t("link.sent")}</h1>
			<AppCard app={app} />
			<p>{t("link.sent.text", { email: <bdi>{email}</bdi> })}</p>
			<hr className="rule" />
			<div className="others">
				<PostForm action={action} token={token} fields={{ email }}>
					<button className="plain" type="submit">
						{t("link.again")}
					</button>
				</PostForm>
				<a href={restart}>{t("code.other_address")}</a>
			</div>
			<p className="fine">{t("code.late")}</p>
		</div>
	);
	return show(t("link.sent"), body, { app });
}

interface OpenedWords {
	readonly title: Text;
	/** What the button does. */
	readonly text: Text;
	readonly submit: Text;
}

/**
 * Where the link leads: it says what the button does.
 * @param wordsOf the words, for the App that the sign-in came from, or null
 * @throws Refusal 410 for a link that leads nowhere any more
 */
export async function openedPage(
	rooms: PagesRooms,
	visit: Visit,
	wordsOf: (app: string | null) => OpenedWords,
): Promise<Page> {
	const { params, url } = visit;
	const linked = { id: url.searchParams.get("login") ?? "", token: params.token ?? "" };
	const found = await findLinkedApp(rooms.people, linked);
	if (found === undefined) throw linkOver();
	const app = found === null ? undefined : await findShownApp(rooms, found);
	const { title, text, submit } = wordsOf(found?.name ?? null);
	const body = (
		<div className="card">
			<h1>{title}</h1>
			<AppCard app={app} />
			<p>{text}</p>
			<form method="post" action={`${url.pathname}${url.search}`}>
				<div className="actions">
					<button className="primary" type="submit">
						{submit}
					</button>
				</div>
			</form>
			<p className="fine">{t("link.caution")}</p>
		</div>
	);
	return show(title, body, { app });
}

export function linkOver(): PageRefusal {
	return new PageRefusal(410, t("over"), t("link.over"));
}
