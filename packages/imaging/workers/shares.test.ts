import { expect, test } from "bun:test";
import type { FileRules, Master, Visitor } from "@svc/images/ports";
import { masterOf, painted } from "@svc/test/support/rendering";
import { FairLine } from "./fair-line.ts";
import { workerInspector } from "./inspector.ts";
import type { Wish } from "./line.ts";
import { workerLooks } from "./looks.ts";
import type { Workers } from "./pool/pool.ts";

/* What is decoded for an upload, or looked at for a rendition, stands in the turn of whoever it is for. */

const MEMORY = 640 * 1_024 ** 2;
const CALLERS = 20;
const { signal } = new AbortController();
const RULES: FileRules = { maxBytes: 1_000, formats: new Set() };
const HINTS = { filename: undefined, contentType: undefined };
const STAGED = { path: "/nowhere", bytes: 1, sha256: new Uint8Array(32), discard: async () => undefined };
const master = masterOf(await painted(40, 40, () => [1, 2, 3]), "png");

const shareOf = (name: string): Visitor => ({ network: name, app: name });

/** A line with one place, and workers that do nothing and note whose turn it was. */
function open() {
	const turns: string[] = [];
	let nowMs = 0;
	const line = new FairLine({
		places: 1,
		bytes: MEMORY,
		waiting: 256,
		clock: { now: () => nowMs++ },
		after: () => () => undefined,
	});
	const workers = {
		do: (_order: unknown, wish: Wish) =>
			line.run(wish, async () => {
				turns.push(wish.visitor?.network ?? "the service");
				return { format: "png", content: null };
			}),
	} as unknown as Workers;
	return { turns, workers };
}

/** Whose turn it was when many that belong to one caller came first, and then one of another. */
async function turnsOf(ask: (workers: Workers, share: Visitor) => Promise<unknown>): Promise<string[]> {
	const { turns, workers } = open();
	const flood = Array.from({ length: CALLERS }, () => ask(workers, shareOf("flood")));
	await Promise.all([...flood, ask(workers, shareOf("other"))]);
	return turns;
}

const inspect = (workers: Workers, share: Visitor) =>
	workerInspector(workers, MEMORY).inspect(STAGED, HINTS, RULES, share);
const look = (workers: Workers, visitor: Visitor, of: Master = master) =>
	workerLooks({ workers, stage: async () => STAGED }).content({ ...of }, { signal, visitor });

test.each([
	["an upload", inspect],
	["a look at a picture", look],
])("%s is not behind the many of another caller that came before", async (_, ask) => {
	const turns = await turnsOf(ask);
	expect(turns.length).toBe(CALLERS + 1);
	expect(turns.indexOf("other")).toBeLessThanOrEqual(2);
});
