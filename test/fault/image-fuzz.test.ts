import { expect, test } from "bun:test";
import { corpusDir } from "../support/corpus.ts";
import { limitMs } from "../support/limits.ts";
import type { Tally } from "./image-fuzz-child.ts";
import { seed } from "./seed.ts";

/* Damaged pictures of every format, through the whole service in a process of its own. */

const MUTATIONS = Number(process.env.SVC_TEST_MUTATIONS ?? 250);
const MEMORY_MAX_BYTES = 1e9;

/** Undefined where the process came to no end, with how far it was. */
async function fuzz(): Promise<Tally | string> {
	const child = Bun.spawn(
		[
			process.execPath,
			new URL("./image-fuzz-child.ts", import.meta.url).pathname,
			String(seed),
			"0",
			String(MUTATIONS),
		],
		{
			env: { PATH: process.env.PATH, ...(corpusDir && { SVC_TEST_CORPUS: corpusDir }) },
			stdin: "ignore",
			stdout: "pipe",
			stderr: "inherit",
		},
	);
	const said = (await new Response(child.stdout).text()).trimEnd().split("\n");
	await child.exited;
	const last = said.at(-1) ?? "";
	if (last.startsWith("{")) return JSON.parse(last) as Tally;
	return `the process ended with ${child.exitCode ?? child.signalCode} ${last}`;
}

test(
	`${MUTATIONS} damaged pictures: each is refused, or stored and drawn; no decoder brings the process down (SVC_TEST_SEED=${seed})`,
	async () => {
		const tally = await fuzz();
		expect(tally).toMatchObject({ faults: [], left: [] });
		if (typeof tally === "string") return;
		// It is not all refused for one and the same reason.
		expect(tally.accepted).toBeGreaterThan(MUTATIONS / 20);
		expect(tally.refused).toBeGreaterThan(MUTATIONS / 20);
		expect(tally.peakBytes).toBeLessThan(MEMORY_MAX_BYTES);
	},
	limitMs(MUTATIONS, 1_000),
);
