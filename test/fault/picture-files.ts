import { crc32, deflateSync } from "node:zlib";
import { sharp } from "@svc/imaging/sharp-settings";
import type { Sharp } from "sharp";
import { type Animation, type Frame, gifOf, webpOf } from "../support/animations.ts";
import { heicOf, shownByLibheif, withoutLibheif } from "../support/libheif-programs.ts";
import { avifWith, nclx, premultiplied } from "../support/said-colours.ts";
import type { Dice } from "./seed.ts";

/* Picture files by chance: formats, depths, profiles, orientations, transparency and animation. */

export interface PictureFile {
	/** What it is, to be read where it fails. */
	readonly name: string;
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly animated: boolean;
	readonly bound: Bound;
	/** Whether its pixels have nothing to do with those beside them: made smaller it is grey, in each decoder's own way. */
	readonly isNoise?: boolean;
	/** What another decoder makes of it, where no browser shows it. */
	readonly shownAs?: Uint8Array | undefined;
}

/** By how much the decoders of a kind may differ, in 255ths. */
export interface Bound {
	readonly mean: number;
	/** Of a single channel of a single pixel; none where decoders fill in colours between those that are stored, each in its own way. */
	readonly most?: number;
}

const EXACT: Bound = { mean: 1, most: 3 };

type Maker = (dice: Dice) => Promise<PictureFile>;

const PROFILES = ["none", "none", "srgb", "p3", "p3"] as const;

/** A gradient with shapes in it, so that sides, turns and edges show. */
function drawnBy(dice: Dice, width: number, height: number, channels: 3 | 4): Uint8Array<ArrayBuffer> {
	const pixels = new Uint8Array(width * height * channels);
	const [from, to] = [dice.bytes(4), dice.bytes(4)];
	const edge = dice.below(width + 1);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			const share = (x + 2 * y) / (width + 2 * height);
			for (let channel = 0; channel < channels; channel++) {
				const [one = 0, other = 0] = [from[channel], to[channel]];
				const value = Math.round(one + (other - one) * share);
				pixels[(y * width + x) * channels + channel] = x > edge && y < height / 3 ? 255 - value : value;
			}
		}
	return pixels;
}

function stillBy(dice: Dice, channels: 3 | 4): { readonly image: Sharp; readonly about: string } {
	const [width, height] = [1 + dice.below(160), 1 + dice.below(160)];
	const raw = { width, height, channels };
	return { image: sharp(drawnBy(dice, width, height, channels), { raw }), about: `${width}×${height}` };
}

function described(image: Sharp, dice: Dice): { readonly image: Sharp; readonly about: string } {
	const profile = dice.pick(PROFILES);
	const orientation = dice.chance(0.5) ? 1 + dice.below(8) : 0;
	let told = profile === "none" ? image : image.withIccProfile(profile, { attach: true });
	if (orientation > 0) told = told.withMetadata({ orientation });
	return { image: told, about: `profile ${profile}, orientation ${orientation}` };
}

async function file(name: string, image: Sharp, bound: Bound): Promise<PictureFile> {
	return { name, bytes: new Uint8Array(await image.toBuffer()), animated: false, bound };
}

async function jpeg(dice: Dice): Promise<PictureFile> {
	const still = stillBy(dice, 3);
	const grey = dice.chance(0.2);
	const told = described(grey ? still.image.greyscale() : still.image, dice);
	const settings = {
		quality: 40 + dice.below(61),
		progressive: dice.chance(0.4),
		chromaSubsampling: dice.pick(["4:2:0", "4:4:4"]),
	};
	const name = `JPEG ${still.about}, ${told.about}, grey ${grey}, ${JSON.stringify(settings)}`;
	return await file(name, told.image.jpeg(settings), { mean: 2, most: 6 });
}

