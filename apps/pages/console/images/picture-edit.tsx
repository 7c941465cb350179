import type { ImageChanges } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import type { Image } from "@svc/sdk/shapes";
import { type PageResult, redirect } from "../../kit/visit.ts";
import { ActForm, mapChange, mapOf, mapText, requirePairs, TextArea, TextField } from "../kit/forms.tsx";
import { type ConsolePost, type ConsoleVisit, clientOf, type Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { listFilterOf, pictureQueryOf, placeOf } from "./filter.ts";

/* What of a picture can be typed: its words, labels, dates. */

interface EditProps {
	readonly visit: ConsoleVisit;
	readonly image: Image;
	readonly action: string;
	readonly refused: Refused | undefined;
}

export function Edit({ visit, image, action, refused }: EditProps) {
	const fields = { was: JSON.stringify(changeable(image)), revision: String(image.revision ?? "") };
	const common = { act: "save", refused: withTheirs(refused, image) };
	return (
		<ActForm visit={visit} act="save" action={action} fields={fields} refused={refused}>
			<TextField {...common} name="caption" label={t("caption")} value={image.caption} shortcut="e" />
			<TextArea {...common} name="labels" label={t("labels")} hint={t("map.hint")} value={mapText(image.labels)} />
			<TextArea
				{...common}
				name="metadata"
				label={t("metadata")}
				hint={t("map.hint")}
				value={mapText(image.metadata)}
			/>
			<TextField
				{...common}
				name="published_at"
				label={t("published")}
				hint={t("time.hint")}
				value={image.published_at}
			/>
			<TextField {...common} name="ttl" label={t("ttl")} hint={t("ttl.hint")} />
			{visit.includes.length > 0 && (
				<TextField
					{...common}
					name="external_id"
					label={t("external_id")}
					value={image.external_id ?? ""}
					input={{ maxLength: 255 }}
				/>
			)}
			<button className="primary" type="submit">
				{t("save")}
			</button>
		</ActForm>
	);
}

/** The form as it was sent, and beside each field that somebody else has changed meanwhile what stands there now. */
function withTheirs(refused: Refused | undefined, image: Image): Refused | undefined {
	if (!refused || !isOthersChange(refused.error)) return refused;
	const was = readWas(refused.form.get("was") ?? "");
	if (isTaken(refused.error, was, image)) return refused;
	const before = textsOf(was);
	// What the form left alone is theirs now, and not sent back as it was: a field, and a key of a map.
	const typed = [...refused.form].filter(
		([name, value]) => mapText(mapOf(before[name] ?? "")) !== mapText(mapOf(value)),
	);
	const kept = typed.map(
		([name, value]) => [name, isMap(name) ? merged(was[name], value, image[name]) : value] as const,
	);
	return { ...refused, form: new Map(kept), theirs: { ...textsOf(image), ttl: image.expires_at ?? "-" } };
}

function isMap(name: string): name is "labels" | "metadata" {
	return name === "labels" || name === "metadata";
}

/** What somebody has typed, with what others have made of the keys that it left alone. */
function merged(was: Changeable["labels"], typed: string, now: Changeable["labels"]): string {
	const all = Object.entries({ ...now, ...mapChange(was, mapOf(typed)) });
	return mapText(Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null)));
}

/** Undefined details are of another conflict: a label that the image must have. */
function isOthersChange(error: ApiError | undefined): boolean {
	return error?.code === "state_conflict" && error.details !== undefined;
}

/** Another image has the id that was typed. */
function isTaken({ details }: ApiError, was: Changeable, now: Changeable): boolean {
	return details?.external_id !== undefined && was.external_id === now.external_id;
}

/** Each field as the form shows it. */
function textsOf(of: Changeable): Readonly<Record<string, string>> {
	const { caption, labels, metadata, published_at, external_id = "" } = of;
	return { caption, labels: mapText(labels), metadata: mapText(metadata), published_at, external_id };
}

type Changeable = Pick<Image, "caption" | "labels" | "metadata" | "published_at" | "external_id">;

function changeable({ caption, labels, metadata, published_at, external_id }: Image): Changeable {
	return { caption, labels, metadata, published_at, ...(external_id !== undefined && { external_id }) };
}

