import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/*
 * Where the files of tests lie. A test opens a database of its own, which makes sure of its files some ten times for each start: in memory that
 * costs nothing, and no lane waits for the disk of the others.
 */

const GIB = 1024 ** 3;
/** What has to be free when a process of tests begins; the largest of them holds half of one. */
const FREE_MIN_BYTES = { folder: 3 * GIB, machine: 6 * GIB };

const open = new Set<string>();
process.once("exit", () => {
	for (const folder of open) remove(folder);
});

interface Memory extends Disposable {
	readonly folder: string;
}

/** An empty folder in memory, which goes with all that was left in it. Undefined where there is little memory, or none that holds files. */
export function findMemory(place = "/dev/shm", freeMin = FREE_MIN_BYTES): Memory | undefined {
	try {
		const { bavail, bsize } = statfsSync(place);
		if (bavail * bsize < freeMin.folder || freeBytes() < freeMin.machine) return undefined;
		const folder = mkdtempSync(join(place, "svc-"));
		open.add(folder);
		const memory = { folder, [Symbol.dispose]: () => remove(folder) };
		if (runsPrograms(folder)) return memory;
		remove(folder);
	} catch {
		// Another system than Linux, or somebody else's folder.
	}
	return undefined;
}

function freeBytes(): number {
	const [, kib] = /^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
	return Number(kib ?? 0) * 1024;
}

/** Containers may have it without: tests put programs beside their files. */
function runsPrograms(folder: string): boolean {
	const program = join(folder, "program");
	writeFileSync(program, "#!/bin/sh\n");
	chmodSync(program, 0o700);
	const { success } = Bun.spawnSync([program]);
	rmSync(program);
	return success;
}

function remove(folder: string): void {
	open.delete(folder);
	rmSync(folder, { recursive: true, force: true });
}
