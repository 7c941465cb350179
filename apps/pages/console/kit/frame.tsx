import type { ReactNode } from "react";
import type { ScriptName } from "../../kit/assets.ts";
import { Notice, PostForm } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { type Page, show } from "../../kit/visit.ts";
import { t } from "../messages.ts";
import { Bar, operatorsPath, type Whereabouts } from "./bar.tsx";
import { Shortcuts } from "./shortcuts.tsx";
import type { ConsoleVisit, DoneDeed } from "./visit.ts";

/* What stands around every screen of the console. */

interface ScreenProps extends Whereabouts {
	readonly title: Text;
	/** In place of the title alone: what stands above the screen. */
	readonly heading?: ReactNode;
	/** Where its texts are in one language alone. */
	readonly language?: Page["language"];
	/** What it loads beside the scripts of every screen; it works without. */
	readonly scripts?: readonly ScriptName[];
	readonly children: ReactNode;
}

export function screenPage(
	visit: ConsoleVisit,
	{ title, heading, language, scripts = [], children, ...place }: ScreenProps,
): Page {
	const { addresses, done } = visit;
	const body = (
		<>
			{heading ?? <h1>{title}</h1>}
			{done && <Notice answers>{doneText(done)}</Notice>}
			{children}
		</>
	);
	return show(title, body, {
		...(language && { language }),
		console: {
			top: <Top visit={visit} {...place} />,
			bar: <Bar visit={visit} {...place} />,
			foot: <Shortcuts />,
			scripts: ["frame", ...scripts],
			pictures: pictureOrigins(addresses.cdn, place.app),
		},
	});
}

/** The service's host of pictures, and beside it the one that the addresses of this App's name. */
function pictureOrigins(cdn: string, app: Whereabouts["app"]): string {
	const origin = new URL(cdn);
	const own = new URL(cdn);
	// An older service knows no hosts of Apps.
	if (app?.image_host?.state !== "verified") return origin.origin;
	own.hostname = app.image_host.host;
	return `${origin.origin} ${own.origin}`;
}

/** Names are of `leave` in this service; one of another release says nothing. */
function doneText({ what, name }: DoneDeed): Text {
	if (what === "deleted" && name !== undefined) return t("done.deleted.named", { file: <bdi>{name}</bdi> });
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
	plan: t("done.plan"),
	price: t("done.price"),
	off_sale: t("done.off_sale"),
	archived: t("done.archived"),
	refunded: t("done.refunded"),
	disconnected: t("done.disconnected"),
	paused: t("done.paused"),
	resumed: t("done.resumed"),
	transferred: t("done.transferred"),
	joined: t("done.joined"),
	enabled: t("done.enabled"),
	disabled: t("done.disabled"),
	recovering: t("done.recovering"),
	removed: t("done.removed"),
	sent: t("done.sent"),
	cancelled: t("done.cancelled"),
	left: t("done.left"),
	withdrawn: t("done.withdrawn"),
	added: t("done.added"),
	turned_on: t("done.turned_on"),
	turned_off: t("done.turned_off"),
	plan_cancelled: t("done.plan_cancelled"),
	plan_resumed: t("done.plan_resumed"),
	plan_pending: t("done.plan_pending"),
	plan_changed: t("done.plan_changed"),
	app_deleted: t("done.app_deleted"),
} as const;

function Top({ visit, app, operator }: Whereabouts & { readonly visit: ConsoleVisit }) {
	const operators = operatorsPath(visit);
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
			{operators !== undefined && (
				<a className="apps" href={operators} aria-current={operator === undefined ? undefined : "true"}>
					{t("operators")}
				</a>
			)}
			{(app ?? operator) !== undefined && (
				<button className="quiet slim menu" type="button" popoverTarget="screens">
					{t("menu")}
				</button>
			)}
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
