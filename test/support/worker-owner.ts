import { fileURLToPath } from "node:url";
import { FairLine } from "@svc/imaging/workers/fair-line";
import { openPool, TIME_LIMITS } from "@svc/imaging/workers/pool/pool";
import { WORKER_FIXTURE } from "./worker-program.ts";

/*
 * A service that has workers and nothing else: prints their ids, with one of them busy for ever, and then does nothing until it is killed; with
 * `idle` it has one order done and ends when there is nothing more to do.
 */

export const WORKER_OWNER = fileURLToPath(import.meta.url);

async function main(idle: boolean): Promise<void> {
	const line = new FairLine({
		places: 2,
		bytes: 1e9,
		waiting: 100,
		clock: { now: () => performance.now() },
		after(ms, work) {
			const timer = setTimeout(work, ms);
			return () => clearTimeout(timer);
		},
	});
	const pool = openPool({ workers: 2, line, limits: { ...TIME_LIMITS, memoryBytes: 1e9 }, program: WORKER_FIXTURE });
	const wish = { lane: "cheap", price: { bytes: 1, cpuMs: 1 }, signal: new AbortController().signal } as const;
	const ask = (path: string) => {
		const master = { path, bytes: 0, format: "png", width: 1, height: 1 } as const;
		return pool.do<"strip">({ kind: "strip", master, out: "" }, wish);
	};
	pool.start();
	// Both have started after this.
	await Promise.all([ask("wait 50"), ask("wait 50")]);
	if (!idle) void ask("spin").catch(() => undefined);
	process.stdout.write(`${JSON.stringify(pool.pids)}\n`);
}

if (process.argv[1] === WORKER_OWNER) await main(process.argv[2] === "idle");
