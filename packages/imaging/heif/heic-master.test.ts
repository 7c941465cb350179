import { describe, expect, test } from "bun:test";
import { sharp } from "../sharp-settings.ts";
import { heicMaster } from "./heic-master.ts";

const [width, height] = [60, 40];
const icc = (
	await sharp({ create: { width, height, channels: 3, background: "#fff" } })
		.withIccProfile("p3")
		.png()
		.toBuffer()
		.then((png) => sharp(png).metadata())
).icc;
const xmp = new TextEncoder().encode('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
const exif = await sharp({ create: { width, height, channels: 3, background: "#fff" } })
	.withExif({ IFD0: { Copyright: "Ada", Make: "Phone" } })
	.withMetadata({ orientation: 6 })
	.jpeg()
	.toBuffer()
	.then((jpeg) => sharp(jpeg).metadata())
	.then((metadata) => metadata.exif);

/** Grey, with one pixel as transparent as `alpha` says. */
function picture(alpha: number | undefined) {
	const channels = alpha === undefined ? 3 : 4;
	const pixels = new Uint8Array(width * height * channels).fill(255);
	for (let at = 0; at < pixels.length; at += channels) pixels.fill(100, at, at + 3);
	if (alpha !== undefined) pixels[pixels.length - 1] = alpha;
	return { width, height, channels, pixels } as const;
}

describe.each([
	["without an alpha channel", undefined, "jpg"],
	["with one that is opaque everywhere", 255, "jpg"],
	["with a pixel that is not quite opaque", 254, "png"],
] as const)("a HEIC %s", (_, alpha, format) => {
	test(`becomes a ${format}, with its colours, EXIF and XMP, upright`, async () => {
		const master = await heicMaster(picture(alpha), { exif, icc, xmp });
		expect(master.format).toBe(format);
		const metadata = await sharp(master.bytes).metadata();
		expect([metadata.format, metadata.hasAlpha]).toEqual([format === "jpg" ? "jpeg" : "png", format === "png"]);
		expect([metadata.icc, metadata.orientation ?? 1]).toEqual([icc, 1]);
		expect(metadata.exif?.includes("Ada")).toBe(true);
		expect(metadata.xmpAsString).toBe('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');
		const { data } = await sharp(master.bytes).raw().toBuffer({ resolveWithObject: true });
		expect([...data.subarray(0, 3)].every((value) => Math.abs(value - 100) < 3)).toBe(true);
		if (format === "png") expect(data.at(-1)).toBe(254);
	});
});
