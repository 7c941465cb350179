import { type TicketSource } from "./ticket-queue.js";
/** The part of a file of Uppy's that is used. */
export interface UppyFile {
    readonly id: string;
    readonly name?: string | undefined;
    readonly type?: string | undefined;
    readonly size: number | null;
    readonly progress: {
        readonly uploadStarted: number | null;
    };
    readonly meta: Readonly<Record<string, unknown>>;
    /** A Blob, unless it lies with a provider. */
    readonly data?: unknown;
}
/** The part of Uppy that is used: nothing of it is needed at run time. */
export interface Uploading {
    addUploader(uploader: (ids: string[]) => Promise<void>): void;
    removeUploader(uploader: (ids: string[]) => Promise<void>): unknown;
    getFile(id: string): UppyFile;
    emit(event: string, ...facts: readonly unknown[]): void;
    on(event: string, listener: (file: UppyFile) => void): unknown;
    off(event: string, listener: (file: UppyFile) => void): unknown;
}
export interface UppyTicketOptions {
    /** Asks your backend for an upload ticket, and gives its `url`: `async () => (await fetch("/tickets", { method: "POST" })).text()`. */
    readonly ticket: TicketSource<UppyFile>;
    /** How many files are sent at once. Default: 4. */
    readonly limit?: number | undefined;
    /** As in `uploadWithTicket`. Default: 5. */
    readonly retries?: number | undefined;
}
/**
 * Lets Uppy upload with tickets: `addTicketUploader(new Uppy(), { ticket })`, in place of a plugin such as XHRUpload. `upload-success` carries the Image as
 * `body`, and its address as `uploadURL`.
 * @returns a function that undoes it
 */
export declare function addTicketUploader(uppy: Uploading, options: UppyTicketOptions): () => void;
