import { cutLine, printableLine } from "@svc/base/text";
import type { Context } from "../command.ts";

const CLEAR_LINE = "\r\u001b[K";

/** A line on standard error that is written over again and again; only where a person watches. */
interface StatusLine {
	show(text: string): Promise<void>;
	/** Clears the line, so that other text can be written there. */
	clear(): Promise<void>;
}

export interface Progress extends Pick<StatusLine, "clear"> {
	/** Counts one more item as done or failed. */
	advance(bytes: number): Promise<void>;
}

const MEGABYTE = 1_000_000;

/** Whether a person sees messages as they come. */
export function isWatched({ process, out }: Pick<Context, "process" | "out">): boolean {
	return process.err.isTerminal && !out.quiet && !out.isJson;
}

export function openStatusLine(context: Context): StatusLine {
	const { process } = context;
	const watched = isWatched(context);
	const write = async (text: string) => (watched ? process.err.write(CLEAR_LINE + text) : undefined);
	// A line that is longer than the terminal would be left there in part when it is written over.
	return { show: (text) => write(cutLine(printableLine(text), process.err.columns - 1)), clear: () => write("") };
}

/** A line that counts, with a rate; only where a person watches several things being done. */
export function startProgress(context: Context, total: number): Progress {
	const { process } = context;
	const line = openStatusLine(context);
	const startedMs = process.now();
	let done = 0;
	let sent = 0;
	return {
		async advance(bytes) {
			done++;
			sent += bytes;
			if (total === 1) return;
			const seconds = Math.max(0.001, (process.now() - startedMs) / 1000);
			await line.show(`${done}/${total} · ${megabytes(sent)} MB · ${megabytes(sent / seconds)} MB/s`);
		},
		clear: async () => (total === 1 ? undefined : line.clear()),
	};
}

function megabytes(bytes: number): string {
	return (bytes / MEGABYTE).toFixed(1);
}
