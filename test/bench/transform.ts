import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shrunkFactorsOf } from "@svc/images/transform/shrunk-masters";
import type { Image } from "@svc/sdk/shapes";
import type { BareRenders } from "./bare-sharp.ts";
import { startChild } from "./child.ts";
import {
	cpuSeconds,
	interleaved,
	megabytes,
	printTable,
	ratioOf,
	residentOf,
	shown,
	spreadOf,
	verdict,
} from "./measure.ts";
import { pictureNote } from "./pictures.ts";
import { startBenchService } from "./service.ts";
import { CONTENT_TYPES, formsOf, type Output, SOURCES, type Source } from "./transform-cases.ts";
import { vipsNote, vipsthumbnail } from "./vipsthumbnail.ts";

/*
 * Processor time of one rendition, from request to answer, against the bare library call and libvips' own program:
 * `bun test/bench/transform.ts [part of a source's name]`. Nothing may come from the cache when it is cold, so every address is another,
 * the same ones in the same round on every side. Masters above 4 megapixels have got their smaller copies before.
 */

const ROUNDS = 6;
/** A round of each side lasts about as long as this; the kernel's clock tells hundredths apart. */
const ROUND_SECONDS = 0.6;
const MOST_PER_ROUND = 40;
const CACHED_REQUESTS = 200;
/** AVIF against WebP, from the 12 megapixel JPEG. */
const AVIF_TARGET = 2;

await using service = await startBenchService();
await using bare = startChild("./bare-sharp.ts");
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));
let runs = 0;

async function cpuPerPicture(pid: number, count: number, work: () => Promise<unknown>): Promise<number> {
	const before = await cpuSeconds(pid);
	await work();
	return ((await cpuSeconds(pid)) - before) / count;
}

async function request(address: string, format: Output): Promise<void> {
	const answer = await fetch(address);
	const type = answer.headers.get("content-type");
	if (!answer.ok || type !== CONTENT_TYPES[format]) throw new Error(`${answer.status} ${type} for ${address}`);
	await answer.arrayBuffer();
}

/** Waits for the copies, so that no round pays for them. */
async function uploaded(source: Source, bytes: Buffer<ArrayBuffer>): Promise<Image> {
	const before = await service.metric("svc_cdn_cache_entries");
	const image = await service.upload(new Blob([bytes]), `picture.${source.extension}`);
	const due = before + shrunkFactorsOf(image).length;
	while ((await service.metric("svc_cdn_cache_entries")) < due) await Bun.sleep(50);
	return image;
}

interface Row {
	readonly source: Source;
	readonly output: Output;
	readonly path: string;
	readonly url: string;
}

async function measure({
	source,
	output,
	path,
	url,
}: Row): Promise<{ readonly cells: string[]; readonly coldMs: number }> {
	const { animated } = source;
	const renders = (encoder: BareRenders["encoder"], round: number, pictures: number) => {
		const question: BareRenders = { path, format: output, animated, encoder, forms: formsOf(round, pictures) };
		return cpuPerPicture(bare.pid, pictures, () => bare.ask(question));
	};
	const seconds = await renders("plain", ROUNDS, 2);
	const count = Math.max(1, Math.min(MOST_PER_ROUND, Math.round(ROUND_SECONDS / seconds)));
	const addresses = (round: number) => formsOf(round, count).map(({ w, q }) => `${url}?w=${w}&q=${q}&format=${output}`);
	const measured = await interleaved(ROUNDS, {
		cold: (round) =>
			cpuPerPicture(service.pid, count, async () => {
				// One after the other, as in the bare loop.
				for (const address of addresses(round)) await request(address, output);
			}),
		plain: (round) => renders("plain", round, count),
		ours: (round) => renders("ours", round, count),
		cached: (round) =>
			cpuPerPicture(service.pid, CACHED_REQUESTS, async () => {
				const known = addresses(round);
				for (let n = 0; n < CACHED_REQUESTS; n++) await request(known[n % known.length] ?? "", output);
			}),
		vips: () => vipsthumbnail({ path, format: output, animated, folder, run: runs++, count }),
	});
	// The first round compiles.
	const of = (side: keyof typeof measured) => measured[side].slice(1).map((value) => value ?? Number.NaN);
	const ratio = ratioOf(of("cold"), of("plain"));
	const target = source.targets[output];
	const ms = (side: keyof typeof measured) => (spreadOf(of(side)).median * 1_000).toFixed(1);
	const vips = measured.vips[0] === undefined ? ["–", "–"] : [ms("vips"), shown(ratioOf(of("cold"), of("vips")))];
	return {
		coldMs: spreadOf(of("cold")).median,
		cells: [
			`${source.name} → 640 ${output.toUpperCase()}`,
			`${ROUNDS - 1}×${count}`,
			ms("cold"),
			ms("plain"),
			shown(ratio),
			target === undefined ? "" : `${verdict(ratio.median <= target)} (≤ ${target})`,
			shown(ratioOf(of("cold"), of("ours"))),
			...vips,
			(spreadOf(of("cached")).median * 1_000).toFixed(2),
			shown(ratioOf(of("cached"), of("plain")), 3),
		],
	};
}

const HEAD = [
	"processor ms per picture",
	"pictures",
	"cold",
	"bare call",
	"cold/bare",
	"target",
	"cold/bare with our options",
	"vipsthumbnail",
	"cold/vipsthumbnail",
	"cached",
	"cached/bare",
];

try {
	console.log(`${pictureNote}\n${vipsNote}`);
	const rows: string[][] = [];
	const coldMs = new Map<string, number>();
	for (const source of SOURCES.filter(({ name }) => name.includes(process.argv[2] ?? ""))) {
		const bytes = await source.make();
		const path = join(folder, `${source.name.replaceAll(" ", "-")}.${source.extension}`);
		await writeFile(path, bytes);
		const { url } = await uploaded(source, bytes);
		for (const output of source.outputs) {
			const row = await measure({ source, output, path, url });
			coldMs.set(`${source.name} ${output}`, row.coldMs);
			rows.push(row.cells);
		}
	}
	printTable("Renditions at a width of 640; median (min–max) of the rounds", HEAD, rows);
	const avif = (coldMs.get("12 MP JPEG avif") ?? Number.NaN) / (coldMs.get("12 MP JPEG webp") ?? Number.NaN);
	if (avif)
		console.log(
			`\n12 MP JPEG: AVIF costs ${avif.toFixed(2)} of WebP: ${verdict(avif < AVIF_TARGET)} (< ${AVIF_TARGET}).`,
		);
	const [own, other] = await Promise.all([residentOf(service.pid), residentOf(bare.pid)]);
	console.log(`Peak memory: service ${megabytes(own.peak)}, bare loop ${megabytes(other.peak)}.`);
} finally {
	await rm(folder, { recursive: true });
}
