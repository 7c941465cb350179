import type { Made, Shrinker } from "@svc/images/ports";
import { shrinkPrice } from "../render/render-price.ts";
import { FreshCopies } from "./fresh-copies.ts";
import { cleaned, onDisk } from "./local-files.ts";
import type { AdapterOptions } from "./renderer.ts";

const { signal: NEVER_ABORTED } = new AbortController();

/** Makes smaller copies in worker processes, unless an inspection has just made them. */
export function workerShrinker({ workers, stage, scratch }: AdapterOptions, fresh = new FreshCopies()): Shrinker {
	return {
		reduce: async (master, factors) =>
			fresh.take(master.blob.sha256, factors) ??
			(await onDisk(master, stage, async (file) => {
				const out = scratch();
				const order = { kind: "shrink", master: file, factors, out } as const;
				const wish = { lane: "background", price: shrinkPrice(master), signal: NEVER_ABORTED } as const;
				const paths = factors.map((factor) => `${out}.${factor}`);
				const { copies } = await cleaned(paths, () => workers.do<"shrink">(order, wish));
				return new Map<number, Made>(copies.map(({ factor, made }) => [factor, made]));
			})),
		takeStripped: (sha256) => fresh.takeStripped(sha256),
	};
}
