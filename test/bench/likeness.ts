import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import {
	apart,
	bandsOf,
	GREY_SIDE,
	HASH_BOUND,
	isAlike,
	isRich,
	likenessOf,
} from "@svc/images/transform/looks/likeness";
import { wholeOf } from "@svc/imaging/kept/copies";
import { overviewOf } from "@svc/imaging/kept/looks";
import { sharp } from "@svc/imaging/sharp-settings";
import { printTable } from "./measure.ts";

/*
 *   bun test/bench/likeness.ts <folder of photographs>… [--blocked 1000] [--others 10000] [--changed 400]
 *
 * How well pictures are told from one another by their likeness (docs/decisions/0204). All photographs of the folders are cut into windows that do not overlap; of
 * those that have enough detail some are blocked, and the others come as they are: each pair of the two is a chance for a false alarm. Then some of the blocked
 * ones come back changed. What is looked at of a window is what the service looks at of an upload of it.
 */

const WINDOW = { width: 160, height: 120 } as const;
/** Three in a hundred of its sides. */
const CUT = { across: 5, down: 4 } as const;

type Grey = Uint8Array;

const COSINES = Array.from({ length: 9 }, (_, waves) =>
	Array.from({ length: GREY_SIDE }, (__, at) => Math.cos((Math.PI * waves * (at + 0.5)) / GREY_SIDE)),
);

/** Ways to a hash of 64 bits, of which the service has the last one. */
const HASHES: Readonly<Record<string, (grey: Grey) => readonly number[]>> = {
	"mean hash": (grey) => {
		const small = shrunk(grey, 8, 8);
		const mean = small.reduce((sum, value) => sum + value, 0) / small.length;
		return wordsOf(small.map((value) => value > mean));
	},
	"DCT hash": (grey) => {
		const waves = lowWaves(grey, 8);
		const median = waves.toSorted((one, other) => one - other)[waves.length / 2] ?? 0;
		return wordsOf(waves.map((wave) => wave > median));
	},
	"difference hash, to the right": (grey) => {
		const small = shrunk(grey, 9, 8);
		const places = Array.from({ length: 64 }, (_, at) => Math.floor(at / 8) * 9 + (at % 8));
		return wordsOf(places.map((at) => (small[at] ?? 0) < (small[at + 1] ?? 0)));
	},
	"difference hash, right and below": bandsOf,
};
const BOUNDS = [6, 9, 11, HASH_BOUND] as const;

const CHANGES: Readonly<Record<string, (window: Buffer) => Promise<Buffer>>> = {
	q60: (window) => sharp(window).jpeg({ quality: 60 }).toBuffer(),
	halved: (window) =>
		sharp(window)
			.resize(WINDOW.width / 2)
			.jpeg({ quality: 85 })
			.toBuffer(),
	"3 % cut off two sides": (window) => cropped(window, { left: CUT.across, top: CUT.down, right: 0, bottom: 0 }),
	"3 % cut off each side": (window) =>
		cropped(window, { left: CUT.across, top: CUT.down, right: CUT.across, bottom: CUT.down }),
	"small logo": (window) => sharp(window).composite([logo()]).jpeg({ quality: 85 }).toBuffer(),
	"larger by a half": (window) =>
		sharp(window)
			.resize(WINDOW.width * 1.5)
			.jpeg({ quality: 85 })
			.toBuffer(),
	"as WebP": (window) => sharp(window).webp({ quality: 70 }).toBuffer(),
	lighter: (window) => sharp(window).modulate({ brightness: 1.15 }).jpeg({ quality: 85 }).toBuffer(),
};

const given = process.argv.slice(2);
const folders = given.filter((word, place) => !word.startsWith("--") && !given[place - 1]?.startsWith("--"));
const [blockedMax, othersMax, changedMax] = [count("blocked", 1_000), count("others", 10_000), count("changed", 400)];

