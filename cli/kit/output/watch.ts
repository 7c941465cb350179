import { UsageError } from "@svc/base/processes/exit";
import { isTransient, wait } from "@svc/sdk/wire/retry";
import type { Context } from "../command.ts";
import type { Column } from "./table.ts";

/* A list that is drawn anew on a terminal; loaded only for a line that has --watch. */

const EVERY_MS = 2_000;
const TO_TOP = "\u001b[H\u001b[J";
/** Lines that are not rows: what is said above, the header, and the one on which the cursor stands. */
const OTHER_LINES = 3;

/** How many rows there is room for. @throws UsageError where nothing can be drawn anew */
export function watchedRows({ process, globals }: Context): number {
	const isDrawn = process.out.isTerminal && (globals.format ?? "table") === "table" && globals.field === undefined;
	if (isDrawn && !globals.quiet) return Math.max(1, process.out.rows - OTHER_LINES);
	throw new UsageError("--watch draws a table on a terminal.", "Elsewhere, see what happens: svc events tail");
}

/** Reads and draws until it is interrupted; what cannot be read for now leaves what was there. */
export async function watch<T>(
	context: Context,
	columns: readonly Column<T>[],
	read: () => Promise<readonly T[]>,
): Promise<never> {
	const { out, process } = context;
	let rows: readonly T[] = [];
	for (;;) {
		const failure = await read().then(
			(found) => {
				rows = found;
				return "";
			},
			(error: unknown) => {
				process.signal.throwIfAborted();
				if (isTransient(error)) return " · the service does not answer";
				throw error;
			},
		);
		const time = process.date().toTimeString().slice(0, 8);
		await process.out.write(`${TO_TOP}${time} · every ${EVERY_MS / 1000} s, Ctrl-C ends it${failure}\n`);
		await out.rows(columns, rows);
		await wait(EVERY_MS, process.signal);
	}
}
