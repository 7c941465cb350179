import type { AppImage, DeletedImage, Job } from "../shapes.ts";
import type { List } from "../types.ts";
import { type Calls, eachOf, pagesOf, pathOf } from "../wire/calls.ts";
import type { CallOptions, PostOptions } from "../wire/request.ts";
import type { Transport } from "../wire/transport.ts";
import { type ListOptions, listQuery } from "./image-lists.ts";
import type { IncludeOptions, StringMapChange } from "./images.ts";

export interface AppListOptions extends ListOptions {
	/** `locked` ones are served but cannot be changed. Default: `ready`. */
	readonly state?: "ready" | "blocked" | "locked" | "failed" | undefined;
}

/** What chooses images of an App, in the App storage or in that of `user`. */
export interface ImageFilter
	extends Omit<AppListOptions, "limit" | "cursor" | "include" | "totalMax" | keyof CallOptions> {
	readonly user?: string | null | undefined;
}

/** What is done to each image: one of them. */
export interface ImageAct {
	readonly labels?: StringMapChange | undefined;
	/** Seconds, or a duration such as `24h`, from when an image has its turn. Null makes it permanent. */
	readonly ttl?: string | number | null | undefined;
	/** What is deleted can be restored for 24 hours. */
	readonly delete?: true | undefined;
	/** The filter then chooses among what was deleted. */
	readonly restore?: true | undefined;
	/** To a connected user, or with null to the App storage. */
	readonly move?: { readonly user: string | null } | undefined;
}

/** A page of images; `total` as in a page of the storage. */
export interface Totalled<Item> extends List<Item> {
	readonly total?: number | null;
}

function filterQuery({ user, state, ...filter }: ImageFilter) {
	return { ...listQuery(filter), state, user_id: user ?? undefined };
}

/** What an App's team sees of its images, in the App storage or in that of the call's `user`. */
export function appImagesOf(calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "images", ...rest);
	const page = <Item>(at: string, { user, state, ...options }: AppListOptions) => {
		const query = { ...listQuery(options), state, user_id: user ?? undefined };
		return calls.get<Totalled<Item>>(at, { ...options, query });
	};
	const list = (options: AppListOptions = {}) => page<AppImage>(path(), options);
	const deleted = (options: ListOptions = {}) => page<DeletedImage>(path("deleted"), options);
	return {
		/** Fetches one page, newest `published_at` first, in whatever state. */
		list,
		/** Yields every image from `cursor` on. */
		all: (options?: AppListOptions) => eachOf(list, options),
		get: (id: string, { user, include, ...options }: IncludeOptions = {}) =>
			calls.get<AppImage>(path(id), { ...options, query: { include: include?.join(","), user_id: user ?? undefined } }),
		/** The pictures that fit, as they are stored, in one ZIP file: at most 5,000 of them and 10 GB. */
		zip: (filter: Omit<ImageFilter, "state"> = {}, options: CallOptions = {}) =>
			calls.stream(`${path()}.zip`, { ...options, query: filterQuery(filter) }),
		/** What can still be restored, the last deleted first. */
		deleted: { list: deleted, all: (options?: ListOptions) => eachOf(deleted, options) },
	};
}

/** One change of all images that a filter finds. */
export function imageJobsOf(calls: Calls, appId: string) {
	const path = (...rest: string[]) => pathOf("apps", appId, "image_jobs", ...rest);
	return {
		/** Of the images that fit when it starts. Once it is done, its `result` says how many were `changed`, and `skipped` by the reason. */
		create: (filter: ImageFilter, { move, ...act }: ImageAct, options?: PostOptions) => {
			const sent = Object.entries(filterQuery(filter)).filter(([, value]) => value !== undefined);
			const texts = Object.fromEntries(sent.map(([name, value]) => [name, String(value ?? "")]));
			const wanted = { ...act, ...(move && { move: { user_id: move.user } }) };
			return calls.post<Job>(path(), { filter: texts, act: wanted }, options);
		},
		/** What was changed stays. */
		cancel: (id: string, options?: CallOptions) => calls.assure<Job>(path(id, "cancel"), options),
	};
}

export function appJobsOf(transport: Transport, appId: string) {
	return pagesOf<Job, { state: Job["state"] }>(transport, pathOf("apps", appId, "jobs"), { filters: ["state"] });
}
