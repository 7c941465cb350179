import type { App } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import type { ScriptName } from "../../kit/assets.ts";
import { Notice, PostForm } from "../../kit/parts.tsx";
import { type Text, usePlain } from "../../kit/text.ts";
import { type Page, show } from "../../kit/visit.ts";
import { t } from "../messages.ts";
import { Shortcuts } from "./shortcuts.tsx";
import { type ConsoleVisit, hasRole } from "./visit.ts";

/* What stands around every screen of the console. */

/** The screens of an App, in the order of the bar. `for` is the least role that may read them; `key` leads there after `g`. */
const BAR = [
	{ id: "overview", title: t("overview"), for: "viewer", key: "o" },
	{ id: "images", title: t("images"), for: "viewer", key: "i" },
	{ id: "users", title: t("users"), for: "viewer", key: "u" },
	{ id: "keys", title: t("keys"), for: "viewer", key: "k" },
	{ id: "activity", title: t("activity"), for: "admin", key: "a" },
	{ id: "settings", title: t("settings"), for: "viewer", key: "s" },
] as const;

type ScreenId = (typeof BAR)[number]["id"];

interface ScreenProps {
	readonly title: Text;
	/** In place of the title alone: what stands above the screen. */
	readonly heading?: ReactNode;
	readonly app?: Pick<App, "id" | "name" | "role"> | undefined;
	readonly screen?: ScreenId;
	/** What it loads beside the scripts of every screen; it works without. */
	readonly scripts?: readonly ScriptName[];
	readonly children: ReactNode;
}

export function screenPage(
	visit: ConsoleVisit,
	{ title, heading, app, screen, scripts = [], children }: ScreenProps,
): Page {
	const { addresses, done } = visit;
	const body = (
		<>
			{heading ?? <h1>{title}</h1>}
			{done && <Notice answers>{doneText(done.what)}</Notice>}
			{children}
		</>
	);
	return show(title, body, {
		console: {
			top: <Top visit={visit} app={app} />,
			bar: app && <Bar app={app} screen={screen} />,
			foot: <Shortcuts />,
			scripts: ["frame", ...scripts],
			pictures: new URL(addresses.cdn).origin,
		},
	});
}

/** Names are of `leave` in this service; one of another release says nothing. */
function doneText(what: string): Text {
	return Object.hasOwn(DONE, what) ? DONE[what as keyof typeof DONE] : "";
}

const DONE = {
	saved: t("done.saved"),
	deleted: t("done.deleted"),
	restored: t("done.restored"),
	uploaded: t("done.uploaded"),
	replaced: t("done.replaced"),
	copied: t("done.copied"),
	moved: t("done.moved"),
	preset: t("done.preset"),
	revoked: t("keys.revoked"),
	granted: t("done.granted"),
	ungranted: t("done.ungranted"),
	disconnected: t("done.disconnected"),
	paused: t("done.paused"),
	resumed: t("done.resumed"),
	transferred: t("done.transferred"),
	joined: t("done.joined"),
} as const;

function Top({ visit, app }: { readonly visit: ConsoleVisit; readonly app: ScreenProps["app"] }) {
	return (
		<>
			<a className="apps" href="/console" data-keys="g h">
				{t("apps")}
			</a>
			{app && (
				<a className="app-name" href={`/console/${app.id}`}>
					<bdi>{app.name}</bdi>
				</a>
			)}
			{visit.readsMails && <a href="/console/operator/mails">{t("mails")}</a>}
			<button className="me" type="button" popoverTarget="who" aria-label={visit.person.email}>
				<span aria-hidden="true">{visit.person.email.slice(0, 1)}</span>
			</button>
			<div className="card who" id="who" popover="auto">
				<a href="/account">
					<bdi>{visit.person.email}</bdi>
				</a>
				<PostForm action="/account/sign-out" token={visit.token}>
					<button className="plain" type="submit">
						{t("sign_out")}
					</button>
				</PostForm>
			</div>
		</>
	);
}

function pathOf({ id: app }: Pick<App, "id">, screen: ScreenId): string {
	return screen === "overview" ? `/console/${app}` : `/console/${app}/${screen}`;
}

function Bar({
	app,
	screen,
}: {
	readonly app: NonNullable<ScreenProps["app"]>;
	readonly screen: ScreenId | undefined;
}) {
	const label = usePlain()(t("screens", { app: app.name }));
	return (
		<nav className="bar" aria-label={label}>
			<ul>
				{BAR.filter((one) => hasRole(app, one.for)).map(({ id, title, key }) => (
					<li key={id}>
						<a href={pathOf(app, id)} aria-current={id === screen ? "page" : undefined} data-keys={`g ${key}`}>
							{title}
						</a>
					</li>
				))}
			</ul>
		</nav>
	);
}
