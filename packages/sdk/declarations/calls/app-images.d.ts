import type { AppImage, DeletedImage, Job } from "../shapes.js";
import type { List } from "../types.js";
import { type Calls } from "../wire/calls.js";
import type { CallOptions, PostOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
import { type ListOptions } from "./image-lists.js";
import type { IncludeOptions, StringMapChange } from "./images.js";
export interface AppListOptions extends ListOptions {
    /** `locked` ones are served but cannot be changed. Default: `ready`. */
    readonly state?: "ready" | "blocked" | "locked" | "failed" | undefined;
}
/** What chooses images of an App, in the App storage or in that of `user`. */
export interface ImageFilter extends Omit<AppListOptions, "limit" | "cursor" | "include" | "totalMax" | keyof CallOptions> {
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
    readonly move?: {
        readonly user: string | null;
    } | undefined;
}
/** A page of images; `total` as in a page of the storage. */
export interface Totalled<Item> extends List<Item> {
    readonly total?: number | null;
}
/** What an App's team sees of its images, in the App storage or in that of the call's `user`. */
export declare function appImagesOf(calls: Calls, appId: string): {
    /** Fetches one page, newest `published_at` first, in whatever state. */
    list: (options?: AppListOptions) => Promise<Totalled<AppImage>>;
    /** Yields every image from `cursor` on. */
    all: (options?: AppListOptions) => AsyncGenerator<AppImage, void, undefined>;
    get: (id: string, { user, include, ...options }?: IncludeOptions) => Promise<AppImage>;
    /** The pictures that fit, as they are stored, in one ZIP file: at most 5,000 of them and 10 GB. */
    zip: (filter?: Omit<ImageFilter, "state">, options?: CallOptions) => Promise<ReadableStream<Uint8Array<ArrayBufferLike>>>;
    /** What can still be restored, the last deleted first. */
    deleted: {
        list: (options?: ListOptions) => Promise<Totalled<DeletedImage>>;
        all: (options?: ListOptions) => AsyncGenerator<DeletedImage, void, undefined>;
    };
};
/** One change of all images that a filter finds. */
export declare function imageJobsOf(calls: Calls, appId: string): {
    /** Of the images that fit when it starts. Once it is done, its `result` says how many were `changed`, and `skipped` by the reason. */
    create: (filter: ImageFilter, { move, ...act }: ImageAct, options?: PostOptions) => Promise<Job>;
    /** What was changed stays. */
    cancel: (id: string, options?: CallOptions) => Promise<Job>;
};
export declare function appJobsOf(transport: Transport, appId: string): import("../wire/calls.js").Pages<Job, {
    state: Job["state"];
}, List<Job>>;
