import type { Log, Meters } from "@svc/base/ports";

interface Watched {
	readonly log: Pick<Log, "error">;
	readonly meters: Pick<Meters, "count">;
	/** Ends the process as somebody who asks for it does. */
	readonly end: () => void;
}

/**
 * Logs and counts what nobody caught, for as long as the process runs. A promise that failed unheard was work of its own, which is over, and what
 * the system refused (no descriptor, no memory, a connection that is gone) has changed nothing: the service goes on. Any other exception has left
 * a callback in the middle of what it was changing, and what this process keeps in memory could be wrong.
 */
export function watchUncaught({ log, meters, end }: Watched): void {
	const note = (kind: "rejection" | "exception", cause: unknown) => {
		meters.count("svc_uncaught_total");
		log.error("an error that nobody caught", { event: "uncaught", kind, cause });
	};
	process.on("unhandledRejection", (cause) => note("rejection", cause));
	process.on("uncaughtException", (cause) => {
		note("exception", cause);
		if (!isOfSystem(cause)) end();
	});
}

/** Codes of the system are one word, such as EMFILE; those of the runtime are several. */
function isOfSystem(cause: unknown): boolean {
	return cause instanceof Error && "code" in cause && /^E[A-Z0-9]+$/.test(String(cause.code));
}
