import type { Context } from "./leaf.ts";
import { plainLine } from "./text.ts";

const CLEAR_LINE = "\r\u001b[K";

/** A line on standard error that is written over again and again; only where a person watches. */
export interface StatusLine {
	show(text: string): Promise<void>;
	/** Takes the line away, so that something else can be written there. */
	clear(): Promise<void>;
}

export function openStatusLine({ world, out }: Context): StatusLine {
	const watched = world.err.isTerminal && !out.quiet && !out.isJson;
	const write = async (text: string) => (watched ? world.err.write(CLEAR_LINE + text) : undefined);
	return { show: (text) => write(plainLine(text)), clear: () => write("") };
}
