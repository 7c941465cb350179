import type { ImageChanges, StringMapChange } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/shapes";
import { changedIn, openForm, type Values } from "../forms/form.ts";
import { EMPTY_LIST, listOf, selectedOf, targetsOf, withList } from "../lists/list.ts";
import { BATCH_LIMIT, type State, type Step, say, stay } from "../model.ts";
import { show } from "../moves.ts";
import type { Action } from "./action.ts";
import { askText, confirm } from "./actions.ts";
import { change } from "./changes.ts";

/* What keys do to an App's images. */

const SEPARATOR = ";";

/** The images of the connected user, in the screen of images. */
export function imagesOfUser(state: State): Step {
	const user = selectedOf(listOf(state));
	if (user?.object !== "connected_user") return stay(say(state, "warn", "No user is chosen."));
	return show(
		withList({ ...state, user }, () => EMPTY_LIST, "images"),
		"images",
	);
}

/** Back from a user's images to the App's own. */
export function ownImages(state: State): Step {
	return show(
		withList({ ...state, user: undefined }, () => EMPTY_LIST, "images"),
		"images",
	);
}

function withImage(state: State, act: (image: Image, app: string) => Step): Step {
	const image = selectedOf(listOf(state));
	if (image?.object !== "image" || state.app === undefined) return stay(say(state, "warn", "No image is chosen."));
	return act(image, state.app.id);
}

export function deleteImages(state: State): Step {
	const chosen = targetsOf(listOf(state))
		.filter((thing) => thing.object === "image")
		.slice(0, BATCH_LIMIT);
	const ids = chosen.map(({ id }) => id);
	const [first] = chosen;
	if (first === undefined || state.app === undefined) return stay(say(state, "warn", "No image is chosen."));
	const act: Action = { kind: "images", verb: "delete", app: state.app.id, user: state.user?.id, ids };
	if (canBringBack(first)) return change(state, act);
	return confirm(
		state,
		`Delete ${ids.length === 1 ? first.filename : `${ids.length} images`} for good?`,
		String(ids.length),
		act,
	);
}

/** The older interfaces, which alone say whether an image is public, delete for good. */
function canBringBack(image: Image): boolean {
	return image.public === undefined;
}

/** Brings back what was deleted last, here, and is less than a day old. */
export function restoreImages(state: State): Step {
	const last = state.deletions.at(-1);
	if (state.changes.length > 0) return stay(say(state, "warn", "Still under way; press z again when it is done."));
	if (last === undefined) return stay(say(state, "warn", "There is nothing to take back."));
	return change({ ...state, deletions: state.deletions.slice(0, -1) }, { kind: "images", verb: "restore", ...last });
}

export function copyImageAddress(state: State): Step {
	return withImage(state, ({ url }) =>
		askText(state, "Copy its address with, as w=400 format=webp", { kind: "address", url }),
	);
}

export function saveImage(state: State): Step {
	return withImage(state, ({ url, filename }) => {
		const name = filename.replaceAll(/[/\\]/g, "_");
		return stay(say(state, "good", `Saving ${name}…`), { type: "save", url, name });
	});
}

export function editImage(state: State): Step {
	return withImage(state, (image, app) =>
		openForm(state, {
			title: `Image ${image.filename}`,
			fields: [
				{ kind: "text", name: "caption", label: "Caption", hint: "May stay empty", value: image.caption },
				{
					kind: "text",
					name: "published_at",
					label: "Published",
					hint: "A time as 2026-11-24T10:00:00Z; lists are ordered by it",
					value: image.published_at,
				},
				{
					kind: "text",
					name: "ttl",
					label: "Ends in",
					hint: "24h or 7d from now, or never; empty leaves it as it is",
					value: "",
					empty: image.expires_at ?? "never",
				},
				{
					kind: "text",
					name: "labels",
					label: "Labels",
					hint: `As album=pets${SEPARATOR} season=winter`,
					value: textOf(image.labels),
				},
				{
					kind: "text",
					name: "external_id",
					label: "Your own name",
					hint: "What the App's code calls it; may stay empty",
					value: image.external_id ?? "",
				},
			],
			read(values, first) {
				const changed = changedIn(values, first);
				if (changed.size === 0) return undefined;
				const labels = labelsIn(values.labels ?? "");
				if (labels === undefined) return { errors: { labels: `is key=value, with a ${SEPARATOR} between two` } };
				const changes = changesOf(values, changed, mergeOf(image.labels, labels));
				return { kind: "image", verb: "edit", app, user: state.user?.id, id: image.id, changes };
			},
		}),
	);
}

/** What somebody else may have changed meanwhile stays as it is. */
function changesOf(values: Values, changed: ReadonlySet<string>, labels: StringMapChange): ImageChanges {
	const { caption, published_at: publishedAt, ttl, external_id: externalId = "" } = values;
	return {
		...(changed.has("caption") && { caption }),
		...(changed.has("published_at") && { publishedAt }),
		...(changed.has("ttl") && { ttl: ttl === "never" ? null : ttl }),
		...(changed.has("labels") && { labels }),
		...(changed.has("external_id") && { externalId: externalId === "" ? null : externalId }),
	};
}

function textOf(labels: Image["labels"]): string {
	return Object.entries(labels)
		.map(([key, value]) => `${key}=${value}`)
		.join(`${SEPARATOR} `);
}

function labelsIn(text: string): Readonly<Record<string, string>> | undefined {
	const pairs = text
		.split(SEPARATOR)
		.map((pair) => pair.trim())
		.filter(Boolean)
		.map((pair) => /^([^=]+)=(.*)$/.exec(pair));
	return pairs.includes(null) ? undefined : Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]));
}

/** A label that was taken out of the text goes. */
function mergeOf(before: Image["labels"], after: Readonly<Record<string, string>>): StringMapChange {
	const removed = Object.keys(before).filter((key) => !(key in after));
	const set = Object.entries(after).filter(([key, value]) => before[key] !== value);
	return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(set) };
}
