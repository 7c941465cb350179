/* One contact sheet for every parameter of the transform host, made by the started service, to be looked at.
   usage: bun test/gallery/parameters.ts <folder> [sheet …]   (SVC_TEST_CORPUS adds real pictures) */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import { createClient } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { removeData, startProcess } from "../support/process.ts";
import { sheet } from "./sheet.ts";

const SHEETS: Readonly<Record<string, readonly string[]>> = {
	size: ["size=s", "size=m", "size=l", "size=social"],
	fit: ["scale-down", "contain", "cover", "crop", "pad", "squeeze"].map((fit) => `w=240&h=160&fit=${fit}`),
	gravity: ["auto", "face", "left", "right", "top", "bottom"].map(
		(gravity) => `w=120&h=240&fit=cover&gravity=${gravity}`,
	),
	zoom: ["0", "0.25", "0.5", "0.75", "1"].map((zoom) => `w=240&h=240&fit=cover&gravity=face&zoom=${zoom}`),
	quality: ["1", "low", "medium-low", "medium-high", "high", "100"].map((q) => `w=240&q=${q}`),
	brightness: ["0.5", "1", "1.5", "3"].map((value) => `w=240&brightness=${value}`),
	contrast: ["0", "0.5", "1.5", "4"].map((value) => `w=240&contrast=${value}`),
	gamma: ["0.4", "0.7", "1.5", "3"].map((value) => `w=240&gamma=${value}`),
	saturation: ["0", "0.5", "2", "6"].map((value) => `w=240&saturation=${value}`),
	blur: ["2", "10", "40", "200"].map((value) => `w=240&blur=${value}`),
	sharp: ["1", "3", "6", "10"].map((value) => `w=240&sharp=${value}`),
	turn: ["rotate=90", "rotate=180", "rotate=270", "flip=h", "flip=v", "flip=hv"].map((turn) => `w=240&${turn}`),
	trim: ["w=240", "w=240&trim=border"],
	background: ["orange", "%23336699", "rgb(0,160,90)", "rgba(255,0,0,0.4)"].map(
		(colour) => `w=240&h=240&fit=pad&background=${colour}&format=png`,
	),
	segment: ["format=png", "format=jpg", "format=png&background=gold"].map((rest) => `w=240&segment=foreground&${rest}`),
	dpr: ["w=80", "w=80&dpr=1.5", "w=80&dpr=3", "size=s&dpr=2"],
	focus: ["0,0", "0.25,0.25", "center", "0.75,0.5", "bottom-right"].map(
		(focus) => `w=120&h=240&fit=cover&focus=${focus}`,
	),
	crop: ["0,0,200,200", "100,50,300,200", "300,200,9999,9999"].map((crop) => `w=240&crop=${crop}`),
	radius: [
		"radius=10",
		"radius=60&format=png",
		"radius=max",
		"radius=max&format=png",
		"radius=40&format=jpg&background=teal",
	].map((radius) => `w=240&h=200&fit=cover&${radius}`),
	auto: [
		"format=jpg",
		"format=jpg&q=auto",
		"format=webp&q=auto",
		"format=avif&q=auto",
		"format=webp&lossless=true",
	].map((q) => `w=240&${q}`),
	faces: [
		"w=240",
		"w=240&fx=blur-faces",
		"w=240&h=240&fit=cover&gravity=face&zoom=1&fx=blur-faces",
		"rotate=90&w=240&fx=blur-faces",
	],
	frame: ["0", "1", "3", "499"].map((frame) => `w=240&frame=${frame}`),
	fx: ["blur-bg", "blur-bg&strength=200", "color-pop", "darken-bg", "darken-bg&strength=0.2"].map(
		(fx) => `w=240&fx=${fx}`,
	),
};

/** The table's own examples, so that a parameter which has no sheet of its own yet is seen as well. A tile is an image of its own. */
const EXAMPLES = PARAMETER_LIST.filter(({ example }) => !example.includes("img_")).map(({ example }) => example);

