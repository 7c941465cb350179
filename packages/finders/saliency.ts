import { boxBlurred, windowMeans } from "./sums.ts";

/**
 * How much each pixel stands out, from 0 to 1: the distance of its colour to the mean of the largest window that has it in the middle
 * (Achanta and Süsstrunk, "Saliency detection using maximum symmetric surround", 2010). `pixels` are three numbers each.
 */
export function saliency(pixels: Float32Array, width: number, height: number): Float32Array {
	const distances = new Float32Array(width * height);
	for (const channel of opponents(pixels)) {
		const mean = windowMeans(channel, width, height);
		const smooth = boxBlurred(channel, width, height, 2);
		for (let y = 0; y < height; y++) {
			const down = Math.min(y, height - 1 - y);
			for (let x = 0; x < width; x++) {
				const across = Math.min(x, width - 1 - x);
				const around = mean(x - across, y - down, x + across + 1, y + down + 1);
				const difference = around - (smooth[y * width + x] ?? 0);
				distances[y * width + x] = (distances[y * width + x] ?? 0) + difference * difference;
			}
		}
	}
	const most = Math.sqrt(distances.reduce((max, distance) => Math.max(max, distance), 0)) || 1;
	return distances.map((distance) => Math.sqrt(distance) / most);
}

/** Lightness, red against green and yellow against blue: near to how colours differ to the eye. */
function opponents(pixels: Float32Array): readonly Float32Array[] {
	const count = pixels.length / 3;
	const lightness = new Float32Array(count);
	const redGreen = new Float32Array(count);
	const yellowBlue = new Float32Array(count);
	for (let index = 0; index < count; index++) {
		const red = pixels[index * 3] ?? 0;
		const green = pixels[index * 3 + 1] ?? 0;
		const blue = pixels[index * 3 + 2] ?? 0;
		lightness[index] = 0.299 * red + 0.587 * green + 0.114 * blue;
		redGreen[index] = red - green;
		yellowBlue[index] = (red + green) / 2 - blue;
	}
	return [lightness, redGreen, yellowBlue];
}
