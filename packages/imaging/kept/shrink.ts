import type { Master } from "@svc/images/ports";
import { inSaidColours } from "../colours/said-colours.ts";
import { decodable } from "../decodable.ts";
import { type DecodingOptions, decodeInTurn } from "../inspect/gate.ts";
import { sharp } from "../sharp-settings.ts";
import { type Bytes, COPIED_OPTIONS, copiesOf, copyingBytes } from "./copies.ts";

/**
 * Smaller copies of masters, upright, in the master's own colours and without its descriptions: those are read from the master itself.
 * Undefined where no copy stands in for it: transparency and animations stay as they are.
 */
export function sharpShrinker(decoding: DecodingOptions) {
	return {
		/** By factor, and in memory. The master is decoded once: each copy is made of the pixels of the one before, whichever are wanted. */
		async reduce(master: Master, factors: readonly number[]): Promise<ReadonlyMap<number, Bytes>> {
			const file = await decodable(master.blob.path ?? (await master.blob.read()), master.format);
			const { input, header } = await inSaidColours(file, await sharp(file, COPIED_OPTIONS).metadata());
			if (header.hasAlpha || (header.pages ?? 1) > 1 || factors.length === 0) return new Map();
			const moreBytes = copyingBytes(master);
			return await decodeInTurn(decoding, { input, header, moreBytes }, (decoded) =>
				copiesOf(decoded, master, factors, header),
			);
		},
	};
}
