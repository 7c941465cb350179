import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { getPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { Dearer } from "@svc/imaging/workers/failures";
import { serve } from "@svc/imaging/workers/inside/serve";
import type { Price } from "@svc/imaging/workers/price";

/* A worker for the tests of the pool, which does what the real one never should. What it is to do stands where the path of a master would. */

export type Misdeed =
	| "echo"
	| "die"
	| "die-once"
	| "spin"
	| "stop"
	| "wait"
	| "eat"
	| "keep"
	| "throw"
	| "environment"
	| "pid"
	| "oom"
	| "grow"
	| "nice"
	| "babble";

export const WORKER_FIXTURE = fileURLToPath(import.meta.url);
/** Ends as soon as it has started. */
export const DEAD_FIXTURE = fileURLToPath(new URL("./dead-program.ts", import.meta.url));

const eaten: Uint8Array[] = [];

const DEEDS: Readonly<Record<Misdeed, (id: string, admitted: Price) => unknown>> = {
	// Asks for the first of the numbers of bytes that is more than was admitted.
	grow: (id, { bytes: admitted }) => {
		const bytes = id
			.split(",")
			.map(Number)
			.find((one) => one > admitted);
		if (bytes === undefined) return admitted;
		throw new Dearer({ bytes, cpuMs: 1 });
	},
	echo: (id) => id,
	die: () => process.kill(process.pid, "SIGKILL"),
	// The name is that of a file that tells whether it has happened.
	"die-once": (id) => {
		if (existsSync(id)) return "lived";
		writeFileSync(id, "");
		return process.kill(process.pid, "SIGKILL");
	},
	spin: () => {
		for (;;);
	},
	stop: () => process.kill(process.pid, "SIGSTOP"),
	wait: (id) => new Promise((resolve) => setTimeout(resolve, Number(id))),
	eat: async () => {
		for (;;) {
			eaten.push(new Uint8Array(8 * 1_024 ** 2).fill(1));
			await new Promise((resolve) => setTimeout(resolve, 10));
		}
	},
	throw: () => {
		throw new TypeError("no good", { cause: new Error("really") });
	},
	keep: (id) => {
		eaten.push(new Uint8Array(Number(id)).fill(1));
		return process.pid;
	},
	environment: () => readFileSync("/proc/self/environ", "latin1"),
	pid: () => process.pid,
	oom: () => Number(readFileSync("/proc/self/oom_score_adj", "latin1")),
	nice: () => getPriority(),
	babble: () => process.stdout.write("certainly"),
};

if (process.argv[1] === WORKER_FIXTURE) {
	await serve(async (order, admitted) => {
		if (order.kind !== "strip") throw new Error(order.kind);
		const [deed = "echo", id = ""] = order.master.path.split(" ");
		return await DEEDS[deed as Misdeed](id, admitted);
	});
}
