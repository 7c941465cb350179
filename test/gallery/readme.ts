/* Makes the picture in the README: one drawn scene, stored in the real service, and what its address turns into. */
import { writeFile } from "node:fs/promises";
import { createClient } from "@svc/sdk/client";
import sharp from "sharp";
import { removeData, startProcess } from "../support/process.ts";

const SCENE = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1067" viewBox="0 0 1600 1067">
<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#1b2a5c"/><stop offset=".55" stop-color="#d9667b"/><stop offset="1" stop-color="#ffd9a0"/></linearGradient>
<linearGradient id="sea" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#f2a07b"/><stop offset="1" stop-color="#233a66"/></linearGradient></defs>
<rect width="1600" height="1067" fill="url(#sky)"/><circle cx="1080" cy="560" r="120" fill="#fff2c9"/>
<path d="M0 620 L260 380 L430 560 L620 330 L900 640 L1180 520 L1600 660 V700 H0Z" fill="#463463"/>
<path d="M0 660 L210 560 L480 650 L760 590 L1120 670 L1600 620 V760 H0Z" fill="#2c2350"/>
<rect y="700" width="1600" height="367" fill="url(#sea)"/>
<g fill="#ffe9b8" opacity=".55"><rect x="960" y="715" width="240" height="9"/><rect x="990" y="745" width="180" height="8"/><rect x="940" y="780" width="280" height="8"/><rect x="1010" y="820" width="150" height="7"/></g>
<path d="M300 820 h330 l-50 70 h-230z" fill="#1a1633"/><path d="M455 520 v300 M455 530 l150 270 h-150z M440 560 l-110 240 h110z" fill="#f6efe2" stroke="#1a1633" stroke-width="8"/>
</svg>`;

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
const scene = await sharp(Buffer.from(SCENE)).jpeg({ quality: 92 }).toBuffer();
const image = await createClient({ baseUrl: server.baseUrl, apiKey }).images.upload(scene, { filename: "harbour.jpg" });

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
