import libheif from "libheif-js/wasm-bundle.js";
import { straighten } from "../colours/straight.ts";
import { showRow, type ToneTable } from "../colours/tone-table.ts";

/*
 * libheif through its C interface, because the package's own wrapper cannot ask for strict decoding: it accepts files that were cut
 * short and paints the missing tiles green.
 */

export const ready: Promise<unknown> = libheif.ready;

const COLOUR_SPACE_RGB = 1;
const CHROMA_RGB = 10;
const CHROMA_RGBA = 11;
/** Two bytes a sample, the lower one first. */
const CHROMA_DEEP_RGB = 14;
const CHROMA_DEEP_RGBA = 15;
const CHANNEL_INTERLEAVED = 10;

/** `heif_error`: code, subcode, pointer to the message. */
const ERROR_BYTES = 12;

// Offsets into `heif_decoding_options`, fixed since its version 3.
const OPTION_TO_8_BIT = 20;
const OPTION_STRICT = 21;

// Offsets into `heif_security_limits`, 64-bit each: version 1 and version 2.
const LIMIT_PIXELS = 8;
const LIMIT_TOTAL_MEMORY = 64;
const MAX_MEMORY_BYTES = 900_000_000;

/** The module goes on after it. */
class Refusal extends Error {
	override readonly name = "Refusal";
}

export interface DecodedPicture {
	readonly width: number;
	readonly height: number;
	readonly channels: 3 | 4;
	readonly pixels: Uint8Array<ArrayBuffer>;
}

/** A function that frees memory; the newest runs first. */
type Release = () => void;

/**
 * Strictly decodes the primary picture, transformations of the container applied. Blocks for half a second per 12 megapixels, and for twice that
 * with a table: of what such a picture holds, what is shown by it is read from all bits that there are.
 * @throws Refusal when the file is not whole, not HEVC or too large; anything else means that the module is in no state to go on.
 */
export function decodeHeic(file: Uint8Array, maxPixels: number, shown?: ToneTable): DecodedPicture {
	const releases: Release[] = [];
	try {
		const context = open(file, maxPixels, releases);
		const image = primaryImage(context, releases);
		const pixelCount = libheif._heif_image_handle_get_width(image) * libheif._heif_image_handle_get_height(image);
		if (pixelCount > maxPixels) throw new Refusal(`heif: has ${pixelCount} pixels`);
		const alpha = libheif._heif_image_handle_has_alpha_channel(image) !== 0;
		const isDeep = shown !== undefined && libheif._heif_image_handle_get_luma_bits_per_pixel(image) > 8;
		const picture = decodeStrictly(image, { alpha, isDeep }, releases);
		const copied = copyPixels(picture, { channels: alpha ? 4 : 3, isDeep, shown }, releases);
		if (alpha && libheif._heif_image_handle_is_premultiplied_alpha(image) !== 0) straighten(copied.pixels);
		return copied;
	} finally {
		for (const release of releases.reverse()) release();
	}
}

function open(file: Uint8Array, maxPixels: number, releases: Release[]): number {
	// The context reads from these bytes for as long as it lives.
	const bytes = allocate(file.length, releases);
	libheif.HEAPU8.set(file, bytes);
	const context = libheif._heif_context_alloc();
	releases.push(() => libheif._heif_context_free(context));
	const limits = libheif._heif_context_get_security_limits(context);
	setLimit(limits + LIMIT_PIXELS, maxPixels);
	if ((libheif.HEAPU8[limits] ?? 0) >= 2) setLimit(limits + LIMIT_TOTAL_MEMORY, MAX_MEMORY_BYTES);
	attempt("read", releases, (error) => {
		libheif._heif_context_read_from_memory_without_copy(error, context, bytes, file.length, 0);
	});
	return context;
}

function setLimit(pointer: number, value: number): void {
	libheif.HEAPU32[pointer >> 2] = value;
	libheif.HEAPU32[(pointer >> 2) + 1] = 0;
}

