import { PARAMETERS } from "@svc/sdk/transform-parameters";

/*
 * The filter of a list of images, as the address of the screen says it: under the names of GET /v1/images. A picture's own address has those of the
 * transform host as well, `q` and `format` among them: there the list's are called `list_q` and `list_format`.
 */

/** Everything that narrows the list. */
const FIELDS = [
	...(["q", "labels", "format", "state", "storage", "order"] as const),
	...(["created_from", "created_to", "published_from", "published_to", "expires_from", "expires_to"] as const),
	...(["filename_prefix", "external_id", "sha256", "similar_to"] as const),
] as const;

/** What a parameter of the transform host is called as well. */
const SHARED = FIELDS.filter((name) => Object.hasOwn(PARAMETERS, name));

export type FilterField = (typeof FIELDS)[number];
export type Filter = Readonly<Partial<Record<FilterField, string | undefined>>>;

/** Where in the list one is. */
export interface ListPlace {
	readonly cursor: string | undefined;
	/** The cursors of the pages before, the nearest last; the first page has the cursor "". */
	readonly trail: readonly string[];
	readonly view: "grid" | "table";
}

/** So many pages one comes back without leaving the address too long. */
const TRAIL_MAX = 12;

export function filterOf({ searchParams }: URL): Filter {
	const given = FIELDS.map((name) => [name, searchParams.getAll(name).join(",")] as const);
	return Object.fromEntries(given.filter(([, value]) => value !== ""));
}

/** The filter of the list that one came from, in the address of a picture. */
export function listFilterOf(url: URL): Filter {
	const own = new URL(url);
	for (const name of SHARED) own.searchParams.delete(name);
	for (const name of SHARED)
		for (const value of url.searchParams.getAll(`list_${name}`)) own.searchParams.append(name, value);
	return filterOf(own);
}

/** The query of a picture's address: whence one came. */
export function pictureQueryOf(filter: Filter, place: Partial<ListPlace> = {}): string {
	const query = new URLSearchParams(queryOf(filter, place));
	const named = [...query].map(([name, value]) => [SHARED.some((one) => one === name) ? `list_${name}` : name, value]);
	const text = new URLSearchParams(named).toString();
	return text && `?${text}`;
}

export function placeOf({ searchParams }: URL): ListPlace {
	const trail = searchParams.get("trail");
	return {
		cursor: searchParams.get("cursor") || undefined,
		trail: trail === null ? [] : trail.split("~"),
		view: searchParams.get("view") === "table" ? "table" : "grid",
	};
}

/** The query of a screen with this filter, at this place; empty for the first page of all images. */
export function queryOf(filter: Filter, { cursor, trail, view }: Partial<ListPlace> = {}): string {
	const query = new URLSearchParams(textsOf(filter));
	if (view === "table") query.set("view", view);
	if (cursor !== undefined) query.set("cursor", cursor);
	if (trail && trail.length > 0) query.set("trail", trail.join("~"));
	const text = query.toString();
	return text && `?${text}`;
}

/** What chooses images as the API takes it, whether in the App storage or in a user's. */
export function apiFilter<Given extends Filter>({ storage, ...narrowed }: Given) {
	return { ...narrowed, user_id: storage };
}

/** What is there of a filter. */
export function textsOf(filter: Readonly<Record<string, string | undefined>>): Record<string, string> {
	return Object.fromEntries(Object.entries(filter).filter((one): one is [string, string] => Boolean(one[1])));
}

export function nextPlace(place: ListPlace, cursor: string): ListPlace {
	return { ...place, cursor, trail: [...place.trail, place.cursor ?? ""].slice(-TRAIL_MAX) };
}

/** Undefined on the first page. Past the end of the trail it is the first. */
export function previousPlace({ cursor, trail, view }: ListPlace): ListPlace | undefined {
	if (cursor === undefined) return undefined;
	return { view, cursor: trail.at(-1) || undefined, trail: trail.slice(0, -1) };
}

/** `album=summer,season=winter` in its parts; a value holds no comma. */
export function labelsOf({ labels = "" }: Filter): readonly string[] {
	return labels.split(",").filter((one) => one !== "");
}

export function withLabel(filter: Filter, label: string): Filter {
	return { ...filter, labels: [...labelsOf(filter), label].join(",") };
}

export function withoutLabel(filter: Filter, label: string): Filter {
	return {
		...filter,
		labels: labelsOf(filter)
			.filter((one) => one !== label)
			.join(","),
	};
}
