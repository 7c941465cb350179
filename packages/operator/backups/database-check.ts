import { stat } from "node:fs/promises";
import { quickCheck, tellDamage } from "@svc/base/database/file/quick-check";
import type { Log } from "@svc/base/ports";
import { programPath } from "@svc/base/processes/programs";
import { runProgram } from "./child-program.ts";

const PROGRAM = programPath("./check-worker.ts", import.meta.url);
/** So much is read faster than a process starts; more is read by one. */
const SMALL_BYTES = 8 * 1_024 ** 2;
/** A check that takes longer is given up: it holds back the log of the database. */
const MAX_MS = 15 * 60_000;
const DAMAGED = "damaged: ";
const UNCHECKED_YET = "the database could not be checked at the start";

/** What a check of the database at the start has found so far. */
export interface DatabaseCheck {
	/** Undefined where nothing was found, or not yet. */
	damage(): string | undefined;
	stop(): void;
}

/** Nothing is found in a database that its server looks after. */
export const UNCHECKED: DatabaseCheck = { damage: () => undefined, stop: () => undefined };

/** Checks a database file that is open: a small one before this resolves, a large one in the background, by another process. */
export async function checkDatabase(path: string, log: Log): Promise<DatabaseCheck> {
	const abort = new AbortController();
	let found: string | undefined;

	function note(damage: string | undefined): void {
		found = damage;
		if (damage !== undefined) log.error(tellDamage(path, damage), { event: "database.damaged", path, found: damage });
	}

	async function inBackground(): Promise<void> {
		const startMs = performance.now();
		const said = await runProgram(PROGRAM, [path], AbortSignal.any([abort.signal, AbortSignal.timeout(MAX_MS)]));
		if (abort.signal.aborted) return;
		if (said?.startsWith(DAMAGED)) note(said.slice(DAMAGED.length));
		else if (said !== undefined) log.error(UNCHECKED_YET, { path, why: said });
		else log.info("the database was checked and is whole", { ms: Math.round(performance.now() - startMs) });
	}

	if (await isSmall(path)) note(quickCheck(path));
	else inBackground().catch((cause: unknown) => log.error(UNCHECKED_YET, { path, cause }));
	return { damage: () => found, stop: () => abort.abort() };
}

async function isSmall(path: string): Promise<boolean> {
	const sizes = [path, `${path}-wal`].map(async (file) => (await stat(file).catch(() => undefined))?.size ?? 0);
	return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) <= SMALL_BYTES;
}
