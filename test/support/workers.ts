import { readdirSync, readFileSync } from "node:fs";

/* What the tests of workers ask of processes. */

/** False for one that has ended and that its new parent has not looked at yet. */
export function processAlive(pid: number): boolean {
	try {
		return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
	} catch {
		return false;
	}
}

/** The processes that open pictures for the service with this id, which are its children. Linux only. */
export function workersOf(service: number): number[] {
	const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
	return all.map(Number).filter((pid) => isWorkerOf(pid, service));
}

function isWorkerOf(pid: number, parent: number): boolean {
	try {
		const isChild = readFileSync(`/proc/${pid}/status`, "latin1").includes(`PPid:\t${parent}\n`);
		// A built one lies beside the service.
		return isChild && /\/program\.[jt]s\0/.test(readFileSync(`/proc/${pid}/cmdline`, "latin1")) && processAlive(pid);
	} catch {
		return false;
	}
}

/** Waits for a condition, for as long as a test may run. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
