import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import { jobStore } from "./jobs-store.ts";

export type Jobs = ReturnType<typeof openJobs>;

/** `wake` tells the workers that a job is due. */
export function openJobs({ process }: Pick<Base, "process">, database: Database, wake: () => void) {
	return { store: jobStore(database, process), wake };
}
