/** Numbers from 0 to 1, one per pixel. */
export interface Coverage {
	readonly values: Float32Array;
	readonly width: number;
	readonly height: number;
}

export interface Position {
	readonly first: number;
	readonly second: number;
	/** Of the second. */
	readonly weight: number;
}

/** Where the pixels of a side lie between those of another. */
export function positions(from: number, to: number): Position[] {
	return Array.from({ length: to }, (_, index) => {
		const at = Math.min(from - 1, Math.max(0, ((index + 0.5) * from) / to - 0.5));
		const first = Math.floor(at);
		return { first, second: Math.min(from - 1, first + 1), weight: at - first };
	});
}

export function between(values: Float32Array, width: number, x: Position, y: Position): number {
	const top = y.first * width;
	const bottom = y.second * width;
	const above = (values[top + x.first] ?? 0) * (1 - x.weight) + (values[top + x.second] ?? 0) * x.weight;
	const below = (values[bottom + x.first] ?? 0) * (1 - x.weight) + (values[bottom + x.second] ?? 0) * x.weight;
	return above * (1 - y.weight) + below * y.weight;
}

/** Sixteen levels of 0 to 255: a soft edge needs no more, and a mask packs into half the bytes. */
export function level(value: number): number {
	return Math.round(Math.min(1, Math.max(0, value)) * 15) * 17;
}