async function png(dice: Dice): Promise<PictureFile> {
	const still = stillBy(dice, dice.pick([3, 4] as const));
	const kind = dice.pick(["8 bit", "16 bit", "palette", "grey", "grey 16 bit"]);
	const shaped = kind.startsWith("grey") ? still.image.greyscale() : still.image;
	const told = described(shaped, dice);
	const deep = kind.endsWith("16 bit")
		? told.image.toColourspace(kind.startsWith("grey") ? "grey16" : "rgb16")
		: told.image;
	const settings = {
		progressive: dice.chance(0.3),
		...(kind === "palette" && { palette: true, colours: dice.pick([2, 4, 16, 200]) }),
	};
	const name = `PNG ${still.about}, ${kind}, ${told.about}, ${JSON.stringify(settings)}`;
	return await file(name, deep.png(settings), EXACT);
}

async function webp(dice: Dice): Promise<PictureFile> {
	const still = stillBy(dice, dice.pick([3, 4] as const));
	const profile = dice.pick(PROFILES);
	const image = profile === "none" ? still.image : still.image.withIccProfile(profile, { attach: true });
	const settings = { lossless: dice.chance(0.4), quality: 40 + dice.below(61) };
	return await file(`WebP ${still.about}, profile ${profile}, ${JSON.stringify(settings)}`, image.webp(settings), {
		mean: 2,
		most: 5,
	});
}

/** Chromium takes transparency for a signal of studio range, although the file says otherwise: what is half transparent is a little off. */
const STRETCHED = 20;

/** Colours at half resolution are filled in at hard edges by each decoder in its own way. */
const HALVED = 10;

async function avif(dice: Dice): Promise<PictureFile> {
	const channels = dice.pick([3, 4] as const);
	const still = stillBy(dice, channels);
	const told = described(still.image, dice);
	const settings = { quality: 60 + dice.below(40), effort: 0, chromaSubsampling: dice.pick(["4:2:0", "4:4:4"]) };
	const name = `AVIF ${still.about}, ${channels} channels, ${told.about}, ${JSON.stringify(settings)}`;
	return await file(name, told.image.avif(settings), { mean: channels === 4 ? STRETCHED : HALVED });
}

/** Transparent in places, so that earlier frames are seen through it. */
function frameBy(dice: Dice, canvas: { width: number; height: number }, whole: boolean): Frame {
	const even = (bound: number) => 2 * dice.below(Math.max(1, Math.floor(bound / 2)));
	const [x, y] = whole ? [0, 0] : [even(canvas.width), even(canvas.height)];
	const width = whole ? canvas.width : 1 + dice.below(canvas.width - x);
	const height = whole ? canvas.height : 1 + dice.below(canvas.height - y);
	const colour = [51 * dice.below(6), 51 * dice.below(6), 51 * dice.below(6), 255];
	const holes = dice.chance(0.4);
	const pixels = new Uint8Array(width * height * 4);
	for (let at = 0; at < width * height; at++) {
		const isHole = holes && (at % width) % 3 === 0;
		pixels.set(isHole ? [0, 0, 0, 0] : colour, 4 * at);
	}
	return {
		x,
		y,
		width,
		height,
		pixels,
		delay: 2 + dice.below(60),
		disposal: dice.below(4),
		replaces: dice.chance(0.5),
	};
}

function animationBy(dice: Dice): Animation {
	const canvas = { width: 8 + 2 * dice.below(40), height: 8 + 2 * dice.below(40) };
	const wholeFirst = dice.chance(0.6);
	const frames = Array.from({ length: 2 + dice.below(5) }, (_, at) => frameBy(dice, canvas, at === 0 && wholeFirst));
	const loops = dice.pick([undefined, 0, 1, 3]);
	return { ...canvas, frames, loops, background: dice.below(216), namesTransparent: dice.chance(0.2) };
}

function toldOf({ width, height, frames, loops, background, namesTransparent }: Animation): string {
	const each = frames.map((one) => `${one.width}×${one.height}+${one.x}+${one.y} d${one.disposal}`);
	return `${width}×${height}, loops ${loops}, background ${background}, ${namesTransparent}: ${each.join(", ")}`;
}

