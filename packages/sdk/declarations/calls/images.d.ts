import type { Image, Labels, SignedAddress, Tombstone } from "../shapes.js";
import type { SignedParameters } from "../sign-url.js";
import type { BatchResult } from "../types.js";
import { type UploadProgress, type UploadSource, type UploadStream } from "../uploads/upload.js";
import type { CallOptions } from "../wire/request.js";
import type { Transport } from "../wire/transport.js";
import { type ImagePage, type LabelOptions, type ListOptions } from "./image-lists.js";
/** What may be asked for besides. */
export interface IncludeOptions extends CallOptions {
    /**
     * `facts`: what is known of the picture itself; `preview`: an address that shows its smallest size for some minutes; `revision`: the number of
     * its last change. Only in interface 4.6.0.
     */
    readonly include?: readonly ("facts" | "preview" | "revision")[] | undefined;
}
export interface CreateOptions extends IncludeOptions {
    readonly caption?: string | undefined;
    /** A Date, ISO 8601, or a unix timestamp in seconds. Default: the time of the upload. */
    readonly publishedAt?: Date | string | number | undefined;
    /** Seconds, or a duration such as `24h` or `7d`, from 5 minutes to 90 days. Default: no expiry. */
    readonly ttl?: string | number | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    /** Your own name for the image, 1 to 255 characters, unique among the living images of a storage. */
    readonly externalId?: string | undefined;
    /** Transition and legacy interfaces only. Default: the storage's own. */
    readonly public?: boolean | undefined;
    /** Repeating a create with its key never doubles it, for 24 hours. Default: a new random key for each call. */
    readonly idempotencyKey?: string | undefined;
}
export interface DeleteOptions extends CallOptions {
    /** Leaves nothing that could be restored. Default: {@link Images.restore} brings it back for 24 hours. */
    readonly permanent?: boolean | undefined;
}
/** A change that is repeated after a transient failure where it has a key. */
export interface CreateCall extends IncludeOptions {
    /** Repeating a call with its key does nothing twice, for 24 hours. Default: a new random key for each call. */
    readonly idempotencyKey?: string | undefined;
}
export interface ReplaceOptions extends CreateCall {
    /** Default: the name of a File, else `image`. */
    readonly filename?: string | undefined;
}
export interface UploadOptions extends CreateOptions {
    /** Default: the name of a File, else `image`. */
    readonly filename?: string | undefined;
    /** Hears how much of the file the connection has taken; in a browser no more than the beginning and the end. */
    readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
    /** Size of what a stream gives, where it is known: for progress. */
    readonly totalBytes?: number | undefined;
}
/** A stream cannot be sent twice, so nothing is repeated. To try again, open it anew and call again with the same `idempotencyKey`. */
export interface StreamOptions extends UploadOptions {
    readonly retries?: 0 | undefined;
}
/** Merged into a map: a string sets a key, null removes it. */
export type StringMapChange = Readonly<Record<string, string | null>>;
/** Fields that are left out stay as they are. */
export interface ImageChanges {
    /** Null or empty clears it. */
    readonly caption?: string | null | undefined;
    /** A Date, ISO 8601, or a unix timestamp in seconds. */
    readonly publishedAt?: Date | string | number | undefined;
    /** Lifetime from now on: seconds, or a duration such as `24h` or `7d`, from 5 minutes to 90 days. Null makes the image permanent. */
    readonly ttl?: string | number | null | undefined;
    readonly metadata?: StringMapChange | undefined;
    readonly labels?: StringMapChange | undefined;
    /** Null clears it. One image only: not for {@link Images.editMany}. */
    readonly externalId?: string | null | undefined;
    /** Nothing changes unless the image has all of these labels with these very values. */
    readonly ifLabels?: Readonly<Record<string, string>> | undefined;
    /**
     * The `revision` that was read by `include`: where somebody else has changed the image since, nothing changes. One image only. Not in older
     * interfaces.
     */
    readonly ifRevision?: number | undefined;
    /** Transition and legacy interfaces only. */
    readonly public?: boolean | undefined;
}
export interface SignImageOptions extends CallOptions {
    /** Of the transform host, or `preset` with the name of one. */
    readonly parameters?: SignedParameters | undefined;
    /** Seconds, or a duration such as `10m` or `7d`, up to `366d`. */
    readonly expiresIn: number | string;
}
export interface Images {
    /** Repeated after a failure of the moment; the idempotency key keeps it one image. */
    upload(file: UploadSource, options?: UploadOptions): Promise<Image>;
    /**
     * Sends a stream as it comes, without gathering it (browsers gather it), and once. When it fails, the call rejects with its error.
     * @throws TypeError for a stream that was sent before
     */
    upload(stream: UploadStream, options?: StreamOptions): Promise<Image>;
    /** The service fetches the address itself. */
    import(url: string, options?: CreateOptions): Promise<Image>;
    get(id: string, options?: IncludeOptions): Promise<Image>;
    /** Fetches one page, newest `published_at` first. */
    list(options?: ListOptions): Promise<ImagePage>;
    /** Labels of the images whose key begins with `prefix`, with how many have each; at most `limit`, or 1,000. */
    labels(prefix?: string, options?: LabelOptions): Promise<Labels>;
    /** Yields every page from `cursor` on. */
    pages(options?: ListOptions): AsyncGenerator<ImagePage, void, undefined>;
    /** Yields every image from `cursor` on; pages are fetched as they are needed. */
    all(options?: ListOptions): AsyncGenerator<Image, void, undefined>;
    /**
     * All of the changes, or none of them. Not repeated after a lost answer: `ifLabels` may no longer hold because of the first try.
     * @throws ApiError `state_conflict` when `ifLabels` does not hold, or `ifRevision`, with what was changed in `details`; `media_locked`, `media_failed`, `not_found`
     */
    edit(id: string, changes: ImageChanges, options?: IncludeOptions): Promise<Image>;
    /** Makes the same changes, but for `externalId`, to each of at most 100 images. An image that could not be changed is in `errors`, not thrown. */
    editMany(ids: readonly string[], changes: ImageChanges, options?: IncludeOptions): Promise<BatchResult<Image>>;
    /** Deletes at most 100 images; one that is gone already counts as deleted. */
    deleteMany(ids: readonly string[], options?: DeleteOptions): Promise<BatchResult<Tombstone>>;
    /** @throws ApiError `not_found` for an image that is gone already, unless an earlier try of this very call removed it. */
    delete(id: string, options?: DeleteOptions): Promise<Tombstone>;
    /**
     * Brings an image back that was deleted in the last 24 hours, under its id and addresses.
     * @throws ApiError `not_found`, `state_conflict` where it is there, `quota_exceeded`
     */
    restore(id: string, options?: CreateCall): Promise<Image>;
    /**
     * Gives an image other bytes, or lets the service fetch them: the same id, labels, dates and address.
     * @throws ApiError `media_locked`, `not_found`, and those of `upload`
     */
    replace(id: string, file: UploadSource | {
        readonly url: string;
    }, options?: ReplaceOptions): Promise<Image>;
    /**
     * Makes another image of the same bytes, dates, labels and texts, for a connected user of the App, or with null in the App storage.
     * @throws ApiError `media_locked`, `not_found`, `quota_exceeded`
     */
    copy(id: string, user: string | null, options?: CreateCall): Promise<Image>;
    /** Moves an image to a connected user of the App, or with null into the App storage: the same id, and another `url`. */
    move(id: string, user: string | null, options?: CreateCall): Promise<Image>;
    /**
     * An address that is answered under every delivery policy until it ends, for those who have no signing key's secret. Who may only look gets
     * one for at most 10 minutes. Not in older interfaces.
     * @throws ApiError `validation_error` naming a parameter that the transform host would ignore, `forbidden`, `not_found`
     */
    sign(id: string, options: SignImageOptions): Promise<SignedAddress>;
    /** @deprecated It is called `edit`. */
    update: Images["edit"];
    /** @deprecated It is called `editMany`. */
    updateMany: Images["editMany"];
}
export declare function imagesOn(transport: Transport): Images;
