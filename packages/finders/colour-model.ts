/*
 * A Gaussian mixture of five colours in the layout of OpenCV's grabCut. Its own start is a k-means from a random generator that cannot
 * be seeded here, and the same picture would get another mask each time.
 */

const COLOURS = 5;
const ROUNDS = 4;
/** Keeps the spread of a colour that hardly varies invertible. */
const LEAST_VARIANCE = 0.5;

/** Weights (5), means (5 × 3) and covariances (5 × 3 × 3) of the pixels that `belongs` names. */
export function colourModel(pixels: Uint8Array, belongs: (index: number) => boolean): Float64Array {
	const members = Uint32Array.from({ length: pixels.length / 3 }, (_, index) => index).filter(belongs);
	let centres = spread(pixels, members);
	for (let round = 1; round < ROUNDS; round++) centres = grouped(pixels, members, centres).map((group) => group.mean());
	const groups = grouped(pixels, members, centres);
	return Float64Array.from([
		...groups.map(({ count }) => count / members.length),
		...groups.flatMap((group) => group.mean()),
		...groups.flatMap((group) => group.covariance()),
	]);
}

type Colour = readonly [number, number, number];

/** Colours that are as many steps apart in lightness as there are pixels between them. */
function spread(pixels: Uint8Array, members: Uint32Array): Colour[] {
	const lightness = (index: number) =>
		(pixels[index * 3] ?? 0) + 2 * (pixels[index * 3 + 1] ?? 0) + (pixels[index * 3 + 2] ?? 0);
	const sorted = members.toSorted((a, b) => lightness(a) - lightness(b) || a - b);
	return Array.from({ length: COLOURS }, (_, step) => {
		const index = sorted[Math.floor(((step + 0.5) * sorted.length) / COLOURS)] ?? 0;
		return [pixels[index * 3] ?? 0, pixels[index * 3 + 1] ?? 0, pixels[index * 3 + 2] ?? 0];
	});
}

function grouped(pixels: Uint8Array, members: Uint32Array, centres: readonly Colour[]): Group[] {
	const groups = centres.map(() => new Group());
	for (const index of members) {
		const a = pixels[index * 3] ?? 0;
		const b = pixels[index * 3 + 1] ?? 0;
		const c = pixels[index * 3 + 2] ?? 0;
		groups[nearest(centres, a, b, c)]?.add(a, b, c);
	}
	return groups;
}

function nearest(centres: readonly Colour[], a: number, b: number, c: number): number {
	let best = 0;
	let least = Number.POSITIVE_INFINITY;
	for (let index = 0; index < centres.length; index++) {
		const [x, y, z] = centres[index] ?? [0, 0, 0];
		const distance = (x - a) ** 2 + (y - b) ** 2 + (z - c) ** 2;
		if (distance < least) {
			best = index;
			least = distance;
		}
	}
	return best;
}

/** Sums from which a mean and a covariance follow. */
class Group {
	count = 0;
	readonly #sums = new Float64Array(3);
	readonly #products = new Float64Array(9);

	add(...colour: Colour): void {
		this.count++;
		for (let row = 0; row < 3; row++) {
			const value = colour[row] ?? 0;
			this.#sums[row] = (this.#sums[row] ?? 0) + value;
			for (let column = 0; column < 3; column++)
				this.#products[row * 3 + column] = (this.#products[row * 3 + column] ?? 0) + value * (colour[column] ?? 0);
		}
	}

	/** A group without pixels has the mean 0 and the weight 0. */
	mean(): Colour {
		const [a = 0, b = 0, c = 0] = this.#sums.map((sum) => sum / Math.max(1, this.count));
		return [a, b, c];
	}

	covariance(): number[] {
		const mean = this.mean();
		return Array.from(this.#products, (product, index) => {
			const row = Math.floor(index / 3);
			const variance = product / Math.max(1, this.count) - (mean[row] ?? 0) * (mean[index % 3] ?? 0);
			return index % 4 === 0 ? variance + LEAST_VARIANCE : variance;
		});
	}
}
