import { newJob } from "@svc/jobs/jobs";
import type { Operator } from "../room.ts";

/*
 * Backups that nobody has to ask for. What was made and when is read from the folders themselves, so that neither a restart nor a
 * restored database loses count. A backup that somebody asked for is never removed.
 */

/** The end of the name of a backup that was made by the schedule. */
const SCHEDULED = "-scheduled";
const NAME = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})-.*-scheduled$/;
/** One that failed, on a full disk above all, is not tried again at once. */
const RETRY_MS = 900_000;

/** The name of a folder that the schedule has made. */
export function scheduledName(name: string): string {
	return `${name}${SCHEDULED}`;
}

/** When the backup of this name was made by the schedule, in milliseconds since 1970; undefined for any other. */
function scheduledMs(name: string): number | undefined {
	const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? [];
	return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** Returns what starts a backup when one is due; to be called every minute or so. */
export function backupScheduler(room: Operator): () => Promise<void> {
	let triedMs = Number.NEGATIVE_INFINITY;
	return async () => {
		const { backupSchedule, snapshots, clock } = room;
		if (!backupSchedule || !snapshots) return;
		const { everyMs } = backupSchedule;
		const nowMs = clock.now();
		if (nowMs < triedMs + Math.min(everyMs, RETRY_MS)) return;
		const made = (await room.backupFolders.list()).map((name) => scheduledMs(name) ?? Number.NEGATIVE_INFINITY);
		if (nowMs < Math.max(Number.NEGATIVE_INFINITY, ...made) + everyMs) return;
		triedMs = nowMs;
		const by = { actor: "service", requestId: null, nowMs };
		await room.jobs.store.enqueue(newJob("backup.make", { scheduled: true }, { dedupe: "backup" }), by);
		room.jobs.wake();
	};
}

/** Removes the oldest backups of the schedule until as many are left as it keeps. What cannot be removed is left to the next time. */
export async function removeOlderBackups({ backupFolders, backupSchedule, log }: Operator): Promise<void> {
	if (!backupSchedule) return;
	try {
		const made = (await backupFolders.list()).filter((name) => scheduledMs(name) !== undefined);
		for (const name of made.slice(0, Math.max(0, made.length - backupSchedule.keep))) {
			await backupFolders.remove(name);
			log.info("an older backup was removed", { backup: name });
		}
	} catch (cause) {
		// The backup that was just made is whole, and is not made again for this.
		log.error("older backups could not be removed", { cause });
	}
}
