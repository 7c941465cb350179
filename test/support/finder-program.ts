import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openChild } from "@svc/finders/child";
import { serve } from "@svc/finders/child-program";

/* A program for the tests of child.ts: it does what a finder's program never should. */

export interface Misdeed {
	readonly deed: "echo" | "hang" | "die" | "throw" | "environment" | "nest";
	readonly bytes?: Uint8Array;
}

export const FIXTURE = fileURLToPath(new URL("./finder-program.ts", import.meta.url));

if (process.argv[1] === FIXTURE)
	await serve<Misdeed, unknown>(async ({ deed, bytes }) => {
		if (deed === "hang") for (;;);
		if (deed === "die") process.kill(process.pid, "SIGKILL");
		if (deed === "throw") throw new Error("no good");
		if (deed === "environment") return readFileSync("/proc/self/environ", "utf8");
		if (deed === "nest") return nested();
		return bytes;
	});

async function nested(): Promise<number | undefined> {
	const child = openChild<Misdeed, unknown>(FIXTURE, [], { timeoutMs: 10_000, keptBytes: 1 << 30 });
	await child.ask({ deed: "echo" });
	return child.pid;
}
