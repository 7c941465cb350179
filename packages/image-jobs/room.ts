import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { Images } from "@svc/images/room";
import type { Jobs } from "@svc/jobs/room";
import type { Keys } from "@svc/keys/room";
import { imageJobStore } from "./image-jobs-store.ts";

export type ImageJobs = ReturnType<typeof openImageJobs>;

interface ImageJobParts {
	readonly jobs: Jobs;
	readonly keys: Keys;
	readonly images: Images;
}

export function openImageJobs(base: Base, database: Database, parts: ImageJobParts) {
	return { ...base, ...parts, store: imageJobStore(database) };
}
