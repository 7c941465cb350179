import type { Access } from "@svc/apps/access";
import { invalid } from "@svc/base/failure";
import { NARROWING_PARAMETERS } from "@svc/images/list/list-filters";
import {
	countImages,
	filterParams,
	type ListRequest,
	listImages,
	parseListRequest,
	parseWholeListRequest,
	TOTAL_QUICK_MAX,
} from "@svc/images/list/lists";
import type { ListedImage } from "@svc/images/ports";
import { ok } from "../kit/call.ts";
import type { Call } from "../kit/call-types.ts";
import { readInclude } from "../kit/include.ts";
import { readNumber, refuseParameters } from "../kit/page.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { type Included, showImages } from "./facts.ts";
import { LIST_INCLUDES } from "./images-document.ts";

/* A list of images, as it is asked for and answered: for whoever holds a key, and for an App's team. */

/** Besides the labels. */
const LIST_PARAMETERS: ReadonlySet<string> = new Set([
	...["ids", "limit", "cursor", "order", "include", "total_max"],
	...NARROWING_PARAMETERS,
]);

interface ReadList {
	readonly request: ListRequest;
	readonly include: ReadonlySet<(typeof LIST_INCLUDES)[number]>;
	/** How many images may be looked at for the total. */
	readonly totalMax: number | undefined;
}

/**
 * Reads the query of a list.
 * @param further parameters that the call reads itself
 * @throws Failure validation_error naming each bad parameter
 */
export function readList({ variant }: ApiRooms, sent: URLSearchParams, further: readonly string[] = []): ReadList {
	const knowsAll = variant.lists.filters === "all";
	const request = knowsAll ? parseWholeListRequest(sent) : parseListRequest(sent);
	if (variant.lists.unknownParameters === "refused") {
		const isKnown = (name: string) => LIST_PARAMETERS.has(name) || name.startsWith("label") || further.includes(name);
		refuseParameters(sent, isKnown);
	}
	const include: ReadList["include"] = knowsAll ? readInclude(sent, LIST_INCLUDES) : new Set();
	if (request.ids && include.has("total")) throw invalid("ids", "cannot be combined with a total");
	const totalMax = knowsAll ? readNumber(sent, "total_max", TOTAL_QUICK_MAX) : undefined;
	return { request, include, totalMax };
}

type Show = (images: readonly ListedImage[], included: Included) => Promise<readonly unknown[]>;

/** One page. `show` says how its images look. */
export async function answerList(
	rooms: ApiRooms,
	{ access, url }: Pick<Call, "url"> & { readonly access: Pick<Access, "storage"> },
	{ request, include, totalMax }: ReadList,
	show: Show = (images, included) => showImages(rooms, images, included),
) {
	const { images: found, nextCursor } = await listImages(rooms.images, access, request);
	// What is on one page has been counted.
	const isWhole = request.cursor === undefined && nextCursor === undefined;
	const total = async () => (isWhole ? found.length : await countImages(rooms.images, access, request, totalMax));
	return ok({
		object: "list" as const,
		data: await show(found, include),
		pagination: {
			has_more: nextCursor !== undefined,
			next_cursor: nextCursor ?? null,
			next_url: nextCursor === undefined ? null : nextUrl(rooms, request, url, nextCursor),
		},
		...(include.has("total") && { total: await total() }),
	});
}

/** The whole address of the next page: a client follows it without knowing how a filter is spelt. */
function nextUrl(
	{ addresses, variant }: ApiRooms,
	request: ListRequest,
	{ pathname, searchParams }: URL,
	cursor: string,
) {
	const params = filterParams(request);
	if (variant.lists.filters === "all") keepSpelling(params, searchParams);
	params.set("limit", String(request.limit));
	params.set("cursor", cursor);
	return `${addresses.base}${pathname}?${params}`;
}

/** What was sent in another spelling than the filter's own goes on in it, and what the call reads besides. */
function keepSpelling(params: URLSearchParams, sent: URLSearchParams): void {
	if (sent.has("labels")) {
		for (const name of [...params.keys()]) if (name.startsWith("label[")) params.delete(name);
	}
	params.delete("state");
	for (const name of ["labels", "state", "user_id", "include", "total_max"]) {
		const value = sent.get(name);
		if (value !== null) params.set(name, value);
	}
}
