/* Makes the picture in the README: one drawn scene, stored in the real service, and what its address turns into. */
import { writeFile } from "node:fs/promises";
import { createClient } from "@svc/sdk/client";
import sharp from "sharp";
import { removeData, startProcess } from "../support/process.ts";
import { SCENES } from "./scenes.ts";

interface Tile {
	readonly query: string;
	readonly width: number;
	readonly height: number;
}

const TILES: readonly Tile[] = [
	{ query: "?w=360", width: 360, height: 240 },
	{ query: "?w=240&h=240&fit=cover", width: 240, height: 240 },
	{ query: "?w=240&h=240&fit=pad&background=teal", width: 240, height: 240 },
	{ query: "?rotate=90&h=240", width: 160, height: 240 },
	{ query: "?w=360&saturation=0", width: 360, height: 240 },
	{ query: "?w=240&h=240&fit=cover&gravity=left", width: 240, height: 240 },
	{ query: "?w=240&h=240&fit=cover&blur=12", width: 240, height: 240 },
	{ query: "?flip=h&rotate=90&h=240", width: 160, height: 240 },
];

const PER_ROW = 4;
const GAP = 16;
const CAPTION = 30;
const ROW = 240 + CAPTION + GAP;

// A process of its own: the service refuses SVG, which the scene and the captions are drawn in.
const server = await startProcess();
await server.ready();
const apiKey = /svc_sk_test_\w+/.exec(server.stdout())?.[0] ?? "";
const { filename, draw } = SCENES.harbour;
const image = await createClient({ baseUrl: server.baseUrl, apiKey }).images.upload(await draw(), { filename });

const layers: { input: Buffer; left: number; top: number }[] = [];
let left = GAP;
for (const [index, { query, width }] of TILES.entries()) {
	if (index % PER_ROW === 0) left = GAP;
	const top = GAP + Math.floor(index / PER_ROW) * ROW;
	const rendition = await fetch(image.url + query);
	const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${CAPTION}"><text x="0" y="19" font-family="monospace" font-size="10.5" fill="#556">${query.replaceAll("&", "&amp;")}</text></svg>`;
	layers.push({
		input: await sharp(Buffer.from(await rendition.arrayBuffer()))
			.png()
			.toBuffer(),
		left,
		top,
	});
	layers.push({ input: Buffer.from(text), left, top: top + 240 });
	left += width + GAP;
}
const sheet = sharp({ create: { width: left, height: 2 * ROW + GAP, channels: 3, background: "#ffffff" } });
const target = new URL("../../.github/transforms.webp", import.meta.url);
await writeFile(target, await sheet.composite(layers).webp({ quality: 82 }).toBuffer());
await server.stop();
await removeData(server.dataDir);