/** Photographs, a transparent picture, an animation, inks instead of light, 16 bits, another profile, a turned one; beside a tall and a tiny one. */
const CORPUS = [
	...[
		"portrait_astronaut.png",
		"portrait_four_faces.jpg",
		"seg_coffee.png",
		"noface_statues.jpg",
		"seg_redpanda_clutter.jpg",
	],
	...[
		"portrait_child.jpg",
		"crowd_painted_faces.jpg",
		"face_small_sunglasses.jpg",
		"alpha.png",
		"anim_42.gif",
		"jpeg_cmyk_noprofile.jpg",
		"png16.png",
		"png_p3.png",
		"jpeg_o6_landscape.jpg",
	],
];

async function picturesOf(corpus: string | undefined): Promise<Record<string, Uint8Array<ArrayBuffer>>> {
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="600"><rect width="900" height="600" fill="#fff"/><rect x="60" y="40" width="780" height="520" fill="#28507a"/><circle cx="600" cy="260" r="150" fill="#f2b134"/><path d="M60 560 L330 250 L520 560Z" fill="#c8553d"/></svg>`;
	const pictures: Record<string, Uint8Array<ArrayBuffer>> = {
		drawn: new Uint8Array(await sharp(Buffer.from(svg)).png().toBuffer()),
	};
	const bars = (width: number, height: number) =>
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="50%" fill="#c8553d"/><rect y="50%" width="100%" height="50%" fill="#28507a"/></svg>`;
	for (const [name, width, height] of [
		["tall", 60, 1_500],
		["tiny", 3, 2],
	] as const) {
		pictures[name] = new Uint8Array(
			await sharp(Buffer.from(bars(width, height)))
				.png()
				.toBuffer(),
		);
	}
	for (const name of corpus ? CORPUS : []) pictures[name] = new Uint8Array(await readFile(join(corpus ?? "", name)));
	return pictures;
}

const folder = process.argv[2] ?? ".tmp/gallery";
await mkdir(folder, { recursive: true });
const server = await startProcess();
await server.ready();
const apiKey = /svc_sk_test_\w+/.exec(server.stdout())?.[0] ?? "";
const svc = createClient({ baseUrl: server.baseUrl, apiKey });
const images: Image[] = [];
for (const [filename, bytes] of Object.entries(await picturesOf(process.env.SVC_TEST_CORPUS))) {
	images.push(await svc.images.upload(bytes, { filename }));
}
const mark = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><text x="8" y="38" font-family="sans-serif" font-size="26" fill="#fff" opacity=".6" transform="rotate(-20 45 30)">Svc</text></svg>`;
const tile = await svc.images.upload(new Uint8Array(await sharp(Buffer.from(mark)).png().toBuffer()));
/** They need the id of an image. */
const LAYERS = {
	tile: ["1", "0.6", "0.2"].map((opacity) => `w=240&tile=${tile.id}&tile_opacity=${opacity}`),
	overlay: [
		"",
		"&overlay_at=center&overlay_w=0.8",
		"&overlay_at=top-left&overlay_opacity=0.4",
		"&radius=30&overlay_at=bottom",
	].map((more) => `w=240&overlay=${tile.id}${more}`),
};
/** A busy machine answers 503 and says when to come again. */
async function pictureAt(address: string): Promise<Uint8Array<ArrayBuffer>> {
	const answer = await fetch(address);
	if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
	const seconds = Number(answer.headers.get("retry-after"));
	if (answer.status !== 503 || !seconds) throw new Error(`${answer.status} of ${address}`);
	await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
	return await pictureAt(address);
}

const wanted = new Set(process.argv.slice(3));
for (const [name, queries] of Object.entries({ ...SHEETS, examples: EXAMPLES, ...LAYERS })) {
	if (wanted.size > 0 && !wanted.has(name)) continue;
	const tiles = [];
	for (const image of images) {
		for (const query of queries) {
			tiles.push({ bytes: await pictureAt(`${image.url}?${query}`), caption: query.replace(tile.id, "…") });
		}
	}
	await writeFile(join(folder, `${name}.png`), await sheet(tiles, queries.length));
}
await server.stop();
await removeData(server.dataDir);
