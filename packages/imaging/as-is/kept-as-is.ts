import { type FileHandle, open } from "node:fs/promises";
import type { ImageFormat, OutputFormat } from "@svc/base/enumerations";
import { Failure, invalid } from "@svc/base/failure";
import type { Extent } from "@svc/images/layout/extent";
import { BitmapFault, BMP_HEAD_BYTES, readBmp } from "./bmp-header.ts";
import { IconFault, readIco } from "./ico-header.ts";
import { checkSvg, readSvgHead, SvgFault } from "./svg-scan.ts";

/*
 * What is stored and served as it is, and never decoded here: browsers do that, each picture on its own and in a sandbox. "Whole"
 * therefore means that the structure is, not that every pixel is. Descriptions inside of them stay as their authors wrote them.
 */

export type KeptAsIs = Exclude<ImageFormat, OutputFormat>;

const KINDS: Readonly<Record<KeptAsIs, string>> = { svg: "an SVG file", bmp: "a BMP file", ico: "an ICO file" };
/** The same bound as for decoded formats, so that no address leads to a picture that a browser cannot hold. */
const MAX_SIDE = 65_500;
const MAX_BITMAP_PIXELS = 110_000_000;
/** The root element of an SVG begins within these, whatever its author has to say before. */
const SVG_HEAD_BYTES = 65_536;

export function isKeptAsIs(format: string): format is KeptAsIs {
	return Object.hasOwn(KINDS, format);
}

/**
 * How large the picture is. With `whole` false only what is cheap is looked at: an SVG's first element.
 * @throws Failure `validation_error` under `file`
 */
export async function measure(path: string, bytes: number, format: KeptAsIs, whole: boolean): Promise<Extent> {
	const file = await open(path, "r");
	try {
		const extent = await MEASURES[format](file, bytes, whole);
		checkExtent(extent, format);
		return extent;
	} catch (error) {
		if (!isFault(error)) throw error;
		throw new Failure("validation_error", { file: [`is ${KINDS[format]} but ${error.message}`] }, { cause: error });
	} finally {
		await file.close();
	}
}

const MEASURES: Readonly<Record<KeptAsIs, (file: FileHandle, bytes: number, whole: boolean) => Promise<Extent>>> = {
	svg: measureSvg,
	bmp: async (file, bytes) => readBmp(await readAt(file, 0, Math.min(bytes, BMP_HEAD_BYTES)), bytes),
	ico: (file, bytes) => readIco((position, count) => readAt(file, position, count), bytes),
};

async function measureSvg(file: FileHandle, bytes: number, whole: boolean): Promise<Extent> {
	const head = readSvgHead(decoded(await readAt(file, 0, Math.min(bytes, SVG_HEAD_BYTES)), bytes > SVG_HEAD_BYTES));
	if (whole) await checkSvg(decoded(await readAt(file, 0, bytes), false));
	return head.extent;
}

/** A cut may split the last letter of the first part of a text. */
function decoded(bytes: Uint8Array, cut: boolean): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut });
	} catch {
		throw new SvgFault("it is not in UTF-8");
	}
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Uint8Array> {
	const buffer = new Uint8Array(bytes);
	for (let read = 0; read < bytes; ) {
		const { bytesRead } = await file.read(buffer, read, bytes - read, position + read);
		if (bytesRead === 0) return buffer.subarray(0, read);
		read += bytesRead;
	}
	return buffer;
}

function checkExtent({ width, height }: Extent, format: KeptAsIs): void {
	if (width < 1 || height < 1) throw invalid("file", "has no pixels");
	if (width > MAX_SIDE || height > MAX_SIDE) {
		throw invalid("file", `is ${width}×${height} pixels; at most ${MAX_SIDE} to a side`);
	}
	if (format === "bmp" && width * height > MAX_BITMAP_PIXELS) {
		const most = MAX_BITMAP_PIXELS / 1_000_000;
		throw invalid("file", `has ${Math.ceil((width * height) / 1_000_000)} megapixels; at most ${most} for BMP`);
	}
}

function isFault(error: unknown): error is Error {
	return error instanceof SvgFault || error instanceof BitmapFault || error instanceof IconFault;
}
