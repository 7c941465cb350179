import sharp from "sharp";
import { twelveMegapixels } from "./pictures.ts";

/* What transform.ts measures. */

export const OUTPUTS = ["jpg", "webp", "avif"] as const;
export type Output = (typeof OUTPUTS)[number];

export const CONTENT_TYPES = { jpg: "image/jpeg", webp: "image/webp", avif: "image/avif" } as const;

export interface Source {
	readonly name: string;
	readonly extension: string;
	readonly animated: boolean;
	make(): Promise<Buffer<ArrayBuffer>>;
	/** Of the processor time of the bare call, at most. */
	readonly targets: Readonly<Partial<Record<Output, number>>>;
	readonly outputs: readonly Output[];
}

/** The bare call itself, and what a service does around it. */
const DIRECT = 1.15;
const SMALL = { jpg: DIRECT, webp: DIRECT, avif: DIRECT };

type Still = "jpeg" | "png" | "webp" | "avif";
const STILLS: readonly Still[] = ["jpeg", "png", "webp", "avif"];

export const SOURCES: readonly Source[] = [
	...STILLS.map((format) => still("2 MP", 1_632, format, SMALL)),
	...STILLS.map((format) => still("12 MP", 4_032, format, format === "jpeg" ? { jpg: 0.5, webp: 0.67 } : {})),
	{ ...still("48 MP", 8_064, "jpeg", { jpg: 0.2 }), outputs: ["jpg"], make: fourTimes },
	{ name: "12 frames GIF", extension: "gif", animated: true, make: animation, targets: SMALL, outputs: OUTPUTS },
];

function still(size: string, width: number, format: Still, targets: Source["targets"]): Source {
	return {
		name: `${size} ${format.toUpperCase()}`,
		extension: format === "jpeg" ? "jpg" : format,
		animated: false,
		make: () => resized(width, format),
		targets,
		outputs: OUTPUTS,
	};
}

/** As its camera wrote it where it has the size already. */
async function resized(width: number, format: Still): Promise<Buffer<ArrayBuffer>> {
	const picture = await twelveMegapixels();
	const { width: own, format: known } = await sharp(picture).metadata();
	if (own === width && known === format) return picture;
	const image = sharp(picture).autoOrient().resize(width);
	const made = format === "avif" ? image.avif({ quality: 70, effort: 0 }) : image.toFormat(format, { quality: 90 });
	return (await made.toBuffer()) as Buffer<ArrayBuffer>;
}

/** Bytes. Noise is larger than any photograph. */
const LARGEST_UPLOAD = 20_000_000;

/** The picture four times, which has as much to decode in every pixel as the camera's own; one that is enlarged has not. */
export async function fourTimes(): Promise<Buffer<ArrayBuffer>> {
	const picture = await sharp(await twelveMegapixels())
		.autoOrient()
		.toBuffer();
	const sheet = (quality: number) =>
		sharp([picture, picture, picture, picture], { join: { across: 2 } })
			.jpeg({ quality })
			.toBuffer();
	let made = await sheet(90);
	for (let quality = 80; made.length > LARGEST_UPLOAD; quality -= 10) made = await sheet(quality);
	return made as Buffer<ArrayBuffer>;
}

/** Twelve parts of one picture, each a step to the right, 960×720. */
async function animation(): Promise<Buffer<ArrayBuffer>> {
	const picture = await sharp(await twelveMegapixels())
		.autoOrient()
		.resize(1_200)
		.toBuffer();
	const frames = Array.from({ length: 12 }, (_, index) =>
		sharp(picture)
			.extract({ left: index * 20, top: 0, width: 960, height: 720 })
			.png()
			.toBuffer(),
	);
	const strip = sharp(await Promise.all(frames), { join: { animated: true } });
	return (await strip.gif({ effort: 1, delay: frames.map(() => 80) }).toBuffer()) as Buffer<ArrayBuffer>;
}

const WIDTHS = 81;

/** Distinct forms, all near a width of 640: every width shrinks by the same power of two while loading. */
export function formsOf(round: number, count: number): readonly { readonly w: number; readonly q: number }[] {
	return Array.from({ length: count }, (_, index) => {
		const place = round * count + index;
		return { w: 600 + (place % WIDTHS), q: 83 + (Math.floor(place / WIDTHS) % 5) };
	});
}