function primaryImage(context: number, releases: Release[]): number {
	const out = allocate(4, releases);
	attempt("find the picture", releases, (error) => {
		libheif._heif_context_get_primary_image_handle(error, context, out);
	});
	const image = readPointer(out);
	releases.push(() => libheif._heif_image_handle_release(image));
	return image;
}

interface Samples {
	readonly alpha: boolean;
	/** Whether they have two bytes each. */
	readonly isDeep: boolean;
}

function decodeStrictly(image: number, { alpha, isDeep }: Samples, releases: Release[]): number {
	const [opaque, transparent] = isDeep ? [CHROMA_DEEP_RGB, CHROMA_DEEP_RGBA] : [CHROMA_RGB, CHROMA_RGBA];
	const out = allocate(4, releases);
	const options = libheif._heif_decoding_options_alloc();
	releases.push(() => libheif._heif_decoding_options_free(options));
	libheif.HEAPU8[options + OPTION_TO_8_BIT] = isDeep ? 0 : 1;
	libheif.HEAPU8[options + OPTION_STRICT] = 1;
	attempt("decode", releases, (error) => {
		libheif._heif_decode_image(error, image, out, COLOUR_SPACE_RGB, alpha ? transparent : opaque, options);
	});
	const picture = readPointer(out);
	releases.push(() => libheif._heif_image_release(picture));
	return picture;
}

interface Copying {
	readonly channels: 3 | 4;
	readonly isDeep: boolean;
	readonly shown: ToneTable | undefined;
}

function copyPixels(picture: number, { channels, isDeep, shown }: Copying, releases: Release[]): DecodedPicture {
	const strideOut = allocate(4, releases);
	const plane = libheif._heif_image_get_plane_readonly(picture, CHANNEL_INTERLEAVED, strideOut);
	const stride = readPointer(strideOut);
	const width = libheif._heif_image_get_width(picture, CHANNEL_INTERLEAVED);
	const height = libheif._heif_image_get_height(picture, CHANNEL_INTERLEAVED);
	const rowBytes = width * channels;
	if (plane === 0 || width < 1 || height < 1 || stride < (isDeep ? 2 : 1) * rowBytes)
		throw new Refusal("heif: decoded to no pixels");
	const pixels = new Uint8Array(rowBytes * height);
	const heap = libheif.HEAPU8;
	const most = 2 ** (isDeep ? libheif._heif_image_get_bits_per_pixel_range(picture, CHANNEL_INTERLEAVED) : 8) - 1;
	for (let row = 0; row < height; row++) {
		const start = plane + row * stride;
		const codes = isDeep
			? new Uint16Array(heap.buffer, heap.byteOffset + start, rowBytes)
			: heap.subarray(start, start + rowBytes);
		const own = pixels.subarray(row * rowBytes, (row + 1) * rowBytes);
		if (shown) showRow(shown, codes, channels, most, own);
		else own.set(codes);
	}
	return { width, height, channels, pixels };
}

function allocate(bytes: number, releases: Release[]): number {
	const pointer = libheif._malloc(bytes);
	if (pointer === 0) throw new Error("out of memory");
	releases.push(() => libheif._free(pointer));
	return pointer;
}

function attempt(step: string, releases: Release[], call: (error: number) => void): void {
	const error = allocate(ERROR_BYTES, releases);
	call(error);
	const code = readPointer(error);
	if (code === 0) return;
	// In the words of libvips, which uses the same library.
	throw new Refusal(`heif: ${readText(readPointer(error + 8))} (${code}.${readPointer(error + 4)}, ${step})`);
}

function readPointer(pointer: number): number {
	return libheif.HEAPU32[pointer >> 2] ?? 0;
}

function readText(pointer: number): string {
	const end = pointer === 0 ? pointer : libheif.HEAPU8.indexOf(0, pointer);
	return new TextDecoder().decode(libheif.HEAPU8.slice(pointer, Math.min(end, pointer + 200)));
}
