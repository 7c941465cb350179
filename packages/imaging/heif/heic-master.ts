import { describeJpeg, EXIF_MARK, MAX_PAYLOAD } from "../jpeg/segments.ts";
import { copyrightExif, uprightExif } from "../metadata/exif.ts";
import { withoutGainMap } from "../metadata/gain-map-xmp.ts";
import { described } from "../render/container.ts";
import { sharp } from "../sharp-settings.ts";
import type { DecodedPicture } from "./libheif.ts";

/* What a HEIC becomes: no browser but one shows HEIC, and the file is about to be the only copy. */

export interface HeicMaster {
	readonly format: "jpg" | "png";
	readonly bytes: Uint8Array;
}

/** As they were in the HEIC; EXIF with or without its prefix. */
interface Descriptions {
	readonly exif?: Uint8Array | undefined;
	readonly icc?: Uint8Array | undefined;
	readonly xmp?: Uint8Array | undefined;
}

/** Near-lossless, colour at full resolution. Codes of its own would save a hundredth, for twice the memory of the pixels. */
const QUALITY = 94;

/** A PNG where the picture is transparent somewhere, otherwise a JPEG, in the picture's own colours and with what it says about itself. */
export async function heicMaster(picture: DecodedPicture, { exif, icc, xmp: all }: Descriptions): Promise<HeicMaster> {
	// A gain map is a picture of its own in a HEIC, and is not converted.
	const xmp = all && withoutGainMap(all);
	const { width, height, channels, pixels } = picture;
	const image = sharp(pixels, { raw: { width, height, channels }, limitInputPixels: false });
	// The container's rotation has been applied, and the EXIF of phones repeats it: left alone it would be applied twice.
	const upright = exif && uprightExif(exif);
	if (isTransparent(picture)) {
		const png = await image.png({ compressionLevel: 6 }).toBuffer();
		return { format: "png", bytes: described(png, "png", { exif: upright, icc, xmp }, picture) };
	}
	const jpeg = await image
		.removeAlpha()
		.jpeg({ quality: QUALITY, chromaSubsampling: "4:4:4", optimiseCoding: false })
		.toBuffer();
	return { format: "jpg", bytes: describeJpeg(jpeg, { exif: upright && fitting(upright), icc, xmp }) };
}

function isTransparent({ channels, pixels }: DecodedPicture): boolean {
	if (channels === 3) return false;
	for (let at = 3; at < pixels.length; at += 4) {
		if (pixels[at] !== 255) return true;
	}
	return false;
}

/** Only maker notes and thumbnails make a block larger than one segment; then the notice is what must survive. */
function fitting(exif: Uint8Array): Uint8Array | undefined {
	return exif.length <= MAX_PAYLOAD - EXIF_MARK.length ? exif : copyrightExif(exif);
}
