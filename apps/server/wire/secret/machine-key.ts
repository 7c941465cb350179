import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { newToken } from "@svc/base/crypto/macs";
import { isSameSecret } from "@svc/base/crypto/secrets";
import type { Log } from "@svc/base/ports";

/** Read by `svc open console`. */
const FILE = "machine-key";

/**
 * Proves that a program may read the data directory: a file that only its owner may read, and that each start writes anew. Returns whether what was
 * sent is what stands in it. A service whose disk is full starts without.
 */
export async function openMachineKey(dataDir: string, log: Log): Promise<(sent: string) => Promise<boolean>> {
	const key = newToken();
	const path = join(dataDir, FILE);
	try {
		await writeFile(path, `${key}\n`, { mode: 0o600 });
		// The mode above counts for a new file only.
		await chmod(path, 0o600);
	} catch (cause) {
		log.warn("The machine key could not be written; svc open console leads to the sign-in", { cause });
	}
	return (sent) => isSameSecret(key, sent);
}
