import type { Context } from "./leaf.ts";

export interface Progress {
	/** One more thing is done, or has failed. */
	advance(bytes: number): Promise<void>;
	/** Takes the line away, so that something else can be written there. */
	clear(): Promise<void>;
}

const CLEAR_LINE = "\r\u001b[K";
const MEGABYTE = 1_000_000;

function megabytes(bytes: number): string {
	return (bytes / MEGABYTE).toFixed(1);
}

/** A line that counts, with a rate; only where a person watches several things being done. */
export function startProgress({ world, out }: Context, total: number): Progress {
	const watched = world.err.isTerminal && !out.quiet && !out.isJson && total > 1;
	const startedMs = world.now();
	let done = 0;
	let sent = 0;
	return {
		async advance(bytes) {
			done++;
			sent += bytes;
			if (!watched) return;
			const seconds = Math.max(0.001, (world.now() - startedMs) / 1000);
			await world.err.write(
				`${CLEAR_LINE}${done}/${total} · ${megabytes(sent)} MB · ${megabytes(sent / seconds)} MB/s`,
			);
		},
		clear: async () => (watched ? world.err.write(CLEAR_LINE) : undefined),
	};
}
