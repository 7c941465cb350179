import { readdir } from "node:fs/promises";
import type { Image } from "@svc/sdk/types";
import sharp from "sharp";
import { corpus, corpusDir } from "../support/corpus.ts";
import { noise, plain } from "../support/pictures.ts";
import { megabytes, printTable, residentOf, verdict } from "./measure.ts";
import { pictureNote } from "./pictures.ts";
import { startBenchService } from "./service.ts";
import { soakAddresses } from "./soak-forms.ts";

/*
 * Whether memory grows with the number of renditions: `bun test/bench/soak.ts [renditions]`. All kinds of parameters on all kinds of
 * pictures, each at an address of its own, a few at a time.
 */

const RENDITIONS = Number(process.argv[2] ?? 10_000);
const FIRST = Math.min(1_000, RENDITIONS / 2);
const AT_ONCE = 3;
const MOST_GROWTH = 0.1;
/** What a garbage collector and an allocator give back, they have given back by then. */
const SETTLING_MS = 3_000;

await using service = await startBenchService();

async function generated(): Promise<Record<string, Blob>> {
	const photo = await noise(1_600, 1_200);
	const frames = [0, 80, 160, 240].map((left) => sharp(photo).extract({ left, top: 0, width: 320, height: 240 }).png());
	const strip = sharp(await Promise.all(frames.map((frame) => frame.toBuffer())), { join: { animated: true } });
	const clear = await sharp(photo).resize(900).ensureAlpha(0.5).png().toBuffer();
	const files: Record<string, Uint8Array> = {
		"photo.jpg": photo,
		"large.jpg": await noise(3_000, 2_000),
		"clear.png": clear,
		"picture.webp": await sharp(clear).webp().toBuffer(),
		"picture.avif": await sharp(photo).resize(700).avif({ effort: 0 }).toBuffer(),
		"moving.gif": await strip.clone().gif().toBuffer(),
		"moving.webp": await strip.clone().webp().toBuffer(),
	};
	return Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, new Blob([new Uint8Array(bytes)])]));
}

/** All that the service takes. */
async function uploadAll(): Promise<Image[]> {
	const files = await generated();
	for (const name of corpusDir ? await readdir(corpusDir) : []) files[name] = new Blob([await corpus(name)]);
	const images: Image[] = [];
	for (const [name, file] of Object.entries(files)) {
		const answer = await service.send(file, name);
		if (answer.status === 201) images.push((await answer.json()) as Image);
		else await answer.arrayBuffer();
	}
	return images;
}

const images = await uploadAll();
const { id: tile } = await service.upload(new Blob([await plain(60, 40)]), "tile.png");
const addresses = soakAddresses(
	images.map(({ url }) => url),
	tile,
);
const failures = new Map<string, number>();

async function render(count: number): Promise<void> {
	let left = count;
	const loop = async () => {
		while (left-- > 0) {
			const address = addresses.next().value;
			const answer = await fetch(address);
			await answer.arrayBuffer();
			if (answer.status === 200) continue;
			failures.set(`${answer.status}`, (failures.get(`${answer.status}`) ?? 0) + 1);
			// A machine that others use as well may be too busy for a moment.
			if (answer.status === 503) await Bun.sleep(Number(answer.headers.get("retry-after")) * 1_000);
			else console.log(`${answer.status} ${address}`);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, loop));
}

async function resident(): Promise<number> {
	await Bun.sleep(SETTLING_MS);
	return (await residentOf(service.pid)).now;
}

console.log(`${pictureNote} ${images.length} pictures.`);
const rows: string[][] = [["0", megabytes(await resident()), ""]];
await render(FIRST);
const first = await resident();
let last = first;
rows.push([String(FIRST), megabytes(first), "1.00"]);
for (let done = FIRST; done < RENDITIONS; done += FIRST) {
	await render(Math.min(FIRST, RENDITIONS - done));
	last = await resident();
	rows.push([String(Math.min(done + FIRST, RENDITIONS)), megabytes(last), (last / first).toFixed(2)]);
}
printTable("Resident memory of the service, idle", ["renditions", "memory", "of the first"], rows);
const growth = last / first - 1;
const made = await service.metric("svc_cdn_render_seconds_count");
const others = [...failures].map(([what, count]) => `${count} × ${what}`).join(", ") || "none";
console.log(`\nMade: ${made}. Not 200: ${others}.`);
console.log(`Growth: ${(growth * 100).toFixed(1)} %: ${verdict(growth < MOST_GROWTH)} (< ${MOST_GROWTH * 100} %).`);
console.log(`Peak: ${megabytes((await residentOf(service.pid)).peak)}.`);
