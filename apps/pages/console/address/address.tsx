import type { App } from "@svc/sdk/shapes";
import { type PageResult, redirect } from "../../kit/visit.ts";
import { listFilterOf, pictureQueryOf, placeOf } from "../images/filter.ts";
import type { ConsoleImage } from "../images/listing.ts";
import { CopyButton } from "../kit/copy-button.tsx";
import { ActForm, TextField } from "../kit/forms.tsx";
import { type ConsolePost, type ConsoleVisit, hasRole, type Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import type { Built } from "./build.ts";
import { Controls } from "./controls.tsx";
import type { Forms } from "./forms.ts";
import { stateOf, withState } from "./state.ts";

/* The builder of a picture's addresses. Its state is the query of the page; without a script its form leads there. */

interface AddressProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly image: ConsoleImage;
	readonly built: Built;
	/** The picture's page, and the query that says whence one came. */
	readonly path: string;
	readonly query: string;
	readonly refused: Refused | undefined;
}

export function Address(props: AddressProps) {
	const { visit, image, built, path, query } = props;
	return (
		<section className="card builder" aria-labelledby="address">
			<h2 id="address">{t("address")}</h2>
			<form method="get" action={path} noValidate data-address>
				{/* What the key Enter presses: else it would be the picture on which a point is chosen. */}
				<button type="submit" className="unseen" tabIndex={-1} aria-hidden="true" />
				{[...new URLSearchParams(query)].map(([name, value]) => (
					<input key={name + value} type="hidden" name={name} value={value} />
				))}
				<div id="address-presets" data-fresh>
					{built.presets.length > 0 && <Presets built={built} />}
				</div>
				{image.sizes.small && <Controls image={image} built={built} />}
				{built.lives && <Lives built={built} lives={built.lives} />}
				<div className="acts">
					<button className="quiet slim" type="submit">
						{t(built.lives ? "builder.sign" : "builder.show")}
					</button>
					<a href={path + query}>{t("builder.reset")}</a>
				</div>
			</form>
			<div id="address-forms" className="rows" data-fresh>
				{built.forms ? <Written forms={built.forms} /> : <Unanswered built={built} />}
			</div>
			{props.app.delivery && <Making {...props} />}
			<p className="fine">
				<a href={`${visit.addresses.base}/docs/reference/transforms`}>{t("builder.docs")}</a>
			</p>
		</section>
	);
}

function Presets({ built: { presets, state } }: { readonly built: Built }) {
	return (
		<div className="field">
			<label htmlFor="p-preset">{t("builder.preset")}</label>
			<select id="p-preset" name="preset" defaultValue={state.preset ?? ""}>
				<option value="">–</option>
				{presets.map(({ id, name }) => (
					<option key={id} value={name}>
						{name}
					</option>
				))}
			</select>
			{state.preset !== undefined && <span className="hint">{t("builder.alone")}</span>}
		</div>
	);
}

function Lives({ built: { state }, lives }: { readonly built: Built; readonly lives: readonly string[] }) {
	const isBrief = lives.length === 1;
	return (
		<div className="field">
			<label htmlFor="p-expires">{t("builder.life")}</label>
			<select id="p-expires" name="expires_in" defaultValue={state.expiresIn} aria-describedby="p-expires-hint">
				{lives.map((life) => (
					<option key={life}>{life}</option>
				))}
			</select>
			<span className="hint" id="p-expires-hint">
				{t(isBrief ? "builder.brief" : "builder.signed")}
			</span>
		</div>
	);
}

/** Why there is no address to copy. */
function Unanswered({ built: { policy, told } }: { readonly built: Built }) {
	if (Object.keys(told.faults).length > 0) return <p className="soft">{t("builder.faults")}</p>;
	return <p className="soft">{t(policy === "presets" ? "builder.presets" : "builder.unsigned")}</p>;
}

const FORMS = [
	["url", "URL"],
	["img", "<img>"],
	["picture", "<picture>"],
	["markdown", "Markdown"],
	["typescript", "TypeScript"],
	["curl", "curl"],
] as const;

/** The address itself is seen, the rest by whoever opens it; each is copied by one button. */
function Written({ forms }: { readonly forms: Forms }) {
	const there = FORMS.flatMap(([name, title]) => {
		const text = forms[name];
		return text === undefined ? [] : [{ id: `as-${name}`, title, text }];
	});
	const [first, ...others] = there;
	return (
		<>
			<div className="acts copies">
				<span className="soft">{t("copy")}</span>
				{there.map(({ id, title }) => (
					<CopyButton key={id} of={id}>
						{title}
					</CopyButton>
				))}
			</div>
			{first && <Code {...first} />}
			<details>
				<summary>{t("forms.code")}</summary>
				{others.map((one) => (
					<Code key={one.id} {...one} />
				))}
			</details>
		</>
	);
}

function Code({ id, text }: { readonly id: string; readonly text: string }) {
	return (
		<pre className="code">
			<code id={id}>{text}</code>
		</pre>
	);
}

/** For who may give an App presets. */
function Making({ visit, app, path, query, built: { state, told }, refused }: AddressProps) {
	const isEmpty = Object.keys(state.parameters).length === 0;
	const isRefused = refused?.act === "preset";
	return (
		<div id="address-preset" data-fresh>
			{hasRole(app, "admin") && state.preset === undefined && !isEmpty && Object.keys(told.faults).length === 0 && (
				<details className="ask" open={isRefused}>
					<summary className="button quiet slim">{t("builder.make")}</summary>
					<ActForm visit={visit} act="preset" action={path + withState(query, state)} refused={refused}>
						<TextField
							act="preset"
							name="name"
							label={t("name")}
							hint={t("builder.name")}
							refused={refused}
							input={{ maxLength: 32, autoComplete: "off", spellCheck: false }}
						/>
						<button className="primary" type="submit">
							{t("save")}
						</button>
					</ActForm>
				</details>
			)}
		</div>
	);
}

/** Gives what the builder is set to a name in the App, and shows the address with it. @throws ApiError */
export async function makePreset(post: ConsolePost): Promise<PageResult> {
	const { app = "", image = "" } = post.params;
	const { parameters, expiresIn } = stateOf(post.url);
	const name = post.form.get("name")?.trim() ?? "";
	const { idempotencyKey } = post;
	await post.api.apps.of(app).presets.create(name, parameters, idempotencyKey === undefined ? {} : { idempotencyKey });
	await post.leave({ what: "preset" });
	const query = pictureQueryOf(listFilterOf(post.url), placeOf(post.url));
	return redirect(`/console/${app}/images/${image}${withState(query, { preset: name, expiresIn })}`);
}
