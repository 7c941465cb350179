import { tmpdir } from "node:os";
import { ended, startProgram } from "./program.ts";

/** Brings a backup back with the real program. @throws Error when it does not end well */
export async function restoreInto(backup: string, dataDir: string, ...words: readonly string[]): Promise<void> {
	await restoreWith({}, backup, dataDir, ...words);
}

/** The same with variables of the service, for a backup in a bucket. */
export async function restoreWith(
	env: Readonly<Record<string, string>>,
	backup: string,
	dataDir: string,
	...words: readonly string[]
): Promise<void> {
	const { exit, err } = await ended(
		startProgram(["server", "restore", backup, "--to", dataDir, ...words], { cwd: tmpdir(), env }),
	);
	if (exit !== 0) throw new Error(`exit ${exit}: ${err}`);
}
