import type { App, Image, Preset, UsageRow } from "@svc/sdk/shapes";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { mapOf, requirePairs } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { SecretCard } from "../kit/secret-card.tsx";
import { type ConsolePost, type ConsoleVisit, clientOf, hasRole, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { Bounds, boundsIn } from "./bounds.tsx";
import { ImageHost } from "./image-host.tsx";
import { Presets } from "./presets.tsx";
import { SigningKeys } from "./signing-keys.tsx";

/* Which addresses of an App's images are answered: by its policy, its presets and its signing keys, at which host, and how much of it a day. */

export const imageDeliveryScreen: Screen = {
	path: "/:app/delivery",
	get: (visit, refused) => deliveryPage(visit, { refused }),
	acts: { save, host: saveHost, verify, create, change, delete: remove, sign, rotate: sign, revoke },
};

/** What every part of the screen is made of. */
export interface DeliveryParts {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly isAdmin: boolean;
	readonly here: string;
	readonly refused: Refused | undefined;
}

/** As many as an App may have. */
const PRESETS_MAX = 100;
/** Where each address has to be signed, no more presets are shown with a picture. */
const SIGNED_MAX = 12;

interface Shown {
	readonly refused?: Refused | undefined;
	/** The secret is null where the form was sent before: it is shown once. */
	readonly made?: { readonly name: string; readonly secret: string | null };
}

async function deliveryPage(visit: ConsoleVisit, { refused, made }: Shown): Promise<Page> {
	const { app: id = "" } = visit.params;
	const [calls, client] = [visit.api.apps.of(id), clientOf(visit, id)];
	const [app, presets, keys] = await Promise.all([
		visit.api.apps.get(id),
		calls.presets.list({ limit: PRESETS_MAX }),
		calls.signingKeys.list(),
	]);
	// Without a ceiling the overview says what is served.
	const { bytes, renditions } = app.delivery_limits;
	const isBounded = bytes !== null || renditions !== null;
	const row = isBounded ? await today(visit, client) : undefined;
	const parts = { visit, app, isAdmin: hasRole(app, "admin"), here: `/console/${app.id}/delivery`, refused };
	const pictures = isSpent(app, row) ? new Map() : await picturesOf(visit, app, presets.data);
	const children = (
		<>
			{made && <SecretCard title={made.name} secret={made.secret} env={(secret) => `SVC_SIGNING_SECRET=${secret}`} />}
			<Bounds {...parts} today={row} />
			<ImageHost {...parts} />
			<Presets {...parts} presets={presets.data} pictures={pictures} />
			<SigningKeys {...parts} keys={keys.data} />
		</>
	);
	return screenPage(visit, { title: t("delivery"), app, screen: "delivery", scripts: ["copy"], children });
}

async function today({ nowMs }: ConsoleVisit, { usage }: ReturnType<typeof clientOf>): Promise<UsageRow | undefined> {
	const from = new Date(nowMs).toISOString().slice(0, 10);
	return (await usage.daily.list({ scope: "app", from })).data[0];
}

/** Then a picture that is not there yet would not be made. */
function isSpent({ delivery_limits: { bytes, renditions } }: App, row: UsageRow | undefined): boolean {
	return (row?.bytes_served ?? 0) >= (bytes ?? Infinity) || (row?.renditions ?? 0) >= (renditions ?? Infinity);
}

/** The address of the App's newest picture in each preset, by its id. */
async function picturesOf(
	visit: ConsoleVisit,
	app: App,
	presets: readonly Preset[],
): Promise<ReadonlyMap<string, string>> {
	if (presets.length === 0) return new Map();
	const { images } = clientOf(visit, app.id);
	const [image] = (await images.list({ limit: 1 })).data;
	if (!image) return new Map();
	const shown = app.delivery === "signed" ? presets.slice(0, SIGNED_MAX) : presets;
	const addresses = shown.map(async ({ id, name }) => [id, await addressOf(image, name)] as const);
	return new Map(await Promise.all(addresses));

	async function addressOf({ id, url }: Image, preset: string): Promise<string> {
		if (app.delivery !== "signed") return `${url}?${new URLSearchParams({ preset })}`;
		return (await images.sign(id, { parameters: { preset }, expiresIn: "10m" })).url;
	}
}

async function save(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.edit(post.params.app ?? "", boundsIn(post.form));
	return await done(post, "saved");
}

async function saveHost(post: ConsolePost): Promise<PageResult> {
	const host = post.form.get("image_host")?.trim() ?? "";
	await post.api.apps.edit(post.params.app ?? "", { imageHost: host === "" ? null : host });
	return await done(post, "saved");
}

/** What was found the page says anyhow. */
async function verify(post: ConsolePost): Promise<PageResult> {
	await post.api.apps.verifyImageHost(post.params.app ?? "");
	return redirect(`/console/${post.params.app ?? ""}/delivery`);
}

/** @throws ApiError 422 for a line that is no pair */
function presetIn({ form }: ConsolePost): Pick<Preset, "name" | "parameters"> {
	const parameters = form.get("parameters") ?? "";
	requirePairs("parameters", parameters);
	return { name: form.get("name") ?? "", parameters: mapOf(parameters) };
}

async function create(post: ConsolePost): Promise<PageResult> {
	const { name, parameters } = presetIn(post);
	await callsOf(post).presets.create(name, parameters, sentOnce(post));
	return await done(post, "saved");
}

async function change(post: ConsolePost): Promise<PageResult> {
	await callsOf(post).presets.edit(post.form.get("preset") ?? "", presetIn(post));
	return await done(post, "saved");
}

async function remove(post: ConsolePost): Promise<PageResult> {
	await callsOf(post).presets.delete(post.form.get("preset") ?? "");
	return await done(post, "removed");
}

/** The secret is on the answer to the form itself. A key that is rotated goes on signing until it is revoked: addresses are given out by then. */
async function sign(post: ConsolePost): Promise<PageResult> {
	const made = await callsOf(post).signingKeys.create(post.form.get("name") ?? "", sentOnce(post));
	return await deliveryPage(post, { made });
}

async function revoke(post: ConsolePost): Promise<PageResult> {
	await callsOf(post).signingKeys.delete(post.form.get("key") ?? "");
	return await done(post, "revoked");
}

function callsOf({ api, params }: ConsolePost) {
	return api.apps.of(params.app ?? "");
}

function sentOnce({ idempotencyKey }: ConsolePost) {
	return idempotencyKey === undefined ? {} : { idempotencyKey };
}

async function done(post: ConsolePost, what: string): Promise<PageResult> {
	await post.leave({ what });
	return redirect(`/console/${post.params.app ?? ""}/delivery`);
}
