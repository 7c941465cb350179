import type { Master } from "@svc/images/ports";
import type { LookAsker, MasterLooks } from "../kept/analyser.ts";
import { laneOf, renderPrice } from "../render/render-price.ts";
import { onDisk } from "./local-files.ts";
import { type AdapterOptions, copiesOf } from "./renderer.ts";

/** Looks at masters in worker processes: what comes back are facts, and small raw pictures for the models. */
export function workerLooks({ workers, stage }: Omit<AdapterOptions, "scratch">): MasterLooks {
	const lookAt = (master: Master, times: number, { signal, visitor }: LookAsker) => {
		const { bytes, cpuMs } = renderPrice(master, SMALL, {}, []);
		const price = { bytes, cpuMs: cpuMs * times };
		return { lane: laneOf(price), price, signal, visitor };
	};
	return {
		picture: (master, asker) =>
			onDisk(master, stage, (file) =>
				workers.do<"picture">({ kind: "picture", master: file }, lookAt(master, 1, asker)),
			),
		async focus(picture, { signal, visitor }) {
			const price = renderPrice({ ...picture, format: "png" }, SMALL, {}, []);
			const wish = { lane: laneOf(price), price, signal, visitor };
			return (await workers.do<"focus">({ kind: "focus", picture }, wish)).focus;
		},
		content: (master, asker) =>
			onDisk(master, stage, async (file) => {
				const order = { kind: "content", master: file } as const;
				return (await workers.do<"content">(order, lookAt(master, BORDER_LOOKS, asker))).content;
			}),
		header: (master, { signal, visitor }) =>
			onDisk(master, stage, (file) =>
				workers.do<"header">({ kind: "header", master: file }, { lane: "cheap", price: HEADER, signal, visitor }),
			),
		mends: (master, { signal, visitor }) =>
			onDisk(master, stage, (file) => {
				const price = { ...HEADER, bytes: HEADER.bytes + file.bytes };
				return workers.do<"mends">({ kind: "mends", master: file }, { lane: "cheap", price, signal, visitor });
			}),
		pixels: (master, { signal }) =>
			onDisk(master, stage, async (file) => {
				const whole = { w: master.width, h: master.height, format: "png" } as const;
				// No request waits for it.
				const wish = { lane: "background", price: renderPrice(master, whole, {}, []), signal } as const;
				return (await workers.do<"pixels">({ kind: "pixels", master: file }, wish)).pixels;
			}),
		overview: (master, { signal }) =>
			onDisk(master, stage, async (file) => {
				const copies = await copiesOf(master.shrunkMasters);
				const order = { kind: "overview", master: file, copies } as const;
				const price = renderPrice(
					master,
					SMALL,
					{},
					copies.map(({ factor }) => factor),
				);
				// No request waits for it.
				return await workers.do<"overview">(order, { lane: "background", price, signal });
			}),
	};
}

/** About as much as is seen of a picture that is looked at. */
const SMALL = { w: 640, h: 640, format: "png" } as const;
/** No pixel is decoded. */
const HEADER = { bytes: 10 * 1_024 ** 2, cpuMs: 4 } as const;
/** Once from afar, and once at each edge. */
const BORDER_LOOKS = 5;
