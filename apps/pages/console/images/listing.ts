import type { App, AppImage, DeletedImage, Image, Labels } from "@svc/sdk/shapes";
import { type ConsoleVisit, clientOf, isRefusal } from "../kit/visit.ts";
import { type Filter, filterOf, type ListPlace, labelsOf, placeOf } from "./filter.ts";

/** Pictures on a page: five rows of twelve on the widest screen. */
const PAGE_SIZE = 60;

/** An image as the console shows it: older interfaces tell less of it. */
export type ConsoleImage = Image &
	Partial<Pick<AppImage, "blocked_reason" | "locked">> &
	Partial<Pick<DeletedImage, "deleted_at">>;

export interface ImagesPage {
	readonly data: readonly ConsoleImage[];
	readonly pagination: { readonly next_cursor: string | null };
	/** How many fit the filter on all pages; null where counting them would take too long. */
	readonly total?: number | null;
}

export interface ShownList {
	readonly app: App;
	readonly filter: Filter;
	readonly place: ListPlace;
	readonly page: ImagesPage;
	readonly labels: Labels;
}

const NO_LABELS: Labels = { object: "labels", data: [], truncated: false };

/** What the screen of images shows, by three calls; labels of none where a search finds nothing, for which its screen asks again in another way. @throws ApiError */
export async function readListing(visit: ConsoleVisit): Promise<ShownList> {
	const id = visit.params.app ?? "";
	const filter = filterOf(visit.url);
	const place = placeOf(visit.url);
	const calls = [visit.api.apps.get(id), listPage(visit, filter, place, ["total", ...ofThumbs(visit)])] as const;
	if (filter.q === undefined) {
		const [app, page, labels] = await Promise.all([...calls, readLabels(visit, filter)]);
		return { app, filter, place, page, labels };
	}
	const [app, page] = await Promise.all(calls);
	return { app, filter, place, page, labels: page.data.length === 0 ? NO_LABELS : await readLabels(visit, filter) };
}

/** What thumbnails need of each image. */
export function ofThumbs({ includes }: ConsoleVisit): readonly string[] {
	return includes.filter((one) => one !== "revision");
}

/** One page of the list that an address names. @param include what is asked for beside the images themselves */
export async function listPage(
	visit: ConsoleVisit,
	{ storage, state, ...narrowed }: Filter,
	{ cursor }: ListPlace,
	include: readonly string[] = [],
): Promise<ImagesPage> {
	const app = visit.params.app ?? "";
	const query = { ...narrowed, include: include.join(",") || undefined, limit: PAGE_SIZE, cursor };
	const total_max = include.includes("total") ? totalMax(narrowed) : undefined;
	if (visit.includes.length === 0) {
		const older = { ...query, labels: undefined, ...olderLabels(narrowed) };
		return await clientOf(visit, app, storage).request("GET", "/v1/images", { query: older });
	}
	const [path, shown] =
		state === "deleted" ? [`/v1/apps/${app}/images/deleted`, undefined] : [`/v1/apps/${app}/images`, state];
	return await clientOf(visit, app).request("GET", path, {
		query: { ...query, total_max, state: shown, user_id: storage },
	});
}

/** Counting may take about as long as a page of a small storage: of one label an index is read, of anything else each image. */
function totalMax(filter: Filter): number {
	const isOther = Object.keys(filter).some((name) => name !== "labels" && name !== "order");
	return isOther || labelsOf(filter).length > 1 ? 2_500 : 10_000;
}

/** The filter by labels as the older interfaces take it. */
function olderLabels(filter: Filter): Readonly<Record<string, string>> {
	const pairs = labelsOf(filter).map((label) => label.split("=", 2));
	return Object.fromEntries(pairs.map(([key = "", value = ""]) => [`label[${key}]`, value]));
}

/** One image, in whatever state; one that was deleted in the last 24 hours as well. @throws ApiError */
export async function readImage(visit: ConsoleVisit, { storage }: Filter): Promise<ConsoleImage> {
	const { app = "", image: id = "" } = visit.params;
	const client = clientOf(visit, app, storage);
	if (visit.includes.length === 0) return await client.images.get(id);
	const images = visit.api.apps.of(app).images;
	const include = ["facts", "preview", "revision"] as const;
	try {
		return await images.get(id, { include, user: storage ?? null });
	} catch (cause) {
		if (!isRefusal(cause, "not_found")) throw cause;
		const [gone] = (await images.deleted.list({ ids: [id], user: storage ?? null, include: ["facts", "preview"] }))
			.data;
		if (!gone) throw cause;
		return gone;
	}
}

/** So many labels are offered to narrow the list by. */
const FACETS_SHOWN = 40;

/** Older interfaces count the labels of the App storage alone. */
async function readLabels(visit: ConsoleVisit, { storage }: Filter): Promise<Labels> {
	const app = visit.params.app ?? "";
	if (visit.includes.length > 0)
		return await clientOf(visit, app, storage).images.labels(undefined, { limit: FACETS_SHOWN });
	if (storage !== undefined) return NO_LABELS;
	return await visit.api.apps.of(app).labels(undefined, { limit: FACETS_SHOWN });
}
