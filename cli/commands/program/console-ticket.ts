import { readFile } from "node:fs/promises";
import { ApiError } from "@svc/sdk/failure";
import type { Management } from "@svc/sdk/management";
import type { Context } from "../../kit/command.ts";
import { managementAs } from "../../kit/context.ts";
import { below } from "../../profile/paths.ts";
import { dataDirs } from "../../profile/profile.ts";

/** Written by the service at each start; only who may read the data directory has it. */
const MACHINE_KEY = "machine-key";
const HERE: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * An address that opens the console for who runs the command: by their session, or on the service's own machine as its first operator. Undefined where
 * there is neither; a token is none.
 */
export async function consoleTicket(context: Context, baseUrl: string): Promise<string | undefined> {
	const { token } = await context.credentials().catch(() => ({ token: undefined }));
	if (token?.startsWith("svc_ses_")) return await ticketBy(await context.management(), context);
	if (!HERE.has(new URL(baseUrl).hostname)) return undefined;
	const nobody = { baseUrl, secret: null };
	for (const dir of dataDirs(context.process)) {
		const machineKey = (await readFile(below(dir, MACHINE_KEY), "utf8").catch(() => "")).trim();
		const management = machineKey === "" ? undefined : await managementAs(context, nobody);
		const found = management && (await ticketBy(management, context, machineKey).catch(passStranger));
		if (found) return found;
	}
	return undefined;
}

async function ticketBy(
	{ sessions }: Management,
	{ process }: Context,
	machineKey?: string,
): Promise<string | undefined> {
	const { url } = await sessions.openConsole({ machineKey, signal: process.signal });
	return url ?? undefined;
}

/** What lies in a data directory may be of another service, or of an earlier start. */
function passStranger(cause: unknown): undefined {
	if (!(cause instanceof ApiError)) throw cause;
}
