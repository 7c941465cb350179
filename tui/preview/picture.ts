/** Pixels in rows from the top left, four bytes each: red, green, blue, opacity. */
export interface Picture {
	/** Width and height in pixels. */
	readonly width: number;
	readonly height: number;
	readonly rgba: Uint8Array;
}

interface Area {
	readonly left: number;
	readonly top: number;
	readonly right: number;
	readonly bottom: number;
}

const COVERED_BLOCKS = 6;

/** Fits a picture into a box, keeping its proportions; one that fits already stays as it is. */
export function scaleDown(picture: Picture, maxWidth: number, maxHeight: number): Picture {
	const factor = Math.min(1, maxWidth / picture.width, maxHeight / picture.height);
	if (factor === 1) return picture;
	const side = (length: number) => Math.max(1, Math.round(length * factor));
	return resample(picture, side(picture.width), side(picture.height));
}

/** The same picture on other pixels: a pixel is the mean of what it covers, or the nearest one where it covers less. */
function resample(picture: Picture, width: number, height: number): Picture {
	const rgba = new Uint8Array(width * height * 4);
	const [across, down] = [picture.width / width, picture.height / height];
	for (let y = 0; y < height; y++) {
		const top = Math.floor(y * down);
		const bottom = Math.max(top + 1, Math.floor((y + 1) * down));
		for (let x = 0; x < width; x++) {
			const left = Math.floor(x * across);
			const right = Math.max(left + 1, Math.floor((x + 1) * across));
			rgba.set(meanOf(picture, { left, top, right, bottom }), (y * width + x) * 4);
		}
	}
	return { width, height, rgba };
}

/** The mean colour of an area; what is transparent has no say in it. */
function meanOf({ width, rgba }: Picture, { left, top, right, bottom }: Area): readonly number[] {
	const sum = [0, 0, 0];
	let opacity = 0;
	for (let y = top; y < bottom; y++) {
		for (let x = left; x < right; x++) {
			const at = (y * width + x) * 4;
			const alpha = rgba[at + 3] ?? 0;
			opacity += alpha;
			for (const channel of [0, 1, 2]) sum[channel] = (sum[channel] ?? 0) + (rgba[at + channel] ?? 0) * alpha;
		}
	}
	const colour = sum.map((channel) => (opacity === 0 ? 0 : Math.round(channel / opacity)));
	return [...colour, Math.round(opacity / ((bottom - top) * (right - left)))];
}

/** As large as before, but so coarse that nothing can be recognised: pictures that must not be seen unasked look like that. */
export function cover(picture: Picture): Picture {
	return resample(scaleDown(picture, COVERED_BLOCKS, COVERED_BLOCKS), picture.width, picture.height);
}
