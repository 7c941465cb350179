import type { Image } from "../shapes.js";
import { type TicketUploadOptions } from "./ticket-upload.js";
/** Asks the App's backend for a ticket, and gives its `url`. */
export type TicketSource<File> = (file: File, signal: AbortSignal) => string | Promise<string>;
/**
 * Uploads files with a ticket each. A file that is tried again is sent with the ticket that it had, so that a lost answer makes no second
 * image; where that ticket has ended, with a new one.
 */
export declare function ticketUploads<File>(source: TicketSource<File>): (file: File, body: Blob, options: TicketUploadOptions & {
    readonly signal: AbortSignal;
}) => Promise<Image>;
