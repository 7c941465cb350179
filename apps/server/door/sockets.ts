import { readFileSync } from "node:fs";
import { kernelSockets } from "../runtime/kernel-sockets.ts";
import { nodeSockets } from "../runtime/node-sockets.ts";

/** One end of an accepted connection: the other side's address and port. */
export interface OpenSocket {
	/** The number of its descriptor, or of ours where the runtime hides that. */
	readonly id: number;
	readonly address: string;
	readonly port: number;
}

export interface Sockets {
	/** Every open connection that came in at one of these ports. */
	accepted(ports: readonly number[]): OpenSocket[];
	/** Whether bytes of an answer wait to be sent on it. */
	isSending(id: number): boolean;
	/** Ends a connection; the server then notices that it has ended. */
	cut(id: number): void;
}

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
