import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { Context } from "../../../kit/command.ts";

/** A backup as a folder on this machine. */
interface Source {
	readonly folder: string;
	/** As it was named: a path, or an address in a bucket. */
	readonly backup: string;
	/** Removes what was fetched. */
	close(): Promise<void>;
}

const IN_BUCKET = /^s3:\/\//;

/**
 * A backup in a bucket is fetched beside the target first, by the service's own program, which knows how the bucket is reached.
 * @throws LocalError with what that program said
 */
export async function openSource(context: Context, given: string, dataDir: string): Promise<Source> {
	const { process, out } = context;
	if (!IN_BUCKET.test(given)) {
		const folder = resolve(process.cwd, given);
		return { folder, backup: folder, close: async () => undefined };
	}
	const folder = `${dataDir}.fetched-${randomUUID().slice(0, 8)}`;
	const close = () => rm(folder, { recursive: true, force: true });
	try {
		if (!out.isJson) await out.note("Fetching the backup from the bucket.");
		const { exit, err } = await process.service.run(["fetch-backup", given, folder], process.signal);
		if (exit !== 0) throw new LocalError(reasonIn(err), ADVICE, EXIT.missing);
	} catch (error) {
		await close();
		throw error;
	}
	return { folder, backup: given, close };
}

const ADVICE =
	"Give this command the environment of the service: SVC_BACKUP_TO or SVC_STORAGE, with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";

function reasonIn(said: string): string {
	const last = said.trim().split("\n").at(-1) ?? "";
	return `The backup could not be fetched: ${last.replace(/^The service could not start: /, "")}.`;
}
