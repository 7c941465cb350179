import type { App, AppProfile } from "@svc/sdk/shapes";
import type { Text } from "../../kit/text.ts";
import { FileForm } from "../images/file-form.tsx";
import { type ConsoleImage, ofThumbs } from "../images/listing.ts";
import { Thumb } from "../images/thumb.tsx";
import { ActForm, TextField } from "../kit/forms.tsx";
import { type ConsolePost, type ConsoleVisit, clientOf, faultOf, type Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

/* Who is behind an App, for the people who sign in to it and pay it. */

const ADDRESS = { inputMode: "url", autoCapitalize: "none", spellCheck: false, maxLength: 2_048 } as const;

/** What can be typed, in the order of the form. */
const FIELDS = [
	{ name: "developer", label: t("profile.developer"), input: { maxLength: 100 } },
	{ name: "homepage_url", label: t("profile.homepage_url"), input: ADDRESS },
	{ name: "privacy_url", label: t("profile.privacy_url"), input: ADDRESS },
	{ name: "terms_url", label: t("profile.terms_url"), input: ADDRESS },
	{ name: "support_email", label: t("profile.support_email"), input: { inputMode: "email", maxLength: 254 } },
	{
		name: "accent_color",
		label: t("profile.accent_color"),
		hint: t("profile.accent_color.hint"),
		input: { maxLength: 7, autoCapitalize: "none", spellCheck: false },
	},
] as const satisfies readonly {
	readonly name: Exclude<keyof AppProfile, "logo_image_id">;
	readonly label: Text;
	readonly hint?: Text;
	readonly input: React.ComponentProps<"input">;
}[];

interface ProfileProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly here: string;
	readonly refused: Refused | undefined;
	/** What a logo is chosen among. */
	readonly pictures: readonly ConsoleImage[];
}

export function Profile({ visit, app, here, refused, pictures }: ProfileProps) {
	return (
		<div className="card">
			<h2>{t("profile")}</h2>
			<p className="soft">{t("profile.about")}</p>
			<ActForm visit={visit} action={here} act="save" refused={refused}>
				{FIELDS.map((field) => (
					<TextField key={field.name} act="save" {...field} value={app.profile[field.name] ?? ""} refused={refused} />
				))}
				<Logo visit={visit} of={app.profile} pictures={pictures} refused={refused} />
				<button className="primary" type="submit">
					{t("save")}
				</button>
			</ActForm>
		</div>
	);
}

type LogoProps = Pick<ProfileProps, "visit" | "pictures" | "refused"> & { readonly of: AppProfile };

/** One of the newest pictures, the present one, or none. A picture that was just uploaded for it is chosen already. */
function Logo({ visit, of: { logo_image_id: present }, pictures, refused }: LogoProps) {
	const fault = faultOf(refused, "save", "logo_image_id");
	const chosen = refused?.form.get("logo_image_id") ?? visit.url.searchParams.get("logo") ?? present ?? "";
	const isListed = chosen === "" || pictures.some(({ id }) => id === chosen);
	return (
		<fieldset className="logos" aria-describedby={fault && "logo-fault"}>
			<legend>{t("profile.logo")}</legend>
			<Choice value="" chosen={chosen}>
				{t("profile.logo.none")}
			</Choice>
			{!isListed && (
				<Choice value={chosen} chosen={chosen}>
					{t("profile.logo.present")}
				</Choice>
			)}
			{pictures.map((image) => (
				<Choice key={image.id} value={image.id} chosen={chosen}>
					<span className="tile">
						<Thumb image={image} />
					</span>
					<bdi className="unseen">{image.filename}</bdi>
				</Choice>
			))}
			{fault && (
				<span className="fault" id="logo-fault" role="alert">
					{fault}
				</span>
			)}
		</fieldset>
	);
}

interface ChoiceProps {
	readonly value: string;
	readonly chosen: string;
	readonly children: React.ReactNode;
}

function Choice({ value, chosen, children }: ChoiceProps) {
	return (
		<label className="choice">
			<input type="radio" name="logo_image_id" value={value} defaultChecked={value === chosen} />
			<span>{children}</span>
		</label>
	);
}

/** A picture that is no picture of the App yet. It is a form of its own: what is sent is the API's own form. */
export function LogoUpload({ visit, app, refused }: Pick<ProfileProps, "visit" | "app" | "refused">) {
	return (
		<div className="card">
			<FileForm
				visit={visit}
				act="upload"
				action={`/console/${app.id}/upload`}
				query="for=logo"
				label={t("profile.logo.upload")}
				submit={t("upload")}
				look="quiet"
				open
				about={t("profile.logo.about")}
				refused={refused}
			/>
		</div>
	);
}

/** So many of the newest pictures are offered. */
const OFFERED = 11;

/** What a logo may be chosen among, the one that was just uploaded first. @throws ApiError */
export async function readPictures(visit: ConsoleVisit): Promise<readonly ConsoleImage[]> {
	const app = visit.params.app ?? "";
	const query = { limit: OFFERED, include: ofThumbs(visit).join(",") || undefined };
	const path = visit.includes.length > 0 ? `/v1/apps/${app}/images` : "/v1/images";
	const { data } = await clientOf(visit, app).request<{ readonly data: readonly ConsoleImage[] }>("GET", path, {
		query,
	});
	return data;
}

/** An empty field clears what it held; what is as it was is not sent. */
export async function saveProfile({ api, params: { app = "" }, form }: ConsolePost): Promise<"saved"> {
	const { profile } = await api.apps.get(app);
	const names = [...FIELDS.map(({ name }) => name), "logo_image_id"] as const;
	const changed = names.filter((name) => form.has(name) && form.get(name) !== (profile[name] ?? ""));
	await api.apps.edit(app, { profile: Object.fromEntries(changed.map((name) => [name, form.get(name) || null])) });
	return "saved";
}
