import { chmod, open, readFile, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { isDeploymentSecret } from "@svc/base/crypto/deployment-secret";
import { sync, unless } from "@svc/storage/folders";

/*
 * The deployment's secret where no variable holds it: a file of the data directory that only its owner may read. Its first line is the
 * secret; while the one before is still taken, the second line is that one, and until when.
 */

export interface SecretFile {
	readonly path: string;
	/** The secrets that are taken, the one in force first; none where there is no file. */
	read(nowMs: number): Promise<readonly string[]>;
	/** Whole or not at all, and durable when this resolves. @param former the one before, and until when it is taken */
	write(secret: string, former?: { readonly secret: string; readonly untilMs: number }): Promise<void>;
}

export function secretFile(dataDir: string): SecretFile {
	const path = join(dataDir, "deployment-secret");
	return {
		path,
		async read(nowMs) {
			const text = await readFile(path, "utf8").catch(unless("ENOENT"));
			if (text === undefined) return [];
			await closeToOthers(path);
			const [secret = "", second] = text.trim().split("\n");
			const [former = "", until = ""] = second?.split(" until ") ?? [];
			const secrets = second !== undefined && Date.parse(until) > nowMs ? [secret, former] : [secret];
			if (!secrets.every(isDeploymentSecret))
				throw new Error(`${path} does not hold a secret as the service writes it. Bring back the file that it was.`);
			return secrets;
		},
		async write(secret, former) {
			const fresh = `${path}.new`;
			const file = await open(fresh, "w", 0o600);
			try {
				const second = former ? `${former.secret} until ${new Date(former.untilMs).toISOString()}\n` : "";
				await file.writeFile(`${secret}\n${second}`);
				await file.sync();
			} finally {
				await file.close();
			}
			await rename(fresh, path);
			await sync(dataDir);
		},
	};
}

/** A copy that was brought back may have come readable by all. Where this process does not own it, it stays as it is. */
async function closeToOthers(path: string): Promise<void> {
	const { mode } = await stat(path);
	if ((mode & 0o077) !== 0) await chmod(path, 0o600).catch(() => undefined);
}
