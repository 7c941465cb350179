import { deleteAccount } from "./delete-account.ts";
import { deleteApp } from "./delete-app.ts";
import { type ErasureDeps, emptyStorage } from "./empty-storage.ts";
import type { JobHandlers } from "./jobs.ts";
import type { Recounter } from "./ports.ts";
import { type ProcessDeps, processImage } from "./process-image.ts";

interface HandlerDeps extends ErasureDeps, ProcessDeps {
	readonly recounter: Recounter;
}

/** What each kind of job does. A new kind does not compile until it is here. */
export function jobHandlers(deps: HandlerDeps): JobHandlers {
	return {
		"storage.empty": (run) => emptyStorage(deps, run),
		"account.delete": (run) => deleteAccount(deps, run),
		"app.delete": (run) => deleteApp(deps, run),
		"image.process": (run) => processImage(deps, run),
		reconcile: async () => ({ drifts: await deps.recounter.recount(deps.clock.now()) }),
	};
}