const photographs = (await Promise.all(folders.map(filesOf))).flat().sort();
const windows: { readonly grey: Grey; readonly jpeg: Buffer }[] = [];
let plain = 0;
let used = 0;
for (const path of photographs) {
	const before = windows.length;
	for await (const window of windowsOf(path)) {
		const grey = await seenOf(window);
		if (grey === null) plain++;
		else windows.push({ grey, jpeg: window });
	}
	if (windows.length > before) used++;
}
if (windows.length === 0) throw new Error("no photograph in these folders can be cut into windows");
// Every so many, so that each photograph has some among both.
const distinct = windows.filter(({ grey }) => isRich(grey));
const stride = Math.max(2, Math.floor(distinct.length / blockedMax));
const blocked = distinct.filter((_, place) => place % stride === 0).slice(0, blockedMax);
const others = windows.filter((window) => !blocked.includes(window)).slice(0, othersMax);
console.log(
	`${windows.length} windows of ${WINDOW.width}×${WINDOW.height} from ${used} photographs; ${plain} more have too little detail`,
);
const strangers = Math.min(othersMax, others.length + plain);
console.log(
	`${blocked.length} blocked, ${strangers} others, of which ${others.length} have enough detail to be compared: ${blocked.length * strangers} pairs\n`,
);

const changed = blocked.filter((_, place) => place % Math.ceil(blocked.length / changedMax) === 0);
const back: Record<string, readonly (readonly [was: Grey, is: Grey | null])[]> = {};
for (const [name, change] of Object.entries(CHANGES)) {
	const pairs: [Grey, Grey | null][] = [];
	for (const { grey, jpeg } of changed) pairs.push([grey, await seenOf(await change(jpeg))]);
	back[name] = pairs;
}

const rows: string[][] = [];
for (const [name, hash] of Object.entries(HASHES)) {
	const [ofBlocked, ofOthers] = [blocked.map(({ grey }) => hash(grey)), others.map(({ grey }) => hash(grey))];
	const distances = new Array<number>(65).fill(0);
	for (const one of ofBlocked)
		for (const other of ofOthers) {
			const far = apart(one, other);
			distances[far] = (distances[far] ?? 0) + 1;
		}
	for (const bound of BOUNDS) {
		const near = distances.slice(0, bound + 1).reduce((sum, number) => sum + number, 0);
		const found = Object.values(back).map((pairs) =>
			percent(pairs, ([was, is]) => is !== null && apart(hash(was), hash(is)) <= bound),
		);
		rows.push([name, String(bound), String(near), ...found]);
	}
}
printTable(
	"Hashes: pairs of different pictures within a bound, and changed ones found",
	["hash", "bound", "pairs near", ...Object.keys(CHANGES)],
	rows,
);

const hashes = new Map(others.map((window) => [window, bandsOf(window.grey)] as const));
const alarms: number[] = [];
let compared = 0;
const started = performance.now();
for (const one of blocked) {
	const hash = bandsOf(one.grey);
	for (const other of others) {
		if (apart(hash, hashes.get(other) ?? []) > HASH_BOUND) continue;
		compared++;
		const alike = likenessOf(one.grey, other.grey);
		if (isAlike(one.grey, other.grey, alike)) alarms.push(alike.details);
	}
}
const took = performance.now() - started;
console.log(`\nof ${compared} pairs within ${HASH_BOUND} of each other, ${alarms.length} are alike`);
console.log(
	`the most alike ones: ${
		alarms
			.sort((one, other) => other - one)
			.slice(0, 12)
			.map((alike) => alike.toFixed(3))
			.join(" ") || "none"
	}`,
);
console.log(`${(took / Math.max(1, compared)).toFixed(2)} ms a comparison\n`);
printTable(
	"What comes back and is found",
	["by", ...Object.keys(CHANGES)],
	[
		[
			`hash within ${HASH_BOUND}, and alike`,
			...Object.values(back).map((pairs) =>
				percent(
					pairs,
					([was, is]) =>
						is !== null && apart(bandsOf(was), bandsOf(is)) <= HASH_BOUND && isAlike(was, is, likenessOf(was, is)),
				),
			),
		],
	],
);

function percent<T>(all: readonly T[], holds: (one: T) => boolean): string {
	return `${((100 * all.filter(holds).length) / all.length).toFixed(1)} %`;
}

function count(name: string, fallback: number): number {
	const place = given.indexOf(`--${name}`);
	return place < 0 ? fallback : Number(given[place + 1]);
}

