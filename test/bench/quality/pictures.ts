import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { corpusDir } from "../../support/corpus.ts";

/* What quality.ts judges by: free pictures that are the same everywhere, by the beginnings of their SHA-256. */

/** Unpacked from Debian's package mate-backgrounds 1.26.0-1 (CC BY-SA 4.0): `dpkg -x` into any folder does. */
const BACKGROUNDS = process.env.SVC_BENCH_BACKGROUNDS ?? "/usr/share/backgrounds/mate";

const OF_CORPUS: Readonly<Record<string, string>> = {
	"jpeg_12mp_camera.jpg": "d64e7c04839a",
	"jpeg_gps_copyright_iptc_xmp.jpg": "3d8e315ec2bf",
	"jpeg_o6_iptc_xmp.jpg": "30603e146191",
	"jpeg_o6_landscape.jpg": "9b344e9f0c86",
	"jpeg_o8_portrait.jpg": "66b38ab2c7fb",
	"portrait_astronaut.png": "88431cd9653c",
	"portrait_four_faces.jpg": "9baad80f9d5e",
	"portrait_child.jpg": "7f7b50c618a7",
	"crowd_painted_faces.jpg": "fe74b873b724",
	"face_small_sunglasses.jpg": "155f39fa4af7",
	"noface_statues.jpg": "927997a90ae8",
	"seg_redpanda_clutter.jpg": "1d85fed8b836",
};
const OF_BACKGROUNDS: Readonly<Record<string, string>> = {
	"nature/Aqua.jpg": "5c3011820598",
	"nature/Blinds.jpg": "f7aac0dcc2e0",
	"nature/Dune.jpg": "8a67c2cb0be8",
	"nature/FreshFlower.jpg": "972b0a0c4e5e",
	"nature/Garden.jpg": "d3095ee09d42",
	"nature/GreenMeadow.jpg": "8fa0de0aa408",
	"nature/LadyBird.jpg": "e35a9a4126ef",
	"nature/RainDrops.jpg": "3e4ea9671c28",
	"nature/Storm.jpg": "77ca53077831",
	"nature/TwoWings.jpg": "665e5abf8a53",
	"nature/Wood.jpg": "19c78500ac00",
	"nature/YellowFlower.jpg": "254da96256ac",
	"abstract/Flow.png": "36d494feb16d",
	"abstract/Spring.png": "c29be13f6d63",
	"abstract/Gulp.png": "2d221c435d18",
	"abstract/Silk.png": "7f0046aff3a6",
};

export interface Judged {
	readonly name: string;
	readonly bytes: Buffer;
}

/** Photographs, drawings, and what looks like a screen. Says which are missing. @throws Error for a file that is another one */
export async function judgedPictures(): Promise<{
	readonly there: readonly Judged[];
	readonly missing: readonly string[];
}> {
	const sets = [[corpusDir, OF_CORPUS] as const, [BACKGROUNDS, OF_BACKGROUNDS] as const];
	const wanted = sets.flatMap(([folder, files]) => Object.entries(files).map((file) => [folder, ...file] as const));
	const found = await Promise.all(wanted.map(([folder, name, digest]) => pinned(folder, name, digest)));
	const there = found.filter((one) => one !== undefined);
	const missing = wanted.map(([, name]) => name).filter((name) => !there.some((one) => one.name === name));
	return { there: [...there, await screen("a page of text", page()), await screen("a chart", chart())], missing };
}

async function pinned(folder: string | undefined, name: string, digest: string): Promise<Judged | undefined> {
	const bytes = folder === undefined ? undefined : await readFile(join(folder, name)).catch(() => undefined);
	if (!bytes) return undefined;
	if (!createHash("sha256").update(bytes).digest("hex").startsWith(digest)) throw new Error(`${name} is another file`);
	return { name, bytes };
}

const [WIDTH, HEIGHT] = [1_440, 900];

async function screen(name: string, inside: string): Promise<Judged> {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}"><rect width="100%" height="100%" fill="white"/>${inside}</svg>`;
	return { name, bytes: await sharp(Buffer.from(svg)).png().toBuffer() };
}

function page(): string {
	const words = "A picture is stored once, and shown in every size that somebody asks for, in the format that suits.";
	const lines = Array.from({ length: 34 }, (_, line) => `<text x="320" y="${40 + line * 25}">${words}</text>`);
	return `<rect width="260" height="900" fill="#203040"/><g font-family="sans-serif" font-size="17" fill="#222">${lines.join("")}</g>`;
}

function chart(): string {
	const bars = Array.from({ length: 48 }, (_, bar) => {
		const height = 120 + ((bar * 7_919) % 620);
		return `<rect x="${40 + bar * 28}" y="${860 - height}" width="20" height="${height}" fill="hsl(${bar * 7},70%,50%)"/>`;
	});
	return `${bars.join("")}<path d="M40 860H1400M40 40V860" stroke="#000" stroke-width="2"/>`;
}
