import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { FileRules } from "@svc/images/ports";
import type { Images } from "@svc/images/room";
import type { Jobs } from "@svc/jobs/room";
import type { Keys } from "@svc/keys/room";
import { importStore } from "./imports-store.ts";

export type Imports = ReturnType<typeof openImports>;

interface ImportParts {
	readonly jobs: Jobs;
	readonly keys: Keys;
	readonly images: Images;
	/** What a fetched file may be. */
	readonly rules: FileRules;
}

export function openImports(base: Base, database: Database, parts: ImportParts) {
	return { ...base, ...parts, store: importStore(database) };
}