async function filesOf(folder: string): Promise<string[]> {
	const names = await readdir(folder, { recursive: true });
	const paths = names.filter((name) => /\.(jpe?g|png|webp)$/i.test(name)).map((name) => join(folder, name));
	const isFile = await Promise.all(paths.map((path) => stat(path).then((found) => found.isFile())));
	return paths.filter((_, place) => isFile[place]);
}

async function* windowsOf(path: string): AsyncGenerator<Buffer> {
	const opened = await sharp(path, { failOn: "error" })
		.autoOrient()
		.toColourspace("srgb")
		.flatten({ background: "#ffffff" })
		.raw()
		.toBuffer({ resolveWithObject: true })
		.catch(() => undefined);
	if (opened?.info.channels !== 3) return;
	const { data, info } = opened;
	const raw = { raw: { width: info.width, height: info.height, channels: 3 as const } };
	for (let top = 0; top + WINDOW.height <= info.height; top += WINDOW.height)
		for (let left = 0; left + WINDOW.width <= info.width; left += WINDOW.width)
			yield await sharp(data, raw)
				.extract({ left, top, ...WINDOW })
				.jpeg({ quality: 90 })
				.toBuffer();
}

/** What an upload of it is known by. */
async function seenOf(file: Buffer): Promise<Grey | null> {
	const header = await sharp(file).metadata();
	const pixels = header.format === "jpeg" ? await wholeOf(file, header) : undefined;
	const { likeness } = await overviewOf(pixels ?? file, header);
	return likeness && new Uint8Array(likeness);
}

async function cropped(
	window: Buffer,
	{ left, top, right, bottom }: { left: number; top: number; right: number; bottom: number },
): Promise<Buffer> {
	const [width, height] = [WINDOW.width - left - right, WINDOW.height - top - bottom];
	return await sharp(window).extract({ left, top, width, height }).jpeg({ quality: 85 }).toBuffer();
}

/** A sixth of the width, below on the right: a white plate with a red disc. */
function logo() {
	const [width, height] = [Math.round(WINDOW.width / 6), Math.round(WINDOW.height / 8)];
	const data = Buffer.alloc(width * height * 3, 255);
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++)
			if (Math.hypot(x - height / 2, y - height / 2) < height / 3) data.set([204, 0, 0], (y * width + x) * 3);
	const raw = { width, height, channels: 3 as const };
	return { input: data, raw, left: WINDOW.width - width - 8, top: WINDOW.height - height - 8 };
}

function shrunk(grey: Grey, width: number, height: number): number[] {
	const places: number[] = [];
	for (let y = 0; y < height; y++)
		for (let x = 0; x < width; x++) {
			const [left, right] = [(x * GREY_SIDE) / width, ((x + 1) * GREY_SIDE) / width];
			const [top, bottom] = [(y * GREY_SIDE) / height, ((y + 1) * GREY_SIDE) / height];
			let sum = 0;
			for (let row = Math.floor(top); row < Math.ceil(bottom); row++)
				for (let column = Math.floor(left); column < Math.ceil(right); column++) {
					const wide = Math.min(right, column + 1) - Math.max(left, column);
					const high = Math.min(bottom, row + 1) - Math.max(top, row);
					sum += wide * high * (grey[row * GREY_SIDE + column] ?? 0);
				}
			places.push(sum / ((right - left) * (bottom - top)));
		}
	return places;
}

/** The waves of 1 to `waves` half turns in both directions. */
function lowWaves(grey: Grey, waves: number): number[] {
	const found: number[] = [];
	for (let down = 1; down <= waves; down++)
		for (let across = 1; across <= waves; across++) {
			let sum = 0;
			for (let at = 0; at < grey.length; at++) {
				const [x, y] = [at % GREY_SIDE, Math.floor(at / GREY_SIDE)];
				sum += (grey[at] ?? 0) * (COSINES[across]?.[x] ?? 0) * (COSINES[down]?.[y] ?? 0);
			}
			found.push(sum);
		}
	return found;
}

function wordsOf(bits: readonly boolean[]): number[] {
	return [0, 16, 32, 48].map((from) => bits.slice(from, from + 16).reduce((sum, bit) => sum * 2 + Number(bit), 0));
}
