import { EXIT, type ExitCode } from "@svc/base/processes/exit";
import { printableLine } from "@svc/base/text";
import { openAddress } from "./browser.ts";
import type { Context } from "./command.ts";
import * as takes from "./line/takes.ts";
import { fields } from "./output/table.ts";

export const OPEN_ARGS = { print: takes.flag("Print the address only") } as const;
export const OPEN_NOTES = "Prints the address too. Without a screen, or with --print, that is all it does.";

/** Prints an address, and opens it where there is a browser. */
export async function openPage(context: Context, url: string, printsOnly: boolean | undefined): Promise<ExitCode> {
	const { globals, out } = context;
	if (out.isJson || globals.field !== undefined) await out.record(fields("url"), { url });
	else await out.text(printableLine(url));
	if (printsOnly !== true && !globals.dryRun) await openAddress(context, url);
	return EXIT.ok;
}
