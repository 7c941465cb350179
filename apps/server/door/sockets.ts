import { readFileSync } from "node:fs";
import { kernelSockets } from "../runtime/kernel-sockets.ts";
import { nodeSockets } from "../runtime/node-sockets.ts";
import type { Sockets } from "../runtime/sockets-types.ts";

/** The connections of this process; undefined where neither the runtime nor the system tells of them. */
export function openSockets(): Sockets | undefined {
	return process.versions.bun === undefined ? nodeSockets : kernelSockets();
}

/** How many descriptors this process may have open; undefined where the system does not say. */
export function descriptorLimit(): number | undefined {
	try {
		const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1")) ?? [];
		return soft === undefined ? undefined : Number(soft);
	} catch {
		return undefined;
	}
}
