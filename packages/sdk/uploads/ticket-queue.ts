import { ApiError } from "../failure.ts";
import type { Image } from "../shapes.ts";
import { type TicketUploadOptions, uploadWithTicket } from "./ticket-upload.ts";

/** Asks the App's backend for a ticket, and gives its `url`. */
export type TicketSource<File> = (file: File, signal: AbortSignal) => string | Promise<string>;

/** What a ticket cannot be used for any more, whatever is sent: the next try needs a new one. */
const SPENT: ReadonlySet<string> = new Set([
	"state_conflict",
	"not_found",
	"idempotency_key_conflict",
	"idempotency_recovery_conflict",
]);

/**
 * Uploads files with a ticket each. A file that is tried again is sent with the ticket that it had, so that a lost answer makes no second
 * image; where that ticket has ended, with a new one.
 */
export function ticketUploads<File>(source: TicketSource<File>) {
	const urls = new WeakMap<Blob, string>();
	return async (
		file: File,
		body: Blob,
		options: TicketUploadOptions & { readonly signal: AbortSignal },
	): Promise<Image> => {
		const url = urls.get(body) ?? (await source(file, options.signal));
		options.signal.throwIfAborted();
		urls.set(body, url);
		try {
			const image = await uploadWithTicket(url, body, options);
			urls.delete(body);
			return image;
		} catch (error) {
			if (error instanceof ApiError && SPENT.has(error.code)) urls.delete(body);
			throw error;
		}
	};
}
