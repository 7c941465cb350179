import type { Primaries } from "./numbers.ts";

export type Triple = readonly [number, number, number];
/** Three rows. */
export type Matrix = readonly [Triple, Triple, Triple];

/** The white of all profiles (ICC.1, section 7.2.16). */
export const D50: Triple = [0.9642, 1, 0.8249];

/** From light to what the three kinds of cones see (Bradford). */
const CONES: Matrix = [
	[0.8951, 0.2664, -0.1614],
	[-0.7502, 1.7135, 0.0367],
	[0.0389, -0.0685, 1.0296],
];

export function times(matrix: Matrix, [x, y, z]: Triple): Triple {
	const row = ([a, b, c]: Triple) => a * x + b * y + c * z;
	return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
}

export function product(one: Matrix, other: Matrix): Matrix {
	const columns = transposed(other);
	return transposed([times(one, columns[0]), times(one, columns[1]), times(one, columns[2])]);
}

function transposed([a, b, c]: Matrix): Matrix {
	return [
		[a[0], b[0], c[0]],
		[a[1], b[1], c[1]],
		[a[2], b[2], c[2]],
	];
}

/** Of numbers that are no more finite where there is none. */
export function inverse([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
	const [A, B, C] = [e * i - f * h, f * g - d * i, d * h - e * g];
	const by = 1 / (a * A + b * B + c * C);
	return [
		[A * by, (c * h - b * i) * by, (b * f - c * e) * by],
		[B * by, (a * i - c * g) * by, (c * d - a * f) * by],
		[C * by, (b * g - a * h) * by, (a * e - b * d) * by],
	];
}

/** From linear red, green and blue to CIE XYZ as a profile has it. Undefined for primaries that span nothing. */
export function toXyz([wx, wy, rx, ry, gx, gy, bx, by]: Primaries): Matrix | undefined {
	const white: Triple = [wx / wy, 1, (1 - wx - wy) / wy];
	const span = transposed([of(rx, ry), of(gx, gy), of(bx, by)]);
	const matrix = product(adaptation(white), product(span, diagonal(times(inverse(span), white))));
	return matrix.flat().every((value) => Number.isFinite(value) && Math.abs(value) < 100) ? matrix : undefined;
}

function of(x: number, y: number): Triple {
	return [x, y, 1 - x - y];
}

/** How colours are seen in the light of D50 that were made for another one. */
function adaptation(white: Triple): Matrix {
	const [from, to] = [times(CONES, white), times(CONES, D50)];
	const scaled = diagonal([to[0] / from[0], to[1] / from[1], to[2] / from[2]]);
	return product(inverse(CONES), product(scaled, CONES));
}

function diagonal([a, b, c]: Triple): Matrix {
	return [
		[a, 0, 0],
		[0, b, 0],
		[0, 0, c],
	];
}
