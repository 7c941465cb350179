import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { pictureNote, twelveMegapixels } from "../pictures.ts";
import { type BenchService, startBenchService } from "../service.ts";
import { CONTENT_TYPES, fourTimes, OUTPUTS, type Output } from "../transform-cases.ts";
import { startImagor } from "./imagor.ts";
import { startImgproxy } from "./imgproxy.ts";
import { startIpx } from "./ipx.ts";
import { startOximg } from "./oximg.ts";
import { bytesOf, disposing, type RenditionPeer, type Row, type Scene, type Side } from "./peer.ts";

/* Renditions that were never asked for before, and what a picture costs from its upload on. */

const WIDEST = 512;
const NARROWEST = 400;
const BEST_QUALITY = 80;
/** An App that shows its pictures by width has none made in other sizes after a while. */
const PICTURES_BEFORE = 16;
/** Of pages with several sizes of one picture. */
const LIFE_WIDTHS = [320, 480, 640, 800, 1_000, 1_200] as const;

const PEERS = { imgproxy: startImgproxy, imagor: startImagor, ipx: startIpx, oximg: startOximg };
type Peers = ReadonlyMap<string, RenditionPeer>;

interface Master {
	readonly name: string;
	readonly path: string;
	readonly bytes: Buffer<ArrayBuffer>;
}

/** All sides get the same addresses, each of them once. */
function formOf(turn: number): { readonly width: number; readonly quality: number } {
	const widths = WIDEST - NARROWEST + 1;
	return { width: WIDEST - (turn % widths), quality: BEST_QUALITY - Math.floor(turn / widths) };
}

async function masters(folder: string): Promise<Master[]> {
	const camera = await twelveMegapixels();
	const resized = async (width: number, height?: number) => {
		const image = sharp(camera).autoOrient().resize(width, height).jpeg({ quality: 90 });
		return (await image.toBuffer()) as Buffer<ArrayBuffer>;
	};
	const made = [
		["1.2 MP", await resized(1_280)],
		["2 MP", await resized(1_632)],
		["3 MP", await resized(2_048)],
		["2048²", await resized(2_048, 2_048)],
		["12 MP", camera],
		["48 MP", await fourTimes()],
	] as const;
	return await Promise.all(
		made.map(async ([name, bytes], place) => {
			const path = join(folder, `${place}.jpg`);
			await writeFile(path, bytes);
			return { name, path, bytes };
		}),
	);
}

export async function pictureScene(): Promise<Scene> {
	await using open = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
	open.defer(() => rm(folder, { recursive: true }));
	const all = await masters(folder);
	const service = open.use(await startBenchService());
	const peers = new Map<string, RenditionPeer>();
	const paths = all.map(({ path }) => path);
	for (const [name, start] of Object.entries(PEERS)) {
		const peer = await start(paths);
		if (peer) peers.set(name, open.use(peer));
	}
	const rows: Row[] = [];
	await settle(service);
	for (const master of all) rows.push(...(await coldRows(service, peers, master)));
	rows.push(...all.filter(({ name }) => /2048|12/.test(name)).map((master) => lifeRow(service, peers, master)));
	return {
		title: "Pictures",
		rows,
		settings: [
			pictureNote,
			`JPEGs as masters, ${NARROWEST} to ${WIDEST} pixels wide, qualities from ${BEST_QUALITY} down; masters were uploaded a while before, and the renditions of one follow each other.`,
			`${PICTURES_BEFORE} small pictures were uploaded before, of which nobody asked for a size: m and l are made ahead no more.`,
			"Efforts: those of the service in imgproxy, and in imagor for AVIF; imagor's own for WebP, and those of ipx and oximg.",
			`A life: the upload and all that follows it, ${LIFE_WIDTHS.length} widths in WebP and one in JPEG; the others only read a file.`,
		],
		[Symbol.asyncDispose]: disposing(open),
	};
}

async function settle(service: BenchService): Promise<void> {
	const one = await sharp({ create: { width: 64, height: 64, channels: 3, background: "teal" } })
		.png()
		.toBuffer();
	for (let turn = 0; turn < PICTURES_BEFORE; turn++)
		await service.upload(new Blob([new Uint8Array(one)]), `${turn}.png`);
}

async function coldRows(service: BenchService, peers: Peers, master: Master): Promise<Row[]> {
	const { url } = await service.upload(new Blob([master.bytes]), "picture.jpg");
	return OUTPUTS.map((output) => {
		const svc = side(service.pid, (turn) => {
			const { width, quality } = formOf(turn);
			return typedBytes(`${url}?format=${output}&w=${width}&q=${quality}`, output);
		});
		const others = sidesOf(writing(peers, [output]), (peer, turn) => {
			const { width, quality } = formOf(turn);
			return typedBytes(peer.addressOf(master.path, output, width, quality), output);
		});
		return { name: `${master.name} to ${output}`, atOnce: 1, sides: { ...others, svc } };
	});
}

function lifeRow(service: BenchService, peers: Peers, { name, path, bytes }: Master): Row {
	const forms = [...LIFE_WIDTHS.map((width) => ["webp", width] as const), ["jpg", WIDEST] as const];
	const svc = side(service.pid, async (turn) => {
		// Another file each time: what follows a picture does not count as a part of it.
		const { url } = await service.upload(new Blob([bytes, `${turn}`]), "picture.jpg");
		return await summed(
			forms.map(([output, width]) => [`${url}?format=${output}&w=${width}&q=${BEST_QUALITY}`, output]),
		);
	});
	const others = sidesOf(writing(peers, ["webp", "jpg"]), (peer) =>
		summed(forms.map(([output, width]) => [peer.addressOf(path, output, width, BEST_QUALITY), output])),
	);
	return { name: `life of ${name}`, atOnce: 1, sides: { ...others, svc } };
}

/** Those that write all of these formats. */
function writing(peers: Peers, outputs: readonly Output[]): Peers {
	return new Map([...peers].filter(([, peer]) => outputs.every((one) => !peer.outputs || peer.outputs.includes(one))));
}

async function summed(addresses: readonly (readonly [string, Output])[]): Promise<number> {
	let sum = 0;
	for (const [address, output] of addresses) sum += await typedBytes(address, output);
	return sum;
}

function sidesOf(peers: Peers, ask: (peer: RenditionPeer, turn: number) => Promise<number>): Record<string, Side> {
	return Object.fromEntries([...peers].map(([name, peer]) => [name, side(peer.pid, (turn) => ask(peer, turn))]));
}

function side(pid: number, ask: Side["ask"]): Side {
	return { pid, ask };
}

/** @throws Error for a picture of another format */
async function typedBytes(address: string, output: Output): Promise<number> {
	return await bytesOf(address, { headers: { Accept: CONTENT_TYPES[output] } }, CONTENT_TYPES[output]);
}
