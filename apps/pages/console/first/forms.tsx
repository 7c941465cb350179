import type { Image } from "@svc/sdk/shapes";
import { imageUrl, type TransformOptions } from "@svc/sdk/transform";
import { Notice } from "../../kit/parts.tsx";
import type { Message } from "../../kit/text.ts";
import type { Page } from "../../kit/visit.ts";
import { tag } from "../address/forms.ts";
import { filterOf, queryOf } from "../images/filter.ts";
import { isShown, Plate } from "../images/grid.tsx";
import { readImage } from "../images/listing.ts";
import { CopyButton } from "../kit/copy-button.tsx";
import { screenPage } from "../kit/frame.tsx";
import { type ConsoleVisit, hasRole, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { keyNameOf, ProgramSteps } from "./first-steps.tsx";

/* A picture in eight forms, each an address with code to copy: what somebody sees of their first one. */

export const formsScreen: Screen = { path: "/:app/images/:image/forms", get: showForms };

interface Form {
	readonly title: Message;
	readonly asked: TransformOptions;
	/** The ending of a file that curl writes. */
	readonly ending?: string;
}

const FORMS: readonly Form[] = [
	{ title: t("forms.original"), asked: {} },
	{ title: t("forms.width"), asked: { w: 640 } },
	{ title: t("forms.square"), asked: { w: 300, h: 300, fit: "cover" } },
	{ title: t("forms.small"), asked: { size: "s" } },
	{ title: t("forms.auto"), asked: { w: 640, format: "auto" }, ending: "webp" },
	{ title: t("forms.quality"), asked: { w: 640, format: "webp", q: 40 }, ending: "webp" },
	{
		title: t("forms.round"),
		asked: { w: 300, h: 300, fit: "cover", radius: 150, format: "png" },
		ending: "png",
	},
	{ title: t("forms.turned"), asked: { w: 400, rotate: 90, saturation: 0 } },
];

async function showForms(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const filter = filterOf(visit.url);
	const [app, image, keys] = await Promise.all([
		visit.api.apps.get(id),
		readImage(visit, filter),
		visit.api.apps.of(id).keys.list({ limit: 100 }),
	]);
	const picture = `/console/${app.id}/images/${image.id}${queryOf({ storage: filter.storage })}`;
	// Where the App answers signed addresses or presets alone, none of these is one.
	const isOpen = app.delivery === undefined || app.delivery === "open";
	const children = (
		<>
			{isOpen && isShown(image) && image.deleted_at === undefined ? (
				<>
					<p className="lead">{t("forms.lead")}</p>
					<ul className="forms">
						{FORMS.map((form, place) => (
							<FormCard key={place.toString()} id={`form-${place + 1}`} image={image} form={form} />
						))}
					</ul>
				</>
			) : (
				<>
					{!isShown(image) && <Plate image={image} />}
					{!isOpen && <Notice>{t("forms.closed", { a: (words) => <a href={picture}>{words}</a> })}</Notice>}
				</>
			)}
			<section className="card" aria-labelledby="next">
				<h2 id="next">{t("forms.next")}</h2>
				<ul className="points">
					<li>
						<a href={picture}>{t("forms.more")}</a>
					</li>
					<li>
						<a href={`${visit.addresses.base}/docs/guides/sign-in`}>{t("forms.sign_in")}</a>
					</li>
					<li>
						<a href={`${visit.addresses.base}/docs/guides/quick-starts`}>{t("forms.docs")}</a>
					</li>
				</ul>
				<ProgramSteps
					app={app}
					base={visit.addresses.base}
					keyName={keyNameOf(keys.data)}
					mayMakeKey={hasRole(app, "admin")}
				/>
			</section>
		</>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={`/console/${app.id}/images${queryOf(filter)}`}>
				← {t("images")}
			</a>
			<h1>
				<bdi>{image.filename}</bdi>
			</h1>
		</div>
	);
	return screenPage(visit, { title: image.filename, heading, app, screen: "images", scripts: ["copy"], children });
}

interface FormCardProps {
	readonly id: string;
	readonly image: Image;
	readonly form: Form;
}

function FormCard({ id, image, form: { title, asked, ending = image.format } }: FormCardProps) {
	const address = imageUrl(image, asked);
	const codes = (
		[
			["img", "<img>", tag("img", { src: address, alt: image.caption || image.filename })],
			["curl", "curl", `curl -o picture.${ending} "${address}"`],
		] as const
	).map(([as, name, code]) => ({ of: `${id}-${as}`, name, code }));
	return (
		<li className="card form">
			<a className="shown" href={address}>
				<img src={address} alt={image.caption || image.filename} loading="lazy" decoding="async" />
			</a>
			<strong>{title}</strong>
			<pre className="code">
				<code id={id}>{address}</code>
			</pre>
			<div className="acts copies">
				<span className="soft">{t("copy")}</span>
				<CopyButton of={id}>{t("address")}</CopyButton>
				{codes.map(({ of, name }) => (
					<CopyButton key={of} of={of}>
						{name}
					</CopyButton>
				))}
			</div>
			<details>
				<summary>{t("forms.code")}</summary>
				{codes.map(({ of, code }) => (
					<pre key={of} className="code">
						<code id={of}>{code}</code>
					</pre>
				))}
			</details>
		</li>
	);
}
