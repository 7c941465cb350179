import { deleteAccount } from "@svc/erasure/delete-account";
import { deleteApp } from "@svc/erasure/delete-app";
import { type ErasureDeps, emptyStorage } from "@svc/erasure/empty-storage";
import { type ProcessDeps, processImage } from "@svc/images/process-image";
import type { Recounter } from "@svc/images/recount-store";
import type { JobHandlers } from "@svc/jobs/jobs";
import { type BackupDeps, makeBackup } from "@svc/operator/backups";

interface HandlerDeps extends ErasureDeps, ProcessDeps, BackupDeps {
	readonly recounter: Recounter;
	/** Whoever leaves stops paying. What a payment processor does not answer now is tried again by the clock. */
	readonly endOrphans: () => Promise<void>;
}

/** What each kind of job does. A new kind does not compile until it is here. */
export function jobHandlers(deps: HandlerDeps): JobHandlers {
	return {
		"storage.empty": async (run) => {
			await deps.endOrphans();
			await emptyStorage(deps, run);
		},
		"account.delete": async (run) => {
			await deleteAccount(deps, run);
			await deps.endOrphans();
		},
		"app.delete": async (run) => {
			await deps.endOrphans();
			await deleteApp(deps, run);
		},
		"image.process": (run) => processImage(deps, run),
		"backup.make": (run) => makeBackup(deps, run),
		reconcile: async () => ({ drifts: await deps.recounter.recount(deps.clock.now()) }),
	};
}
