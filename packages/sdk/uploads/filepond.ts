import { checkArguments } from "../wire/check.ts";
import { TICKET_SERVER } from "../wire/takes.ts";
import { type TicketSource, ticketUploads } from "./ticket-queue.ts";

export interface FilePondTicketOptions {
	/** Asks your backend for an upload ticket, and gives its `url`: `async () => (await fetch("/tickets", { method: "POST" })).text()`. */
	readonly ticket: TicketSource<File>;
	/** Called when somebody takes an uploaded image back, with its id; it stays where this is left out. */
	readonly remove?: ((imageId: string) => void | Promise<void>) | undefined;
	/** As in `uploadWithTicket`. Default: 5. */
	readonly retries?: number | undefined;
}

/**
 * The `server` of a FilePond that uploads with tickets: `FilePond.create(input, { server: ticketServer({ ticket }) })`. The `serverId` of a file,
 * which a form around it sends, is the id of its image.
 */
export function ticketServer(options: FilePondTicketOptions) {
	checkArguments("ticketServer", TICKET_SERVER, [options]);
	const { ticket, remove, retries } = options;
	const send = ticketUploads(ticket);

	function process(
		_field: string,
		file: File | Blob,
		_metadata: object,
		load: (id: string) => void,
		error: (text: string) => void,
		progress: (isComputable: boolean, sent: number, total: number) => void,
		abort: () => void,
	): { abort(): void } {
		const controller = new AbortController();
		const { signal } = controller;
		// A picture that a plugin has made smaller is a Blob with a name.
		const named = file as File;
		send(named, file, {
			signal,
			retries,
			filename: named.name,
			onProgress: ({ sentBytes }) => progress(true, sentBytes, file.size),
		}).then(
			({ id }) => load(id),
			(cause: unknown) => {
				if (!signal.aborted) error(cause instanceof Error ? cause.message : String(cause));
			},
		);
		return {
			abort() {
				controller.abort();
				abort();
			},
		};
	}

	function revert(id: unknown, load: () => void, error: (text: string) => void): void {
		Promise.resolve(remove?.(String(id))).then(load, (cause: unknown) => error(String(cause)));
	}

	// Null rather than left out: FilePond would send requests to the page itself.
	return { process, revert: remove ? revert : null, restore: null, load: null, fetch: null, remove: null };
}
