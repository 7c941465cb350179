import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "./config/config.ts";

/* What somebody can do about a start that the machine refuses. */

/** @throws Error that says what to set */
export async function requireDataDir({ dataDir, database }: Pick<Config, "dataDir" | "database">): Promise<void> {
	const { R_OK, W_OK, X_OK, F_OK } = constants;
	const within = database.kind === "file" ? [database.path] : [join(dataDir, "profiles.json")];
	try {
		await mkdir(dataDir, { recursive: true });
		await access(dataDir, R_OK | W_OK | X_OK);
		for (const file of within) {
			const isThere = await access(file, F_OK).then(
				() => true,
				() => false,
			);
			if (isThere) await access(file, R_OK | W_OK);
		}
	} catch (cause) {
		throw new Error(
			`the data directory ${dataDir} cannot be used (${codeOf(cause)}): it has to be a folder that this user may write. ` +
				"Name another one in SVC_DATA_DIR, or start as the user that it belongs to.",
			{ cause },
		);
	}
}

/** The failure to listen, in words that name the variable. Anything else stays as it is. */
export function listenFailure(cause: unknown, variable: string): unknown {
	const [, port] = /(?:port |:)(\d+)\b/.exec(cause instanceof Error ? cause.message : "") ?? [];
	switch (codeOf(cause)) {
		case "EADDRINUSE":
			return new Error(`${port ? `port ${port}` : "a port"} is taken by another program. ${otherPort(variable)}`, {
				cause,
			});
		case "EACCES":
			return new Error(
				`this user may not listen on ${port ? `port ${port}` : "a port below 1024"}. ${otherPort(variable)}`,
				{
					cause,
				},
			);
		case "EADDRNOTAVAIL":
			return new Error(`this machine does not have an address that ${variable} names.`, { cause });
		default:
			return cause;
	}
}

function otherPort(variable: string): string {
	return variable === "PORT"
		? "End that program, or choose another port with PORT: with PORT=4000 the images are on 4001."
		: `Choose another one in ${variable}.`;
}

function codeOf(cause: unknown): unknown {
	return cause instanceof Error && "code" in cause ? cause.code : cause;
}
