import { PROBABLY, PROBABLY_NOT, SURELY, SURELY_NOT } from "./grab-cut.ts";
import { boxBlurred, windowMeans } from "./picture.ts";

/** The labels known before the cut, and how far to trust the cut at each pixel (0 to 1). */
interface Seed {
	readonly known: Uint8Array;
	readonly belief: Float32Array;
}

/** A picture that shows less of a person than this is about something else. */
const PERSON_SHARE = 0.02;
/** The model is sure of most of a person; of other things that it half takes for one it only tells where they are. */
const CERTAINTY = 0.75;
const FRAME = 3;

/** `person` says for each pixel how sure it is that it belongs to a person; `pixels` are three numbers each. */
export function seedOf(person: Float32Array, pixels: Float32Array, width: number, height: number): Seed {
	const above = (limit: number) => person.reduce((count, value) => count + (value > limit ? 1 : 0), 0);
	const sure = above(0.9);
	if (sure <= PERSON_SHARE * person.length) return thingSeed(pixels, width, height);
	return sure >= CERTAINTY * above(0.5) ? personSeed(person) : guessSeed(person, width, height);
}

function personSeed(person: Float32Array): Seed {
	const known = Uint8Array.from(person, (value) => {
		if (value > 0.95) return SURELY;
		if (value > 0.5) return PROBABLY;
		return value > 0.08 ? PROBABLY_NOT : SURELY_NOT;
	});
	// Hair is between inside and outside, and the model knows it better than a cut in two.
	return { known, belief: person.map((value) => Math.min(1, 0.25 + 1.15 * value)) };
}

function guessSeed(person: Float32Array, width: number, height: number): Seed {
	const known = Uint8Array.from(person, (value, index) => {
		if (value > 0.5) return value > 0.95 ? SURELY : PROBABLY;
		return inFrame(index, width, height) ? SURELY_NOT : PROBABLY_NOT;
	});
	return { known, belief: new Float32Array(person.length).fill(1) };
}

/** Marks the parts that stand out near the middle; the outermost pixels are taken for background. */
function thingSeed(pixels: Float32Array, width: number, height: number): Seed {
	const standing = saliency(pixels, width, height).map((value, index) => {
		const x = ((index % width) / width - 0.5) / 0.38;
		const y = (Math.floor(index / width) / height - 0.5) / 0.38;
		return value * Math.exp(-(x * x + y * y) / 2);
	});
	const threshold = standing.toSorted()[Math.floor(standing.length * 0.85)] ?? 1;
	const known = Uint8Array.from(standing, (value, index) => {
		if (inFrame(index, width, height)) return SURELY_NOT;
		return value > threshold ? PROBABLY : PROBABLY_NOT;
	});
	return { known, belief: new Float32Array(standing.length).fill(1) };
}

function inFrame(index: number, width: number, height: number): boolean {
	const x = index % width;
	const y = Math.floor(index / width);
	return Math.min(x, width - 1 - x, y, height - 1 - y) < FRAME;
}

/**
 * How much each pixel stands out, from 0 to 1: the distance of its colour to the mean of the largest window that has it in the middle
 * (Achanta and Süsstrunk, "Saliency detection using maximum symmetric surround", 2010). `pixels` are three numbers each.
 */
function saliency(pixels: Float32Array, width: number, height: number): Float32Array {
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
