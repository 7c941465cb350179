import type { Image } from "../shapes.js";
import type { List } from "../types.js";
import type { CallOptions, Query } from "../wire/request.js";
/** A value, one of several values, or null for "has no such label". All of them must hold. */
export type LabelFilter = Readonly<Record<string, string | readonly string[] | null>>;
export interface Period {
    readonly from?: Date | string | number | undefined;
    readonly to?: Date | string | number | undefined;
}
/** A page of images; `total` where it was asked for, null of a filter that leaves more than 100,000, or for which `totalMax` is not enough. */
export interface ImagePage extends List<Image> {
    readonly total?: number | null;
}
export interface ListOptions extends CallOptions {
    /** At most 100; cannot be combined with `labels`. */
    readonly ids?: readonly string[] | undefined;
    readonly labels?: LabelFilter | undefined;
    /** A time of which `from` is included and `to` is not, as a Date, ISO 8601, or a unix timestamp in seconds. */
    readonly created?: Period | undefined;
    readonly published?: Period | undefined;
    /** Permanent images are in no such time. */
    readonly expires?: Period | undefined;
    readonly formats?: readonly Image["format"][] | undefined;
    /** As written: upper and lower case differ. */
    readonly filenamePrefix?: string | undefined;
    /** The App's own name of one image. */
    readonly externalId?: string | undefined;
    /** Of the bytes as they were sent or fetched, in hexadecimal: finds duplicates. */
    readonly sha256?: string | undefined;
    /** Id of an image of the same storage: others that look like it, at most 400. */
    readonly similarTo?: string | undefined;
    /** Words of the filename without its ending, the labels and the caption, in any case: a word finds what begins with it. */
    readonly q?: string | undefined;
    /** By `published_at`. Default: `desc`, the newest first. */
    readonly order?: "asc" | "desc" | undefined;
    /**
     * `total`: how many images fit the filter on all pages, in `total` of the page; `facts`: what is known of each picture; `preview`: an address
     * that shows its smallest size for some minutes; `revision`: the number of its last change.
     */
    readonly include?: readonly ("total" | "facts" | "preview" | "revision")[] | undefined;
    /** How many images may be looked at for the total of a filter, 1 to 10,000: rather none than a slow one. */
    readonly totalMax?: number | undefined;
    /** Images on a page, 1 to 100. Default: 50. */
    readonly limit?: number | undefined;
    /** `next_cursor` of an earlier page, with the same filter. */
    readonly cursor?: string | undefined;
}
export interface LabelOptions extends CallOptions {
    /** 1 to 1,000. */
    readonly limit?: number | undefined;
}
/** The options as query parameters. */
export declare function listQuery(options: ListOptions): Query;