const gif: Maker = async (dice) => {
	const animation = animationBy(dice);
	return { name: `GIF ${toldOf(animation)}`, bytes: new Uint8Array(gifOf(animation)), animated: true, bound: EXACT };
};

const movingWebp: Maker = async (dice) => {
	const made = animationBy(dice);
	const animation = {
		...made,
		frames: made.frames.map((one) => ({ ...one, delay: 10 * one.delay, disposal: one.disposal % 2 })),
	};
	return {
		name: `WebP ${toldOf(animation)}`,
		bytes: new Uint8Array(await webpOf(animation)),
		animated: true,
		bound: EXACT,
	};
};

/** What says colour by numbers alone: the chunks stand before the pixels, in any order. */
async function numberedPng(dice: Dice): Promise<PictureFile> {
	const still = stillBy(dice, 3);
	const plain = await still.image.png().toBuffer();
	const [kind, body] = dice.pick(NUMBERS);
	const chunks =
		kind === "gAMA and cHRM"
			? [pngChunk("gAMA", body.subarray(0, 4)), pngChunk("cHRM", body.subarray(4))]
			: [pngChunk(kind, body)];
	const bytes = Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]);
	return {
		name: `PNG ${still.about}, ${kind} ${body.toString("hex")}`,
		bytes: new Uint8Array(bytes),
		animated: false,
		bound: kind === "cICP" && isBright(body[1] ?? 0) ? BRIGHT : { mean: 2, most: 5 },
	};
}

const be32 = (...values: readonly number[]) =>
	Buffer.from(values.flatMap((value) => [value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]));
const OF_SRGB = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000];
const OF_P3 = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000];
/** Gammas and primaries in hundred-thousandths; cICP: primaries, transfer, matrix, range. */
const NUMBERS: readonly (readonly [string, Buffer])[] = [
	["cICP", Buffer.from([12, 13, 0, 1])],
	["cICP", Buffer.from([1, 13, 0, 1])],
	["cICP", Buffer.from([9, 1, 0, 1])],
	["cICP", Buffer.from([9, 16, 0, 1])],
	["cICP", Buffer.from([9, 18, 0, 1])],
	["gAMA", be32(100_000)],
	["gAMA", be32(45_455)],
	["gAMA", be32(55_556)],
	["gAMA and cHRM", be32(45_455, ...OF_P3)],
	["gAMA and cHRM", be32(100_000, ...OF_SRGB)],
	["sRGB", Buffer.from([0])],
];

function pngChunk(name: string, body: Uint8Array): Buffer {
	const named = Buffer.concat([Buffer.from(name, "latin1"), body]);
	return Buffer.concat([be32(body.length), named, be32(crc32(named))]);
}

/** What a library does not write: few bits, and single colours or numbers of the palette that stand for nothing. */
async function handmadePng(dice: Dice): Promise<PictureFile> {
	const [width, height] = [1 + dice.below(60), 1 + dice.below(60)];
	const type = dice.pick([0, 2, 3]);
	const bits = type === 0 ? dice.pick([1, 2, 4, 8, 16]) : type === 2 ? dice.pick([8, 16]) : dice.pick([1, 2, 4, 8]);
	const row = Math.ceil((width * bits * (type === 2 ? 3 : 1)) / 8);
	const rows = Array.from({ length: height }, () => Buffer.concat([Buffer.of(0), dice.bytes(row)]));
	const header = Buffer.concat([be32(width, height), Buffer.of(bits, type, 0, 0, 0)]);
	const most = 2 ** Math.min(bits, 16) - 1;
	const colours = Buffer.from(dice.bytes(3 * 2 ** Math.min(8, bits)));
	const hole =
		type === 3
			? Buffer.from(dice.bytes(1 + dice.below(2 ** bits)))
			: Buffer.concat(Array.from({ length: type === 2 ? 3 : 1 }, () => Buffer.of(most >> 8, most & 255)));
	const chunks = [
		pngChunk("IHDR", header),
		...(type === 3 ? [pngChunk("PLTE", colours)] : []),
		...(dice.chance(0.6) ? [pngChunk("tRNS", hole)] : []),
		pngChunk("IDAT", deflateSync(Buffer.concat(rows))),
		pngChunk("IEND", Buffer.of()),
	];
	const bytes = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks]);
	return {
		name: `PNG by hand ${width}×${height}, type ${type}, ${bits} bits`,
		bytes: new Uint8Array(bytes),
		animated: false,
		isNoise: true,
		bound: EXACT,
	};
}

