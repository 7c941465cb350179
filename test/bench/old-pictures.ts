import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import type { BareRenders } from "./bare-sharp.ts";
import { startChild } from "./child.ts";
import { familyCpuSeconds, interleaved, printTable, ratioOf, shown, spreadOf } from "./measure.ts";
import { startImgproxy } from "./peers/imgproxy.ts";
import { bytesOf, type RenditionPeer } from "./peers/peer.ts";
import { pictureNote, twelveMegapixels } from "./pictures.ts";
import { startBenchService } from "./service.ts";
import { CONTENT_TYPES, type Output } from "./transform-cases.ts";

/*
 *   bun test/bench/old-pictures.ts [part of a row's name] [rounds]
 *
 * What one rendition of an old picture costs, whose smaller copies have left the cache: processor time of all processes until they are quiet
 * again, as ratios to the same of imgproxy, where it is on the PATH, and of the bare library call, which does not keep anything either.
 */

const [part = "", rounds = "5"] = process.argv.slice(2);
/** Each in one round. */
const PICTURES = 6;
/** Uploaded after them, so that their copies have to leave. */
const LATER = 4;
/** Less than the copies of these take. */
const CACHE_BYTES = "1200000";
const WIDTH = 600;
const QUALITY = 80;
const QUIET_MS = 400;
const FORMATS = ["jpg", "webp"] as const;
const PEERS: Readonly<Record<string, (files: readonly string[]) => Promise<RenditionPeer | undefined>>> = {
	imgproxy: startImgproxy,
};

interface Old {
	readonly name: string;
	readonly path: string;
	readonly bytes: Buffer<ArrayBuffer>;
}

await using open = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
open.defer(() => rm(folder, { recursive: true }));
const camera = await twelveMegapixels();
const square = (await sharp(camera)
	.autoOrient()
	.resize(2_048, 2_048)
	.jpeg({ quality: 90 })
	.toBuffer()) as typeof camera;
const all: readonly Old[] = [
	{ name: "12 MP", path: join(folder, "0.jpg"), bytes: camera },
	{ name: "2048²", path: join(folder, "1.jpg"), bytes: square },
];
for (const { path, bytes } of all) await writeFile(path, bytes);

const service = open.use(await startBenchService({ SVC_CACHE_MAX_BYTES: CACHE_BYTES }));
const bare = open.use(startChild("./bare-sharp.ts"));
const peers = new Map<string, RenditionPeer>();
for (const [name, start] of Object.entries(PEERS)) {
	const peer = await start(all.map(({ path }) => path));
	if (peer) peers.set(name, open.use(peer));
}

let uploads = 0;
async function uploaded({ bytes }: Old): Promise<string> {
	return (await service.upload(new Blob([bytes, `${uploads++}`]), "picture.jpg")).url;
}

async function quiet(pid: number): Promise<void> {
	for (let before = -1, now = await familyCpuSeconds(pid); now !== before; ) {
		await Bun.sleep(QUIET_MS);
		[before, now] = [now, await familyCpuSeconds(pid)];
	}
}

async function spent(pid: number, work: () => Promise<unknown>): Promise<number> {
	await quiet(pid);
	const before = await familyCpuSeconds(pid);
	await work();
	await quiet(pid);
	return ((await familyCpuSeconds(pid)) - before) / PICTURES;
}

/** Other widths in each round, so that nothing was made before. */
function widthsOf(round: number): readonly number[] {
	return Array.from({ length: PICTURES }, (_, place) => WIDTH - place - round * PICTURES);
}

async function measured(old: Old, format: Output): Promise<string[]> {
	const type = CONTENT_TYPES[format];
	const sides: Record<string, (round: number) => Promise<number>> = {
		svc: async (round) => {
			const urls: string[] = [];
			for (let place = 0; place < PICTURES; place++) urls.push(await uploaded(old));
			for (let place = 0; place < LATER; place++) await uploaded(old);
			return await spent(service.pid, async () => {
				for (const [place, width] of widthsOf(round).entries())
					await bytesOf(`${urls[place]}?format=${format}&w=${width}&q=${QUALITY}`, {}, type);
			});
		},
		sharp: (round) => {
			const forms = widthsOf(round).map((w) => ({ w, q: QUALITY }));
			const question: BareRenders = { path: old.path, format, animated: false, encoder: "ours", forms };
			return spent(bare.pid, () => bare.ask(question));
		},
	};
	for (const [name, peer] of peers)
		sides[name] = (round) =>
			spent(peer.pid, async () => {
				for (const width of widthsOf(round)) await bytesOf(peer.addressOf(old.path, format, width, QUALITY), {}, type);
			});
	const seconds = await interleaved(Number(rounds) + 1, sides);
	// The first round compiles.
	const of = (side: string) => (seconds[side] ?? []).slice(1);
	const others = [...peers.keys(), "sharp"].map((side) => shown(ratioOf(of("svc"), of(side))));
	return [`${old.name} to ${format}`, (spreadOf(of("svc")).median * 1_000).toFixed(0), ...others];
}

const rows: string[][] = [];
for (const old of all)
	for (const format of FORMATS) if (`${old.name} to ${format}`.includes(part)) rows.push(await measured(old, format));
const head = ["old picture, copies gone", "svc, ms", ...[...peers.keys(), "sharp"].map((name) => `svc/${name}`)];
printTable(`One rendition ${WIDTH} pixels wide of each picture, ${rounds} rounds; median (min–max)`, head, rows);
console.log(pictureNote);
