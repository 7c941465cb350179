import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { Process } from "../kit/process.ts";

/** A new file that only its owner can read. */
interface SecretFile {
	/** The path as it was typed. */
	readonly name: string;
	/** Writes exactly the secret, without a line's end: that would become part of it wherever the file is read whole. */
	write(secret: string): Promise<void>;
	/** Takes the file away again. */
	discard(): Promise<void>;
}

const OWNER_ONLY = 0o600;

/**
 * Made before the secret is: a secret that cannot be stored must not be made.
 * @throws LocalError when there is such a file already, or it cannot be made
 */
export async function createSecretFile({ cwd }: Pick<Process, "cwd">, name: string): Promise<SecretFile> {
	const path = resolve(cwd, name);
	const file = await open(path, "wx", OWNER_ONLY).catch((error: unknown) => {
		if (codeOf(error) === "EEXIST") {
			throw new LocalError(
				`${name} exists already; a secret goes into a new file.`,
				"Name another one.",
				EXIT.conflict,
			);
		}
		throw new LocalError(
			`${name} cannot be made (${String(codeOf(error))}).`,
			"Check the folder, and who may write there.",
		);
	});
	return {
		name,
		async write(secret) {
			await file.writeFile(secret);
			await file.sync();
			await file.close();
		},
		async discard() {
			await file.close().catch(() => undefined);
			await rm(path, { force: true });
		},
	};
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : undefined;
}
