import type { Master } from "@svc/images/ports";
import type { Looks } from "../kept/analyser.ts";
import { onDisk } from "./local-files.ts";
import { decodingPrice } from "./price.ts";
import { type AdapterOptions, copiesOf } from "./renderer.ts";

/** Looks at masters in worker processes: what comes back are facts, and small raw pictures for the models. */
export function workerLooks({ workers, stage }: Omit<AdapterOptions, "scratch">): Looks {
	const wishFor = (master: Master, signal: AbortSignal) => {
		return { lane: "ingest", price: decodingPrice(master), signal } as const;
	};
	return {
		picture: (master, signal) =>
			onDisk(master, stage, (file) =>
				workers.do<"picture">({ kind: "picture", master: file }, wishFor(master, signal)),
			),
		async focus(picture, signal) {
			const wish = { lane: "cheap", price: SMALL, signal } as const;
			return (await workers.do<"focus">({ kind: "focus", picture }, wish)).focus;
		},
		content: (master, signal) =>
			onDisk(master, stage, async (file) => {
				const wish = wishFor(master, signal);
				return (await workers.do<"content">({ kind: "content", master: file }, wish)).content;
			}),
		placeholder: (master, signal) =>
			onDisk(master, stage, async (file) => {
				const copies = await copiesOf(master.shrunkMasters);
				return await workers.do<"placeholder">({ kind: "placeholder", master: file, copies }, wishFor(master, signal));
			}),
	};
}

/** A picture of 640 pixels to a side at most. */
const SMALL = decodingPrice({ format: "png", width: 640, height: 640 });
