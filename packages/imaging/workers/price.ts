import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";

/** What a piece of work is expected to take, before it begins: from the facts of a header, never from decoding. */
export interface Price {
	/** Memory above that of a worker at rest. */
	readonly bytes: number;
	/** Milliseconds of processor time, user and system. */
	readonly cpuMs: number;
}

const MIB = 1_024 ** 2;

/** Enough to read the header of a file that has just come and to decode most of them; where it is not, the header says so. */
export const UPLOAD: Price = { bytes: 64 * MIB, cpuMs: 200 };

/** What is known of a master without looking at it. */
interface Sized {
	readonly format: ImageFormat;
	readonly width: number;
	readonly height: number;
}

/** To decode a master as a whole, in a way that no header can say yet. */
export function decodingPrice({ format, width, height }: Sized): Price {
	const megapixels = (width * height) / 1_000_000;
	const bytes = 32 * MIB + megapixels * 1_000_000 * (format === "avif" ? 19 : 5);
	return { bytes, cpuMs: 10 + megapixels * (format === "avif" ? 60 : 15) };
}

/** A rendition whose output may be as large as the picture. */
export function renditionPrice(master: Sized, output: OutputFormat): Price {
	const { bytes, cpuMs } = decodingPrice(master);
	const pixels = Math.min(40_000_000, master.width * master.height);
	return { bytes: bytes + 12 * pixels, cpuMs: cpuMs + (pixels / 1_000_000) * (output === "avif" ? 250 : 60) };
}
