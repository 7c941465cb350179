import { EXIT, type ExitCode } from "./exit.ts";
import type { Output } from "./output.ts";
import { type Column, fields } from "./table.ts";

/** A call that would be made. */
export interface PlannedCall {
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
}

const COLUMNS: readonly Column<PlannedCall>[] = [
	...fields("method", "path"),
	{ name: "body", value: (call) => call.body },
];

/** Shows what would be sent instead of sending it. */
export async function showDryRun(out: Output, calls: readonly PlannedCall[]): Promise<ExitCode> {
	await out.note("Nothing is sent. These calls would be made:");
	await out.rows(COLUMNS, calls);
	return EXIT.ok;
}
