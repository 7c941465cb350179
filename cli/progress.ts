import type { Context } from "./leaf.ts";
import { openStatusLine, type StatusLine } from "./status-line.ts";

export interface Progress extends Pick<StatusLine, "clear"> {
	/** One more thing is done, or has failed. */
	advance(bytes: number): Promise<void>;
}

const MEGABYTE = 1_000_000;

function megabytes(bytes: number): string {
	return (bytes / MEGABYTE).toFixed(1);
}

/** A line that counts, with a rate; only where a person watches several things being done. */
export function startProgress(context: Context, total: number): Progress {
	const { world } = context;
	const line = openStatusLine(context);
	const startedMs = world.now();
	let done = 0;
	let sent = 0;
	return {
		async advance(bytes) {
			done++;
			sent += bytes;
			if (total === 1) return;
			const seconds = Math.max(0.001, (world.now() - startedMs) / 1000);
			await line.show(`${done}/${total} · ${megabytes(sent)} MB · ${megabytes(sent / seconds)} MB/s`);
		},
		clear: async () => (total === 1 ? undefined : line.clear()),
	};
}
