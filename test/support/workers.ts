import { readFileSync } from "node:fs";

/* What the tests of workers ask of processes. */

/** False for one that has ended and that its new parent has not looked at yet. */
export function processAlive(pid: number): boolean {
	try {
		return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
	} catch {
		return false;
	}
}

/** Waits for a condition, for as long as a test may run. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}
