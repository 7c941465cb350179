import type { Apps } from "@svc/apps/room";
import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import type { FileRules } from "@svc/images/ports";
import type { Images } from "@svc/images/room";
import type { Jobs } from "@svc/jobs/room";
import { arrivalStore } from "./arrivals-store.ts";
import { departureStore } from "./departures-store.ts";

export type Moves = ReturnType<typeof openMoves>;

interface LowerRooms {
	readonly jobs: Jobs;
	readonly apps: Apps;
	readonly images: Images;
	/** What an upload may be. */
	readonly rules: FileRules;
}

export function openMoves(base: Base, database: Database, lower: LowerRooms) {
	return { ...base, ...lower, departures: departureStore(database), arrivals: arrivalStore(database) };
}
