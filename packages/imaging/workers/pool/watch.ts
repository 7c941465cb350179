import { readFileSync } from "node:fs";
import type { Loss } from "../failures.ts";
import type { Price } from "../price.ts";

/** What a process uses: processor time since its start, and memory now. */
export interface ProcessUsage {
	readonly cpuMs: number;
	readonly rssBytes: number;
}

export interface Limits {
	/** Memory that all jobs together may take. */
	readonly memoryBytes: number;
	/** Processor time of one job, user and system. */
	readonly cpuMs: number;
	/** Time by the clock on the wall for one job. */
	readonly wallMs: number;
	/** How long a busy worker may use no processor time at all. */
	readonly stuckMs: number;
}

type Overrun = Exclude<Loss, "start" | "crash">;

/** A worker that works, as the watch sees it. */
export interface Watched {
	readonly usage: () => ProcessUsage | undefined;
	readonly admitted: Price;
	/** Called once, with the first limit that it passes. */
	readonly overrun: (reason: Overrun) => void;
}

const EVERY_MS = 50;
/** More than was admitted by this much, because a price is an estimate. */
const GRACE = 1.5;
/** What the runtime itself may grow by in any job: its heap, and code that was not needed before. */
const LEAST_BYTES = 48 * 1_024 ** 2;

interface Entry extends Watched {
	readonly startedMs: number;
	readonly rest: ProcessUsage;
	cpuMs: number;
	/** When it last used the processor. */
	movedMs: number;
}

/** Looks after the workers that are busy. Only a process can be stopped in the middle of decoding, so that what overruns its limits has to be one. */
export class Watch {
	readonly #limits: Limits;
	readonly #busy = new Set<Entry>();
	#timer: ReturnType<typeof setInterval> | undefined;

	constructor(limits: Limits) {
		this.#limits = limits;
	}

	/** Watches a worker until the function that is returned is called, which gives the processor time that was seen, in milliseconds. */
	over(watched: Watched): () => number {
		const nowMs = performance.now();
		const rest = watched.usage() ?? { cpuMs: 0, rssBytes: 0 };
		const entry: Entry = { ...watched, startedMs: nowMs, rest, cpuMs: rest.cpuMs, movedMs: nowMs };
		this.#busy.add(entry);
		this.#timer ??= setInterval(() => this.#look(), EVERY_MS);
		return () => {
			this.#leave(entry);
			return entry.cpuMs - rest.cpuMs;
		};
	}

	#leave(entry: Entry): void {
		this.#busy.delete(entry);
		if (this.#busy.size > 0) return;
		clearInterval(this.#timer);
		this.#timer = undefined;
	}

	#look(): void {
		let [sum, admitted] = [0, 0];
		let dearest: { readonly entry: Entry; readonly grown: number } | undefined;
		for (const entry of [...this.#busy]) {
			const usage = entry.usage();
			const reason = usage && this.#overrunOf(entry, usage);
			if (reason) this.#end(entry, reason);
			if (!usage || reason) continue;
			const grown = usage.rssBytes - entry.rest.rssBytes;
			sum += Math.max(0, grown);
			admitted += entry.admitted.bytes;
			if (!dearest || grown > dearest.grown) dearest = { entry, grown };
		}
		// What alone takes more than there is for all was admitted alone.
		const most = Math.max(this.#limits.memoryBytes, admitted);
		if (dearest && sum > most + LEAST_BYTES) this.#end(dearest.entry, "memory");
	}

	#overrunOf(entry: Entry, { cpuMs, rssBytes }: ProcessUsage): Overrun | undefined {
		const nowMs = performance.now();
		if (cpuMs > entry.cpuMs) {
			entry.cpuMs = cpuMs;
			entry.movedMs = nowMs;
		}
		if (rssBytes > entry.rest.rssBytes + Math.max(LEAST_BYTES, GRACE * entry.admitted.bytes)) return "memory";
		if (cpuMs - entry.rest.cpuMs > this.#limits.cpuMs) return "cpu";
		if (nowMs - entry.startedMs > this.#limits.wallMs) return "wall";
		return nowMs - entry.movedMs > this.#limits.stuckMs ? "stuck" : undefined;
	}

	#end(entry: Entry, reason: Overrun): void {
		this.#leave(entry);
		entry.overrun(reason);
	}
}

/** Where the system tells of its processes in files. */
export const HAS_PROC = process.platform === "linux";
/** The unit of times in /proc, the same on all systems in use. */
const TICK_MS = 10;

/** Undefined for a process that has ended. */
export function usageOf(pid: number): ProcessUsage | undefined {
	try {
		// The second field is a name in brackets that may hold anything; user and system time are the 14th and the 15th.
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		const [user, system] = stat
			.slice(stat.lastIndexOf(")") + 2)
			.split(" ", 13)
			.slice(11);
		const [, kib] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
		return { cpuMs: (Number(user) + Number(system)) * TICK_MS, rssBytes: Number(kib ?? 0) * 1_024 };
	} catch {
		return undefined;
	}
}
