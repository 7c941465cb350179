import { WATCHED_PARTS, type WatchedPart } from "@svc/base/enumerations";
import type { Meters } from "@svc/base/ports";
import { notePart } from "@svc/operator/part-health";
import { freeBytes } from "@svc/storage/folders";
import type { Config } from "../config/config.ts";
import type { Rooms } from "./rooms.ts";

export interface ServiceWatch {
	/** Looks at what costs a query or a call of the system: to be awaited before the meters are shown. Never rejects. */
	read(): Promise<void>;
	/** Notes how a part is, for operators and for the meters. */
	note(part: WatchedPart, isFailing: boolean): Promise<void>;
}

/** What is read only when somebody wants to know it. The meters show what was read last. */
export function openWatch(
	{ dataDir, database }: Pick<Config, "dataDir" | "database">,
	meters: Meters,
	rooms: Rooms,
): ServiceWatch {
	const { jobs, operator, mail, billing, purging } = rooms;
	const failing = new Set<WatchedPart>();
	let due = { count: 0, oldestMs: null as number | null };
	let backupMs: number | null = null;
	let free = 0;
	let purges = 0;
	let purgeAgeMs = 0;
	meters.gauge("svc_jobs_waiting", () => due.count);
	meters.gauge("svc_jobs_oldest_seconds", () => {
		return due.oldestMs === null ? 0 : Math.max(0, operator.clock.now() - due.oldestMs) / 1_000;
	});
	// A database server has backups of its own, which we do not see.
	if (database.kind === "file") meters.gauge("svc_backup_last_seconds", () => (backupMs ?? 0) / 1_000);
	meters.gauge("svc_disk_free_bytes", () => free);
	meters.gauge("svc_purge_waiting", () => purges);
	meters.gauge("svc_purge_oldest_seconds", () => purgeAgeMs / 1_000);
	for (const part of WATCHED_PARTS) meters.gauge("svc_parts_failing", () => Number(failing.has(part)), { part });

	return {
		async read() {
			// A database that cannot be read is no reason to show nothing.
			await Promise.allSettled([
				mail.health.read(),
				billing.health.read(),
				jobs.store.countDue(operator.clock.now()).then((count) => (due = count)),
				operator.partHealth.findLastBackup().then((ms) => (backupMs = ms)),
				purging.purges.count().then((count) => (purges = count)),
				purging.purges.state().then((state) => (purgeAgeMs = Math.max(0, state?.ageMs ?? 0))),
				freeBytes(dataDir).then((bytes) => (free = bytes)),
			]);
		},
		async note(part, isFailing) {
			if (isFailing) failing.add(part);
			else failing.delete(part);
			await notePart(operator, part, isFailing);
		},
	};
}
