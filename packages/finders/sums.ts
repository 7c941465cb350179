/** Whole pixels; right and bottom are outside. Numbers and not an object, as one is asked for at every pixel. */
type WindowMean = (left: number, top: number, right: number, bottom: number) => number;

/** The mean of any window of a picture in four reads (an integral image). */
export function windowMeans(values: Float32Array, width: number, height: number): WindowMean {
	const row = width + 1;
	const sums = new Float64Array(row * (height + 1));
	for (let y = 0; y < height; y++) {
		let sum = 0;
		for (let x = 0; x < width; x++) {
			sum += values[y * width + x] ?? 0;
			sums[(y + 1) * row + x + 1] = (sums[y * row + x + 1] ?? 0) + sum;
		}
	}
	const at = (x: number, y: number) => sums[y * row + x] ?? 0;
	return (left, top, right, bottom) =>
		(at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top)) / ((right - left) * (bottom - top));
}

/** The mean of the square of `2 · radius + 1` pixels around every pixel; at the edges of what lies inside. */
export function boxBlurred(values: Float32Array, width: number, height: number, radius: number): Float32Array {
	const mean = windowMeans(values, width, height);
	const result = new Float32Array(values.length);
	for (let y = 0; y < height; y++) {
		const top = Math.max(0, y - radius);
		const bottom = Math.min(height, y + radius + 1);
		for (let x = 0; x < width; x++) {
			const left = Math.max(0, x - radius);
			const right = Math.min(width, x + radius + 1);
			result[y * width + x] = mean(left, top, right, bottom);
		}
	}
	return result;
}
