import { dirname, join } from "node:path";
import type { Log } from "@svc/base/ports";
import { type Ballast, fileBallast } from "@svc/storage/ballast";
import type { Config } from "../config.ts";
import { FREE_FLOOR_BYTES } from "./blobs.ts";

/** Enough for thousands of deletes: the log of the database is used again and again. */
const BALLAST_BYTES = 16 * 1_024 ** 2;

/** Opens the ballast on the disk of the database file; a database server takes care of its own disk. */
export function openBallast({ database }: Pick<Config, "database">, log: Log): Ballast {
	if (database.kind !== "file") return { release: async () => false, renew: async () => undefined };
	const path = join(dirname(database.path), "ballast");
	const ballast = fileBallast({ path, bytes: BALLAST_BYTES, freeFloorBytes: FREE_FLOOR_BYTES });
	return {
		...ballast,
		async release() {
			const released = await ballast.release();
			if (released) log.error("the disk is full; what was set aside for deletes is used up now", { ballast: path });
			return released;
		},
	};
}
