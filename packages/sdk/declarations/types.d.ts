import type { BatchError, Image, Pagination, Tombstone } from "./shapes.js";
/**
 * Known values are completed by the editor, unknown ones are no error: a newer service may add values, and clients must keep
 * working (specification, "Versioning" 6).
 */
export type Open<Known extends string> = Known | (string & Record<never, never>);
export interface List<T> {
    readonly object: "list";
    readonly data: readonly T[];
    readonly pagination: Pagination;
}
/** 200 when `errors` is empty, 207 when it is not. */
export interface BatchResult<T = Image | Tombstone> {
    readonly object: "batch_result";
    readonly data: readonly T[];
    readonly errors: readonly BatchError[];
}
/** What an answer adds that makes a secret: it is never shown again. */
export interface WithSecret {
    readonly secret: string;
}
/** What a legacy deployment sends. */
export interface LegacyImage extends Image {
    readonly transformable: boolean;
}
