import type { Image } from "../shapes.js";
import type { Fetch } from "../wire/request.js";
import { type UploadProgress } from "./upload.js";
export interface TicketUploadOptions {
    /** Hears how much of the file has left this machine, in each try from the beginning; without XMLHttpRequest at the start and the end alone. What it throws fails no upload, and of an empty file it hears nothing. */
    readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
    /** Default: the name of a File, else `image`. */
    readonly filename?: string | undefined;
    /** How often the same bytes are sent again after a connection that was cut, or an answer that asks to wait. Default: 5. */
    readonly retries?: number | undefined;
    /** Milliseconds without any movement after which a try counts as cut. Default: 60,000. */
    readonly timeoutMs?: number | undefined;
    /** Used in place of XMLHttpRequest and the global fetch: to log, to proxy or to test. */
    readonly fetch?: Fetch | undefined;
}
/**
 * Uploads a file with the address of an upload ticket, from a browser, a worker or any other runtime: without a key. However often the same
 * bytes are sent, the ticket makes one image, so that a try whose connection is cut is repeated.
 * @param url `url` of an upload ticket
 * @throws TypeError for an option that is missing, unknown or of a wrong kind, ApiError when the service refused, ConnectionError when no answer came, the signal's reason when it was aborted
 */
export declare function uploadWithTicket(url: string, file: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>, options?: TicketUploadOptions): Promise<Image>;