/** What numbers say that no screen shows is mapped to what one does, by each in its own way. */
const BRIGHT: Bound = { mean: 45 };
/** Of HEVC and of AV1: primaries and transfer (ITU-T H.273). */
const POINTS = [
	[12, 13],
	[9, 1],
	[1, 8],
	[1, 4],
	[9, 16],
	[9, 18],
] as const;
const isBright = (transfer: number) => transfer === 16 || transfer === 18;

async function numberedAvif(dice: Dice): Promise<PictureFile> {
	const still = stillBy(dice, 3);
	const [primaries, transfer] = dice.pick(POINTS);
	const plain = await still.image.avif({ quality: 90, effort: 0, chromaSubsampling: "4:4:4" }).toBuffer();
	return {
		name: `AVIF ${still.about}, nclx ${primaries} ${transfer}`,
		bytes: await avifWith(plain, nclx(primaries, transfer)),
		animated: false,
		bound: isBright(transfer) ? BRIGHT : { mean: 6 },
	};
}

async function premultipliedAvif(dice: Dice): Promise<PictureFile> {
	const [width, height] = [1 + dice.below(160), 1 + dice.below(160)];
	const pixels = drawnBy(dice, width, height, 4);
	// No colour is more than its alpha.
	for (let at = 0; at < pixels.length; at++)
		pixels[at] = at % 4 < 3 ? Math.min(pixels[at] ?? 0, pixels[at | 3] ?? 0) : (pixels[at] ?? 0);
	const raw = { width, height, channels: 4 } as const;
	const plain = await sharp(pixels, { raw }).avif({ quality: 95, effort: 0, chromaSubsampling: "4:4:4" }).toBuffer();
	const name = `AVIF ${width}×${height}, premultiplied`;
	return { name, bytes: await premultiplied(plain), animated: false, bound: { mean: STRETCHED } };
}

async function heic(dice: Dice): Promise<PictureFile> {
	const channels = dice.pick([3, 3, 4] as const);
	const still = stillBy(dice, channels);
	const profile = dice.pick(["none", "p3"]);
	const png = profile === "none" ? still.image : still.image.withIccProfile(profile, { attach: true });
	const points = profile === "none" ? dice.pick([undefined, ...POINTS]) : undefined;
	const bytes = await heicOf(new Uint8Array(await png.png().toBuffer()), points);
	return {
		name: `HEIC ${still.about}, ${channels} channels, profile ${profile}, nclx ${points}`,
		bytes,
		animated: false,
		bound: points && isBright(points[1]) ? BRIGHT : { mean: 6 },
		shownAs: await shownByLibheif(bytes),
	};
}

const MAKERS: readonly Maker[] = [
	...[jpeg, png, webp, avif, gif, gif, movingWebp, numberedPng, handmadePng],
	...[numberedAvif, premultipliedAvif],
];
/** Each takes two programs. */
const HEIC_SHARE = withoutLibheif ? 0 : 0.04;

/** Each kind comes as often as the others, however few are made. */
export async function pictureFile(dice: Dice, turn: number): Promise<PictureFile> {
	const maker = MAKERS[turn % MAKERS.length] ?? jpeg;
	return await (dice.chance(HEIC_SHARE) ? heic : maker)(dice);
}
