import { type TicketSource } from "./ticket-queue.js";
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
export declare function ticketServer(options: FilePondTicketOptions): {
    process: (_field: string, file: File | Blob, _metadata: object, load: (id: string) => void, error: (text: string) => void, progress: (isComputable: boolean, sent: number, total: number) => void, abort: () => void) => {
        abort(): void;
    };
    revert: ((id: unknown, load: () => void, error: (text: string) => void) => void) | null;
    restore: null;
    load: null;
    fetch: null;
    remove: null;
};
