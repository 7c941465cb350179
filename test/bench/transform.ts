import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
import { pictureNote, twelveMegapixels, twoMegapixels } from "./pictures.ts";
import { startBenchService } from "./service.ts";

/*
 * Processor time of one cold rendition, from request to answer, against the bare library call. Nothing may come from the cache, so
 * every address is another: widths around 640 and qualities around 85, the same ones in the same round on every side. All widths
 * shrink by the same power of two while loading.
 */

const TARGET = 1.15;
const ROUNDS = 9;
const WIDTHS = 81;

const formAt = (place: number) => ({ w: 600 + (place % WIDTHS), q: 83 + (Math.floor(place / WIDTHS) % 5) });

function formsOf(round: number, count: number) {
	return Array.from({ length: count }, (_, place) => formAt(round * count + place));
}

/** `count` renditions per round take about a second, a hundred times what the kernel's clock can tell apart. */
const CASES = [
	{ name: "12 MP → 640 JPEG", picture: twelveMegapixels, format: "jpg", count: 14 },
	{ name: "12 MP → 640 WebP", picture: twelveMegapixels, format: "webp", count: 12 },
	{ name: "2 MP → 640 JPEG", picture: twoMegapixels, format: "jpg", count: 40 },
	{ name: "2 MP → 640 WebP", picture: twoMegapixels, format: "webp", count: 30 },
] as const;

await using service = await startBenchService();
await using bare = startChild("./bare-sharp.ts");
const folder = await mkdtemp(join(tmpdir(), "svc-bench-"));

async function cpuPerPicture(pid: number, count: number, work: () => Promise<unknown>): Promise<number> {
	const before = await cpuSeconds(pid);
	await work();
	return ((await cpuSeconds(pid)) - before) / count;
}

async function request(address: string, format: string): Promise<void> {
	const answer = await fetch(address);
	const type = answer.headers.get("content-type");
	if (!answer.ok || type !== (format === "jpg" ? "image/jpeg" : "image/webp")) {
		throw new Error(`${answer.status} ${type} for ${address}`);
	}
	await answer.arrayBuffer();
}

async function measure({ name, picture, format, count }: (typeof CASES)[number]): Promise<string[]> {
	const bytes = await picture();
	const path = join(folder, "picture.jpg");
	await writeFile(path, bytes);
	const { url } = await service.upload(new Blob([bytes]), "picture.jpg");
	const renders = (encoder: BareRenders["encoder"]) => (round: number) => {
		const question: BareRenders = { path, format, encoder, forms: formsOf(round, count) };
		return cpuPerPicture(bare.pid, count, () => bare.ask(question));
	};
	const cold = (round: number) =>
		cpuPerPicture(service.pid, count, async () => {
			// One after the other, as in the bare loop.
			for (const { w, q } of formsOf(round, count)) await request(`${url}?w=${w}&q=${q}&format=${format}`, format);
		});
	const measured = await interleaved(ROUNDS, { cold, plain: renders("plain"), ours: renders("ours") });
	// The first round compiles; its addresses are no longer cold.
	const [service_, plain, ours] = [measured.cold, measured.plain, measured.ours].map((values) => values.slice(1));
	if (!service_ || !plain || !ours) throw new Error("nothing was measured");
	const ratio = ratioOf(service_, plain);
	return [
		name,
		`${ROUNDS - 1}×${count}`,
		...[service_, plain, ours].map((seconds) => (spreadOf(seconds).median * 1_000).toFixed(1)),
		shown(ratio),
		verdict(ratio.median <= TARGET),
		shown(ratioOf(service_, ours)),
	];
}

try {
	console.log(pictureNote);
	const rows: string[][] = [];
	for (const one of CASES) rows.push(await measure(one));
	printTable(
		`Cold renditions: processor time per picture, target ≤ ${TARGET} of the plain call; median (min–max) of the rounds`,
		["", "pictures", "service ms", "plain ms", "ours ms", "service/plain", "target", "service/same encoder options"],
		rows,
	);
	const asked = CASES.reduce((sum, { count }) => sum + count * ROUNDS, 0);
	console.log(
		`\nRendered by the service: ${await service.metric("svc_cdn_render_seconds_count")} of ${asked} requests.`,
	);
	const [own, other] = await Promise.all([residentOf(service.pid), residentOf(bare.pid)]);
	console.log(`Peak memory: service ${megabytes(own.peak)}, bare loop ${megabytes(other.peak)}.`);
} finally {
	await rm(folder, { recursive: true });
}
