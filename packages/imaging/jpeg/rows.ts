import type { Frame } from "./scans.ts";

/** The blocks of a row of MCUs in the order in which a scan codes them (ITU-T T.81, A.2). */
export interface BlockOrder {
	/** Indexes of the first coefficient of each block among those of the row. */
	readonly places: Int32Array;
	/** Which of the scan's components a block belongs to. */
	readonly owners: Uint8Array;
	readonly blocksInMcu: number;
	/** How many of the blocks are in the row of this number: a component alone has no blocks below its last samples. */
	blocksIn(row: number): number;
}

/** How the coefficients of one row of MCUs lie: component by component, line by line, filled up to whole MCUs. */
export class RowLayout {
	readonly #frame: Frame;
	readonly #starts: readonly number[];
	readonly #orders = new Map<string, BlockOrder>();
	/** How many coefficients a row has. */
	readonly length: number;

	constructor(frame: Frame) {
		this.#frame = frame;
		let length = 0;
		this.#starts = frame.components.map(({ h, v }) => {
			const start = length;
			length += frame.mcusWide * h * v * 64;
			return start;
		});
		this.length = length;
	}

	/** That of a scan of these components. Scans share it: there may be a hundred of them. */
	orderOf(components: readonly number[]): BlockOrder {
		const key = components.join();
		const order = this.#orders.get(key) ?? (components.length === 1 ? this.#lines(components) : this.#mcus(components));
		this.#orders.set(key, order);
		return order;
	}

	#lines(components: readonly number[]): BlockOrder {
		const [index = 0] = components;
		const { wide, high, v } = this.#component(index);
		const places = Int32Array.from({ length: wide * v }, (_, block) => {
			return this.#place(index, block % wide, Math.floor(block / wide));
		});
		const blocksIn = (row: number) => wide * Math.min(v, high - row * v);
		return { places, owners: new Uint8Array(places.length), blocksInMcu: 1, blocksIn };
	}

	#mcus(components: readonly number[]): BlockOrder {
		const { mcusWide } = this.#frame;
		const blocksInMcu = components.reduce((sum, index) => sum + this.#component(index).h * this.#component(index).v, 0);
		const places = new Int32Array(mcusWide * blocksInMcu);
		const owners = new Uint8Array(places.length);
		let at = 0;
		for (let mcu = 0; mcu < mcusWide; mcu++) {
			for (const [owner, index] of components.entries()) {
				const { h, v } = this.#component(index);
				for (let block = 0; block < h * v; block++) {
					owners[at] = owner;
					places[at++] = this.#place(index, mcu * h + (block % h), Math.floor(block / h));
				}
			}
		}
		return { places, owners, blocksInMcu, blocksIn: () => places.length };
	}

	#component(index: number) {
		const component = this.#frame.components[index];
		if (!component) throw new RangeError(`there is no component ${index}`);
		return component;
	}

	#place(index: number, x: number, y: number): number {
		const blocksInLine = this.#frame.mcusWide * this.#component(index).h;
		return (this.#starts[index] ?? 0) + (y * blocksInLine + x) * 64;
	}
}
