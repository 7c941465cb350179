import type { Database } from "@svc/base/database/client";
import type { Log, Meters, RenditionStore, Ticker } from "@svc/base/ports";
import { erasureStore } from "@svc/erasure/erasure-store";
import type { ProcessDeps } from "@svc/images/process-image";
import { processingStore } from "@svc/images/processing-store";
import type { Recounter } from "@svc/images/recount-store";
import type { JobStore } from "@svc/jobs/jobs-store";
import { type JobRunner, jobRunner } from "@svc/jobs/runner";
import type { BackupDeps } from "@svc/operator/backups";
import { jobHandlers } from "./job-handlers.ts";

interface JobParts
	extends Omit<ProcessDeps, "processing">,
		Pick<BackupDeps, "snapshots" | "backupFolders" | "version"> {
	readonly database: Database;
	readonly jobs: JobStore;
	readonly recounter: Recounter;
	readonly endOrphans: () => Promise<void>;
	readonly renditions: RenditionStore;
	readonly ticker: Ticker;
	readonly log: Log;
	readonly meters: Meters;
}

/** What works off the jobs of this deployment, together with its other processes. */
export function openJobs({ database, ...parts }: JobParts): JobRunner {
	return jobRunner({
		...parts,
		handlers: jobHandlers({ ...parts, erasure: erasureStore(database), processing: processingStore(database) }),
		breathe: () => Bun.sleep(0),
		chance: Math.random,
	});
}
