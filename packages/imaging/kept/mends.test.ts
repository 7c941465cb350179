import { expect, test } from "bun:test";
import type { ImageFormat } from "@svc/base/enumerations";
import { MENDS, type MendName } from "@svc/images/transform/mends";
import { gifOf } from "@svc/test/support/gifs";
import { plain } from "@svc/test/support/pictures";
import { gifWithRights } from "@svc/test/support/rights";
import {
	avifWith,
	cicp,
	gama,
	nclx,
	plainAvif,
	plainPng,
	pngChunk,
	pngWith,
	premultiplied,
} from "@svc/test/support/said-colours";
import { ultraHdr } from "@svc/test/support/ultra-hdr";
import { sharp } from "../sharp-settings.ts";
import { foundMends } from "./mends.ts";

const RED = [200, 100, 50, 255] as const;
const HALF = [200, 100, 50, 128] as const;
const SCREEN = { width: 16, height: 12 };
const COLOURS = [
	[0, 0, 0],
	[200, 0, 0],
	[0, 200, 0],
	[0, 0, 200],
];

const gif = (width: number) =>
	gifOf({ ...SCREEN, colours: COLOURS, frames: [{ width, height: 12, disposal: 1, colour: () => 1 }] });

async function turnedWebp(orientation: number): Promise<Uint8Array> {
	const frames = gifOf({
		...SCREEN,
		colours: COLOURS,
		frames: [1, 2].map((colour) => ({ ...SCREEN, disposal: 1, colour: () => colour })),
	});
	return await sharp(frames, { animated: true }).withMetadata({ orientation }).webp().toBuffer();
}

const FILES: Readonly<
	Record<string, readonly [ImageFormat, () => Promise<Uint8Array> | Uint8Array, readonly MendName[]]>
> = {
	"a PNG that says nothing of colours": ["png", () => plainPng(RED), ["no profile"]],
	"a PNG in Display P3 by numbers": [
		"png",
		async () => pngWith(await plainPng(RED), cicp(12, 13)),
		["colours by numbers", "no profile"],
	],
	"a PNG in sRGB by numbers": ["png", async () => pngWith(await plainPng(RED), cicp(1, 13)), ["no profile"]],
	"a PNG with the gamma that most programs write": [
		"png",
		async () => pngWith(await plainPng(RED), gama(45_455)),
		["no profile"],
	],
	"a PNG with linear light": [
		"png",
		async () => pngWith(await plainPng(RED), gama(100_000)),
		["colours by numbers", "no profile"],
	],
	"a PNG whose sRGB comes before its gamma": [
		"png",
		async () => pngWith(await plainPng(RED), pngChunk("sRGB", Uint8Array.of(0)), gama(100_000)),
		["no profile"],
	],
	"a PNG whose numbers are of other colours than red, green and blue": [
		"png",
		async () => pngWith(await plainPng(RED), pngChunk("cICP", Uint8Array.of(9, 16, 9, 1))),
		["foreign profile", "no profile"],
	],
	"an AVIF": ["avif", () => plainAvif(RED), []],
	"an AVIF in Display P3 by numbers": [
		"avif",
		async () => avifWith(await plainAvif(RED), nclx(12, 13)),
		["colours by numbers"],
	],
	"a premultiplied AVIF": ["avif", async () => premultiplied(await plainAvif(HALF)), ["premultiplied"]],
	"a GIF": ["gif", () => gif(16), []],
	"a GIF whose frame covers half of it": ["gif", () => gif(8), ["uncovered"]],
	"a GIF with rights": ["gif", gifWithRights, ["rights", "XMP"]],
	"an animated WebP": ["webp", () => turnedWebp(1), []],
	"an animated WebP that is turned": ["webp", () => turnedWebp(6), ["turned animation"]],
	"a JPEG without a profile": ["jpg", () => plain(8, 8, "jpeg"), ["no profile"]],
	"a photo with a gain map": ["jpg", () => ultraHdr(), ["gain map"]],
	"a JPEG with another one behind it": [
		"jpg",
		async () => Buffer.concat([await plain(8, 8, "jpeg"), await plain(8, 8, "jpeg")]),
		["no profile"],
	],
	"a JPEG with one": [
		"jpg",
		() =>
			sharp({ create: { ...SCREEN, channels: 3, background: "red" } })
				.withIccProfile("p3")
				.jpeg()
				.toBuffer(),
		[],
	],
};

test.each(Object.entries(FILES))(
	"%s is concerned by what was mended of it, and by nothing else",
	async (_, [format, file, has]) => {
		expect(await foundMends(new Uint8Array(await file()), format)).toEqual({ upTo: MENDS.length, has });
	},
);
