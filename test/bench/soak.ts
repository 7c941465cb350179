import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { corpus, corpusNames } from "../support/corpus.ts";
import { noise, plain } from "../support/pictures.ts";
import { megabytes, printTable, residentOf, spreadOf, verdict } from "./measure.ts";
import { pictureNote } from "./pictures.ts";
import { startBenchService } from "./service.ts";
import { soakAddresses } from "./soak-forms.ts";

/*
 * Whether memory grows with the number of renditions: `bun test/bench/soak.ts [renditions]`. All kinds of parameters on all kinds of
 * pictures, each at an address of its own, a few at a time. While it works, memory swings by hundreds of megabytes with the pictures
 * that happen to meet: the median of a thousand renditions is compared with that of another thousand, and rest with rest.
 */

const RENDITIONS = Number(process.argv[2] ?? 10_000);
const STAGE = Math.min(1_000, Math.floor(RENDITIONS / 3));
const AT_ONCE = 3;
const MOST_GROWTH = 0.1;
const SAMPLE_EVERY_MS = 100;
/** Garbage collectors and allocators give back within seconds what they give back at all; the lowest of these samples is taken. */
const REST_MS = 8_000;

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
	for (const name of await corpusNames()) files[name] = new Blob([await corpus(name)]);
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

/** Samples of the resident memory while something goes on. */
async function sampled(work: Promise<unknown>): Promise<readonly number[]> {
	const samples: number[] = [];
	let working = true;
	const sampling = (async () => {
		while (working) {
			samples.push((await residentOf(service.pid)).now);
			await Bun.sleep(SAMPLE_EVERY_MS);
		}
	})();
	try {
		await work;
	} finally {
		working = false;
		await sampling;
	}
	return samples;
}

/** Of one stage: up to how many renditions, and the memory meanwhile and afterwards. */
interface Stage {
	readonly done: number;
	/** The median. */
	readonly working: number;
	readonly most: number;
	/** The least. */
	readonly idle: number;
}

async function stage(from: number): Promise<Stage> {
	const done = Math.min(from + STAGE, RENDITIONS);
	const working = spreadOf(await sampled(render(done - from)));
	const idle = spreadOf(await sampled(Bun.sleep(REST_MS)));
	const one: Stage = { done, working: working.median, most: working.max, idle: idle.min };
	console.log(`${done}: ${megabytes(one.working)} (most ${megabytes(one.most)}), idle ${megabytes(one.idle)}`);
	return one;
}

console.log(`${pictureNote} ${images.length} pictures. Before: ${megabytes((await residentOf(service.pid)).now)}.`);
const stages: Stage[] = [];
for (let done = 0; done < RENDITIONS; done += STAGE) stages.push(await stage(done));

type Kind = "working" | "idle";

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const growth = (from: number, to: number) => to / from - 1;
const [first, second] = stages;
const last = stages.at(-1);
/** The garbage collector comes round once in some thousand renditions, and memory falls with it: stages on either side of the middle. */
const span = Math.floor((stages.length - 1) / 2);
const [early, late] = [stages.slice(1, 1 + span), stages.slice(-span)];
const between = (kind: Kind) => growth(mean(early.map((one) => one[kind])), mean(late.map((one) => one[kind])));
const alone = (kind: Kind, from: Stage | undefined) => growth(from?.[kind] ?? Number.NaN, last?.[kind] ?? Number.NaN);
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const judged = (share: number) => `${percent(share)}: ${verdict(share < MOST_GROWTH)} (< ${percent(MOST_GROWTH)})`;
printTable(
	"Resident memory of the service",
	["renditions", "working, median", "most", "idle"],
	stages.map(({ done, working, most, idle }) => [String(done), ...[working, most, idle].map(megabytes)]),
);
const made = await service.metric("svc_cdn_render_seconds_count");
const others = [...failures].map(([what, count]) => `${count} × ${what}`).join(", ") || "none";
console.log(`\nMade: ${made}. Not 200: ${others}.`);
console.log(
	`From ${span} stages after the first to the last ${span}: working ${judged(between("working"))}, idle ${judged(between("idle"))}.`,
);
console.log(
	`From one stage to another: working, second to last ${percent(alone("working", second))}; idle, first to last ${percent(alone("idle", first))}.`,
);
console.log(`Peak: ${megabytes((await residentOf(service.pid)).peak)}.`);
