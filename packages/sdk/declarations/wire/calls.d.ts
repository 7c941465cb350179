import type { Tombstone } from "../shapes.js";
import type { List } from "../types.js";
import type { CallOptions, PostOptions, Query, QueryOptions, QueryValue } from "./request.js";
import type { Transport } from "./transport.js";
/** Calls of the management API by what they do; each one's type is what the service documents. */
export interface Calls {
    get<T>(path: string, options?: QueryOptions): Promise<T>;
    /** Bytes that are not JSON: an image file. */
    download(path: string, options?: QueryOptions): Promise<Blob>;
    /** Bytes of any number, which are read as they come, however long that takes: whoever has enough cancels the stream. */
    stream(path: string, options?: QueryOptions): Promise<ReadableStream<Uint8Array>>;
    post<T>(path: string, body?: object, options?: PostOptions): Promise<T>;
    /** A POST of which a second one does no more than the first; sent again after a transient failure. */
    assure<T>(path: string, options?: CallOptions): Promise<T>;
    patch<T>(path: string, body: object, options?: CallOptions): Promise<T>;
    put<T>(path: string, body: object, options?: CallOptions): Promise<T>;
    /** A deletion that answers with something else than a tombstone: a job. */
    start<T>(path: string, options?: QueryOptions): Promise<T>;
    /** After a lost answer, an object that is gone counts as removed. */
    remove(object: string, path: string, id: string, options?: QueryOptions): Promise<Tombstone>;
}
export declare function callsOn(transport: Transport): Calls;
/**
 * ISO 8601, for a date in whatever form it was given; a number is seconds since 1970. What is no date goes as it is, for the service to
 * refuse: of numbers as text it takes those of four and eight digits for years and days.
 */
export declare function dateText(date: Date | string | number | null | undefined): string | null | undefined;
/**
 * The same calls, and those that have another name now under their old one as well, for version 1.
 * @param names the new name by the old one
 */
export declare function withOldNames<T extends object, const N extends Readonly<Record<string, keyof T>>>(calls: T, names: N): T & {
    readonly [Old in keyof N]: T[N[Old]];
};
export interface PageOptions extends CallOptions {
    /** Items on a page, 1 to 100. Default: 50. */
    readonly limit?: number | undefined;
    /** `next_cursor` of an earlier page, with the same filter. */
    readonly cursor?: string | undefined;
}
/** Values by the name of the query parameter. */
type Filters = Readonly<Record<string, QueryValue | Date>>;
type Unfiltered = Record<never, never>;
/** A list that comes in pages. */
export interface Pages<Item, Filter extends Filters = Unfiltered, Page extends List<Item> = List<Item>> {
    /** Fetches one page. */
    list(options?: PageOptions & Partial<Filter>): Promise<Page>;
    /** Yields every item from `cursor` on; pages are fetched as they are needed. */
    all(options?: PageOptions & Partial<Filter>): AsyncGenerator<Item, void, undefined>;
}
interface Selection<Filter> {
    /** Query parameters that the caller may give. */
    readonly filters?: readonly (keyof Filter & string)[];
    /** Query parameters that make the list what it is. */
    readonly fixed?: Query;
}
export declare function pagesOf<Item, Filter extends Filters = Unfiltered, Page extends List<Item> = List<Item>>(transport: Transport, path: string, { filters, fixed }?: Selection<Filter>): Pages<Item, Filter, Page>;
/** Yields every item of a list from `cursor` on. */
export declare function eachOf<Item, Options extends {
    readonly cursor?: string | undefined;
}>(list: (options: Options) => Promise<List<Item>>, options?: Options): AsyncGenerator<Item, void, undefined>;
/**
 * A path below `/v1`, its parts encoded.
 * @throws TypeError for a part that would make it another path: a call about one thing must not become one about all of them
 */
export declare function pathOf(...parts: readonly string[]): string;
export {};
