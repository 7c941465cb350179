import type { App } from "@svc/sdk/shapes";
import { emailPage } from "../../connect/connect-pages.tsx";
import { accentPath } from "../../kit/assets.ts";
import { contentPolicy } from "../../kit/layout.tsx";
import type { ShownApp } from "../../kit/shown-app.ts";
import { usePlain } from "../../kit/text.ts";
import type { Page } from "../../kit/visit.ts";
import { smallAddress } from "../images/thumb.tsx";
import { type ConsoleVisit, clientOf, noneOf, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";

/* The page on which people agree to sign in to an App, as they will see it. It stands in a frame of the screen, in which no form is sent. */

export const previewScreen: Screen = { path: "/:app/sign-in/preview", get: showPreview };

export function Preview({ of: { id } }: { readonly of: Pick<App, "id"> }) {
	const title = usePlain()(t("sign_in.preview"));
	return <iframe className="preview" src={`/console/${id}/sign-in/preview`} title={title} sandbox="" loading="lazy" />;
}

async function showPreview(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const [app, uris] = await Promise.all([
		visit.api.apps.get(id),
		visit.api.apps.of(id).redirectUris.list({ limit: 1 }),
	]);
	const shown = await shownApp(visit, app);
	const page = emailPage({
		serviceName: visit.serviceName,
		appName: app.name,
		app: shown,
		returnsTo: URL.parse(uris.data[0]?.uri ?? shown.homepage ?? "")?.host ?? "app.example.com",
		...NOWHERE,
	});
	const policy = contentPolicy(new URL(visit.addresses.cdn).origin);
	return {
		...page,
		headers: { ...FRAMED, "Content-Security-Policy": policy.replace(ALONE, "frame-ancestors 'self'") },
	};
}

/** What would lead on, or ask for the focus. */
const NOWHERE = {
	action: "/connect",
	cancel: "#",
	token: "",
	email: "",
	link: undefined,
	otherAddress: undefined,
	goOn: undefined,
	focus: false,
} as const;

const ALONE = "frame-ancestors 'none'";
const FRAMED = { "X-Frame-Options": "SAMEORIGIN" } as const;

async function shownApp(visit: ConsoleVisit, app: App): Promise<ShownApp> {
	const { developer, homepage_url, privacy_url, terms_url, support_email, logo_image_id, accent_color } = app.profile;
	return {
		...{
			name: app.name,
			developer,
			homepage: homepage_url,
			privacy: privacy_url,
			terms: terms_url,
			support: support_email,
		},
		logo: logo_image_id === null ? null : await logoOf(visit, app, logo_image_id),
		sheet: await accentPath(accent_color),
	};
}

/** Null for what is no picture any more, or may not be shown. */
async function logoOf(visit: ConsoleVisit, app: App, id: string): Promise<string | null> {
	const images = visit.api.apps.of(app.id).images;
	const image = await (visit.includes.length === 0
		? clientOf(visit, app.id).images.get(id)
		: images.get(id, { include: ["preview"] })
	).catch(noneOf("not_found"));
	const isShown = image && !("locked" in image && image.locked) && image.status === "ready";
	return isShown ? smallAddress(image) : null;
}