/** What the form was filled in with. A forged one changes nothing that its sender could not. */
function readWas(text: string): Changeable {
	const empty = { caption: "", labels: {}, metadata: {}, published_at: "" };
	try {
		const sent = JSON.parse(text);
		const maps = [sent, sent?.labels, sent?.metadata];
		return maps.every((map) => typeof map === "object" && map !== null) ? { ...empty, ...sent } : empty;
	} catch {
		return empty;
	}
}

/** Only what the form changed counts: what somebody else changed meanwhile stays. */
export async function save(post: ConsolePost): Promise<PageResult> {
	const { app = "", image: id = "" } = post.params;
	const filter = listFilterOf(post.url);
	const was = readWas(post.form.get("was") ?? "");
	const text = (name: string) => post.form.get(name)?.trim();
	const [caption, labels, metadata, publishedAt] = ["caption", "labels", "metadata", "published_at"].map(text);
	for (const name of ["labels", "metadata"]) requirePairs(name, text(name) ?? "");
	const ttl = text("ttl") ?? "";
	const changes = {
		...(caption !== undefined && caption !== was.caption && { caption }),
		...changeOf("labels", was.labels, labels),
		...changeOf("metadata", was.metadata, metadata),
		...(publishedAt !== undefined && publishedAt !== was.published_at && { publishedAt }),
		...(ttl !== "" && { ttl: ttl === "-" ? null : ttl }),
		...ownIdChange(was.external_id ?? "", text("external_id")),
	};
	if (Object.keys(changes).length > 0) {
		const revision = Number(post.form.get("revision")) || undefined;
		await edit(clientOf(post, app, filter.storage).images, id, { changes, was, revision });
		await post.leave({ what: "saved" });
	}
	return redirect(`/console/${app}/images/${id}${pictureQueryOf(filter, placeOf(post.url))}`);
}

/** Nothing for a field that was not sent, or says what it said before. */
function changeOf(name: "labels" | "metadata", was: Changeable["labels"], text: string | undefined) {
	const change = text === undefined ? {} : mapChange(was, mapOf(text));
	return Object.keys(change).length > 0 ? { [name]: change } : {};
}

function ownIdChange(was: string, text = was) {
	return text === was ? {} : { externalId: text || null };
}

type Images = ReturnType<typeof clientOf>["images"];

/** So often somebody else may get in between, each time with other fields. */
const TRIES = 4;

interface Edited {
	readonly changes: ImageChanges;
	/** What the form was filled in with, and the image's revision then. */
	readonly was: Changeable;
	readonly revision: number | undefined;
}

/**
 * Changes what the form changed, unless somebody else has changed the same since the form was shown: a text, a date, one key of a map.
 * @throws ApiError `state_conflict`, with the fields that somebody else has changed in `details`
 */
async function edit(images: Images, id: string, { changes, was, revision }: Edited): Promise<void> {
	let ifRevision = revision;
	for (let tries = 1; ; tries++) {
		try {
			await images.edit(id, { ...changes, ifRevision });
			return;
		} catch (cause) {
			if (tries === TRIES || !(cause instanceof ApiError && isOthersChange(cause))) throw cause;
			const now = await images.get(id, { include: ["revision"] });
			if (isTaken(cause, was, now) || isTouched(changes, was, now, cause)) throw cause;
			ifRevision = now.revision;
		}
	}
}

/** Whether somebody else has changed what a form changes; of the lifetime, which no form is filled in with, the refusal tells. */
function isTouched(changes: ImageChanges, was: Changeable, now: Changeable, { details }: ApiError): boolean {
	const { caption, publishedAt, labels, metadata, ttl, externalId } = changes;
	const inMap = (change: object | undefined, name: "labels" | "metadata") =>
		Object.keys(change ?? {}).some((key) => was[name][key] !== now[name][key]);
	return (
		(caption !== undefined && was.caption !== now.caption) ||
		(publishedAt !== undefined && was.published_at !== now.published_at) ||
		(externalId !== undefined && was.external_id !== now.external_id) ||
		inMap(labels, "labels") ||
		inMap(metadata, "metadata") ||
		(ttl !== undefined && details?.ttl !== undefined)
	);
}
