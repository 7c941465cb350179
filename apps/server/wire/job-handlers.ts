import { endWithdrawals } from "@svc/billing/catch-up";
import { perform } from "@svc/billing/operators/operator-deeds";
import { endOrphans } from "@svc/billing/orphans";
import type { Billing } from "@svc/billing/room";
import { deleteAccount, deleteApp, emptyStorage } from "@svc/erasure/erase";
import type { Erasure } from "@svc/erasure/room";
import { makeExport } from "@svc/exports/exports";
import type { Exports } from "@svc/exports/room";
import type { ImageJobs } from "@svc/image-jobs/room";
import { runImageJob } from "@svc/image-jobs/run-image-job";
import { processImage } from "@svc/images/create/process-image";
import type { Images } from "@svc/images/room";
import type { Imports } from "@svc/imports/room";
import { runImport } from "@svc/imports/run-import";
import type { JobHandlers } from "@svc/jobs/jobs";
import { countExport } from "@svc/moves/departures";
import type { Moves } from "@svc/moves/room";
import { makeBackup } from "@svc/operator/backups/backups";
import { reconcile } from "@svc/operator/reconcile";
import type { Operator } from "@svc/operator/room";
import { collectTrash } from "@svc/operator/trash";
import { recover } from "@svc/webhooks/recover";
import type { Webhooks } from "@svc/webhooks/room";

interface WorkingRooms {
	readonly images: Images;
	readonly imageJobs: ImageJobs;
	readonly imports: Imports;
	readonly exports: Exports;
	readonly moves: Moves;
	readonly billing: Billing;
	readonly erasure: Erasure;
	readonly operator: Operator;
	readonly webhooks: Webhooks;
}

interface JobAids {
	/** Whether the store of pictures is this database's own, looked up there and then. */
	readonly isCertain: () => Promise<boolean>;
}

/**
 * What each kind of job does. A new kind does not compile until it is here. A person who leaves stops paying; a call that the payment
 * processor does not answer now is tried again by the clock.
 */
export function jobHandlers(
	{ images, imageJobs, imports, exports, moves, billing, erasure, operator, webhooks }: WorkingRooms,
	{ isCertain }: JobAids,
): JobHandlers {
	return {
		"storage.empty": async (run) => {
			await endWithdrawals(billing);
			await endOrphans(billing);
			await emptyStorage(erasure, run);
		},
		"account.delete": async (run) => {
			await deleteAccount(erasure, run);
			await endWithdrawals(billing);
			await endOrphans(billing);
		},
		"account.export": (run) => makeExport(exports, run),
		"app.delete": async (run) => {
			await endOrphans(billing);
			await deleteApp(erasure, run);
		},
		"webhook.recover": (run) => recover(webhooks, run),
		"billing.deed": ({ job }) => perform(billing, job),
		app_export: (run) => countExport(moves, run),
		"image.process": (run) => processImage(images, run),
		import: (run) => runImport(imports, run),
		image_job: (run) => runImageJob(imageJobs, run),
		"backup.make": (run) => makeBackup(operator, run),
		"trash.collect": (run) => collectTrash(operator, run, isCertain),
		reconcile: (run) => reconcile(operator, run),
	};
}
