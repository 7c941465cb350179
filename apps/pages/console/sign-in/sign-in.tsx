import type { App, RedirectUri } from "@svc/sdk/shapes";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { ActForm, TextField } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { Preview } from "./preview.tsx";
import { LogoUpload, Profile, readPictures, saveProfile } from "./profile.tsx";

/* How people sign in to an App: whether they can, where they come back to, and whom they see behind it. */

export const signInScreen: Screen = {
	path: "/:app/sign-in",
	get: showSignIn,
	acts: { turn, add, remove, save: async (post) => await done(post, await saveProfile(post)) },
};

async function showSignIn(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: id = "" } = visit.params;
	const [app, uris] = await Promise.all([
		visit.api.apps.get(id),
		visit.api.apps.of(id).redirectUris.list({ limit: 100 }),
	]);
	const isAdmin = hasRole(app, "admin");
	const form: FormProps = { visit, app, here: signInPath(app), refused };
	const children = (
		<div className="panels">
			<State {...form} uris={uris.data} />
			{isAdmin && <Profile {...form} pictures={await readPictures(visit)} />}
			<div className="card">
				<h2>{t("sign_in.preview")}</h2>
				<Preview of={app} />
			</div>
			<div className="card">
				<h2>{t("sign_in.uris")}</h2>
				<p className="soft">{t("sign_in.uris.about")}</p>
				{uris.data.length > 0 && <Uris {...form} uris={uris.data} />}
				{isAdmin && <NewUri {...form} />}
			</div>
			{isAdmin && <LogoUpload visit={visit} app={app} refused={refused} />}
		</div>
	);
	return screenPage(visit, { title: t("sign_in"), app, screen: "sign-in", children });
}

export function signInPath({ id }: Pick<App, "id">): string {
	return `/console/${id}/sign-in`;
}

interface FormProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly here: string;
	readonly refused: Refused | undefined;
}

function State({ visit, app, here, refused, uris }: FormProps & { readonly uris: readonly RedirectUri[] }) {
	const isOn = app.sign_in_enabled;
	const [first] = uris;
	const query = first && new URLSearchParams({ app: app.id, redirect_uri: first.uri });
	return (
		<div className="card">
			<p>{t(isOn ? "sign_in.is_on" : "sign_in.is_off")}</p>
			{isOn && !first && <p className="soft">{t("sign_in.nowhere")}</p>}
			<div className="acts">
				{hasRole(app, "admin") && (
					<ActForm visit={visit} action={here} act="turn" fields={{ sign_in_enabled: String(!isOn) }} refused={refused}>
						<button className={isOn ? "quiet" : "primary"} type="submit">
							{t(isOn ? "sign_in.off" : "sign_in.on")}
						</button>
					</ActForm>
				)}
				{isOn && query && (
					<a className="button quiet" href={`${visit.addresses.web}/connect?${query}`} target="_blank" rel="noopener">
						{t("sign_in.try")}
					</a>
				)}
			</div>
		</div>
	);
}

function Uris({ visit, app, here, uris }: FormProps & { readonly uris: readonly RedirectUri[] }) {
	const lines = uris.map(({ id, uri }) => ({
		id,
		cells: [
			<code key="uri">{uri}</code>,
			hasRole(app, "admin") && (
				<div key="acts" className="acts">
					<ActForm visit={visit} action={here} act="remove" fields={{ redirect_uri: id }}>
						<button className="quiet slim" type="submit">
							{t("remove")}
						</button>
					</ActForm>
				</div>
			),
		],
	}));
	return <Lines caption={t("sign_in.uris")} columns={[t("sign_in.uri"), ""]} lines={lines} />;
}

function NewUri({ visit, here, refused }: FormProps) {
	return (
		<ActForm visit={visit} action={here} act="add" refused={refused}>
			<TextField
				act="add"
				name="uri"
				label={t("sign_in.uri.new")}
				hint={t("sign_in.uri.hint")}
				refused={refused}
				input={{ required: true, maxLength: 2_048, inputMode: "url", autoCapitalize: "none", spellCheck: false }}
			/>
			<button className="primary" type="submit">
				{t("add")}
			</button>
		</ActForm>
	);
}

async function turn(post: ConsolePost): Promise<PageResult> {
	const signInEnabled = post.form.get("sign_in_enabled") === "true";
	await post.api.apps.edit(post.params.app ?? "", { signInEnabled });
	return await done(post, signInEnabled ? "turned_on" : "turned_off");
}

async function add(post: ConsolePost): Promise<PageResult> {
	await urisOf(post).create(post.form.get("uri")?.trim() ?? "");
	return await done(post, "added");
}

async function remove(post: ConsolePost): Promise<PageResult> {
	await urisOf(post).delete(post.form.get("redirect_uri") ?? "");
	return await done(post, "removed");
}

function urisOf({ api, params }: ConsolePost) {
	return api.apps.of(params.app ?? "").redirectUris;
}

async function done(post: ConsolePost, what: string): Promise<PageResult> {
	await post.leave({ what });
	return redirect(signInPath({ id: post.params.app ?? "" }));
}
