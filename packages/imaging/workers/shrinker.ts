import type { Made, Shrinker } from "@svc/images/ports";
import { cleaned, onDisk } from "./local-files.ts";
import { shrinkPrice } from "./render-price.ts";
import type { AdapterOptions } from "./renderer.ts";

const { signal: NEVER_ABORTED } = new AbortController();

/** Makes smaller copies in worker processes. */
export function workerShrinker({ workers, stage, scratch }: AdapterOptions): Shrinker {
	return {
		reduce: (master, factors) =>
			onDisk(master, stage, async (file) => {
				const out = scratch();
				const order = { kind: "shrink", master: file, factors, out } as const;
				const wish = { lane: "background", price: shrinkPrice(master), signal: NEVER_ABORTED } as const;
				const paths = factors.map((factor) => `${out}.${factor}`);
				const { copies } = await cleaned(paths, () => workers.do<"shrink">(order, wish));
				return new Map<number, Made>(copies.map(({ factor, made }) => [factor, made]));
			}),
	};
}
