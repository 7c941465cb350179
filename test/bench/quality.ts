import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { printTable } from "./measure.ts";
import { startImagor } from "./peers/imagor.ts";
import { startImgproxy } from "./peers/imgproxy.ts";
import { startIpx } from "./peers/ipx.ts";
import { startOximg } from "./peers/oximg.ts";
import type { RenditionPeer } from "./peers/peer.ts";
import { type Judged, judgedPictures } from "./quality/pictures.ts";
import { startScorer } from "./quality/score.ts";
import { startBenchService } from "./service.ts";
import { CONTENT_TYPES, OUTPUTS, type Output } from "./transform-cases.ts";

/*
 *   bun test/bench/quality.ts [formats, or "all"] [widths] [every nth picture] [gamma|linear]
 *
 * Bytes, and how much a rendition looks like its master. A curve through three qualities of the service says how many bytes it takes for the
 * score of each other program at its own default quality: below 1 it takes fewer here. Missing programs are left out.
 */

const [formats = "all", widths = "320,640,1280", nth = "1", reference = "gamma"] = process.argv.slice(2);
const outputs = formats === "all" ? OUTPUTS : OUTPUTS.filter((one) => formats.split(",").includes(one));
/** They surround what anybody's default looks like. */
const CURVE: Readonly<Record<Output, readonly number[]>> = {
	jpg: [60, 76, 88],
	webp: [55, 74, 88],
	avif: [40, 57, 74],
};

/** One rendition as it was judged. */
interface Point {
	readonly bytes: number;
	readonly score: number;
}

await using scorer = await startScorer(reference === "linear" ? "linear" : "gamma");
if (!scorer) throw new Error("MISSING: ssimulacra2_rs is not on the PATH; cargo install ssimulacra2_rs");
const { score } = scorer;
const { there, missing } = await judgedPictures();
const pictures = there.filter((_, place) => place % Number(nth) === 0);
await using open = new AsyncDisposableStack();
const folder = await mkdtemp(join(tmpdir(), "svc-quality-"));
open.defer(() => rm(folder, { recursive: true }));
const paths = pictures.map((_, place) => join(folder, `${place}`));
await Promise.all(pictures.map(({ bytes }, place) => writeFile(paths[place] ?? "", bytes)));
const service = open.use(await startBenchService());
const peers = new Map<string, RenditionPeer>();
const STARTS = {
	imgproxy: () => startImgproxy(paths, "own"),
	"imgproxy, equal efforts": () => startImgproxy(paths),
	imagor: () => startImagor(paths, "own"),
	"imagor, equal efforts": () => startImagor(paths),
	ipx: () => startIpx(paths),
	oximg: () => startOximg(paths),
};
for (const [name, start] of Object.entries(STARTS)) {
	const peer = await start();
	if (peer) peers.set(name, open.use(peer));
}

/** By program, or by what was asked of the service. */
const points = new Map<string, Point[]>();
const ratios = new Map<string, number[]>();
for (const [place, picture] of pictures.entries()) await judge(picture, paths[place] ?? "");
for (const output of outputs) {
	const rows = [...points].flatMap(([key, judged]) => {
		const [format, name = ""] = key.split(" · ");
		if (format !== output) return [];
		const bytes = (
			meanOf(
				judged.map((one) => Math.log(one.bytes)),
				Math.exp,
			) / 1_000
		).toFixed(1);
		const mean = meanOf(judged.map((one) => one.score)).toFixed(1);
		const beside = ratios.get(key)?.toSorted((one, other) => one - other) ?? [];
		const spread = `${beside[0]?.toFixed(2)}–${beside.at(-1)?.toFixed(2)}`;
		const ratio = beside.length > 0 ? `${meanOf(beside.map(Math.log), Math.exp).toFixed(3)} (${spread})` : "";
		const cells = beside.length > 0 ? `${beside.length} of ${judged.length}` : String(judged.length);
		return [[name, bytes, mean, ratio, cells]];
	});
	printTable(output, ["", "KB", "score", "svc/it, bytes at its score", "cells"], rows);
}
console.log(
	`${pictures.length} pictures, ${widths} pixels wide where they are wider; score: SSIMULACRA2, reference in ${reference}.`,
);
if (missing.length > 0) console.log(`MISSING, and left out: ${missing.join(", ")}`);

async function judge({ name, bytes }: Judged, path: string): Promise<void> {
	const { url } = await service.upload(new Blob([new Uint8Array(bytes)]), `${name.replaceAll(/\W/g, "-")}.jpg`);
	const { autoOrient } = await sharp(bytes).metadata();
	for (const width of widths
		.split(",")
		.map(Number)
		.filter((one) => one <= autoOrient.width)) {
		for (const output of outputs) {
			const asked = (rest: string) => pointOf(bytes, `${url}?w=${width}&format=${output}${rest}`, output);
			note(points, `${output} · svc`, await asked(""));
			note(points, `${output} · svc, q=auto`, await asked("&q=auto"));
			const curve: Point[] = [];
			for (const quality of CURVE[output]) curve.push(await asked(`&q=${quality}`));
			for (const [peer, { addressOf }] of writing(output)) {
				const point = await pointOf(bytes, addressOf(path, output, width), output);
				note(points, `${output} · ${peer}`, point);
				noteRatio(`${output} · ${peer}`, bytesAt(point.score, curve), point.bytes);
			}
		}
	}
}

function noteRatio(key: string, own: number | undefined, bytes: number): void {
	if (own !== undefined) note(ratios, key, own / bytes);
}

function note<Value>(notes: Map<string, Value[]>, key: string, value: Value): void {
	notes.set(key, [...(notes.get(key) ?? []), value]);
}

function writing(output: Output) {
	return [...peers].filter(([, { outputs: written = OUTPUTS }]) => written.includes(output));
}

async function pointOf(master: Uint8Array, address: string, output: Output): Promise<Point> {
	const answer = await fetch(address, { headers: { Accept: CONTENT_TYPES[output] } });
	if (!answer.ok || answer.headers.get("content-type") !== CONTENT_TYPES[output]) {
		throw new Error(`${answer.status} ${answer.headers.get("content-type")} of ${address}`);
	}
	const bytes = new Uint8Array(await answer.arrayBuffer());
	return { bytes: bytes.length, score: await score(master, bytes) };
}

/** Bytes at a score, by the parabola of their logarithm through three points; undefined beyond them, and where a better quality does not score better. */
function bytesAt(at: number, curve: readonly Point[]): number | undefined {
	const scores = curve.map((one) => one.score);
	const isRising = scores.every((score, place) => place === 0 || score > (scores[place - 1] ?? score) + 1);
	if (!isRising || at < Math.min(...scores) || at > Math.max(...scores)) return undefined;
	const logarithm = curve.reduce((sum, point) => {
		const others = curve.filter((one) => one !== point);
		const share = others.reduce((product, one) => product * ((at - one.score) / (point.score - one.score)), 1);
		return sum + share * Math.log(point.bytes);
	}, 0);
	return Math.exp(logarithm);
}

function meanOf(values: readonly number[], shown = (value: number) => value): number {
	return shown(values.reduce((sum, value) => sum + value, 0) / values.length);
}
