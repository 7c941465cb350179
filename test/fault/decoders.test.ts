import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { chromiumNote, withoutChromium } from "../support/chromium.ts";
import { corpus, corpusDir, corpusNote, withoutCorpus } from "../support/corpus.ts";
import { libheifNote, shownByLibheif, withoutLibheif } from "../support/libheif-programs.ts";
import { upload } from "../support/requests.ts";
import { serviceFor } from "../support/service.ts";
import { type Bound, type PictureFile, pictureFile } from "./picture-files.ts";
import { type Judge, openJudge, type Verdict } from "./picture-judge.ts";
import { Dice, seed } from "./seed.ts";

/*
 * What an address shows with parameters is what it shows without: renditions beside their masters, both as Chromium shows them, whose decoders,
 * colours and canvas have nothing to do with ours. SVC_TEST_PICTURES says how many files are made.
 */

const FILES = Number(process.env.SVC_TEST_PICTURES ?? "220");

const service = serviceFor({ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0" });
let judge: Judge;
beforeAll(async () => {
	if (!withoutChromium) judge = await openJudge();
}, 120_000);
afterAll(async () => {
	if (!withoutChromium) await judge[Symbol.asyncDispose]();
});

/** Larger ones are compared at this width alone. */
const WIDTH = 800;

/** One in so many is made smaller as well. */
const SCALED_ONE_IN = 3;

/** What is wrong with a picture's renditions, in words; nothing where all is well. */
async function faultsOf(
	{ name, bytes, animated, bound, shownAs = bytes }: PictureFile,
	isScaled = false,
): Promise<readonly string[]> {
	const answer = await upload(service, new Blob([bytes]), "picture");
	if (answer.status !== 201) {
		const { one } = await judge.compare(shownAs, shownAs, animated);
		return one ? [`${name}: ${answer.status} although a browser shows it: ${await answer.text()}`] : [];
	}
	const { url, width, height } = (await answer.json()) as { url: string; width: number; height: number };
	const faults: string[] = [];
	const look = async (query: string, size: Size, within: Bound) => {
		const rendition = await service.open(`${url}${query}`);
		if (rendition.status !== 200) return void faults.push(`${query}: ${rendition.status}`);
		const verdict = await judge.compare(shownAs, await rendition.bytes(), animated);
		faults.push(...different(verdict, [{ width, height }, size], within).map((fault) => `${query}: ${fault}`));
	};
	await look("", { width, height }, bound);
	const isLarge = width * height > WIDTH ** 2 * 2;
	const size = isLarge ? { width: WIDTH, height: Math.round((height * WIDTH) / width) } : { width, height };
	await look(`?format=webp&lossless=true${isLarge ? `&w=${WIDTH}` : ""}`, size, isLarge ? SCALED : bound);
	if (animated) await look("?format=gif", size, GIF);
	if (isScaled && width > 1) {
		const w = Math.ceil(width / 2);
		const half = { width: w, height: Math.max(1, Math.round((height * w) / width)) };
		await look(`?format=webp&lossless=true&w=${w}`, half, { mean: SCALED.mean + bound.mean + mixed(half) });
	}
	return faults.map((fault) => `${name}: ${fault}`);
}

interface Size {
	readonly width: number;
	readonly height: number;
}

/** A palette of its own for each frame. */
const GIF: Bound = { mean: 4 };
/** Browsers have their own way to make pictures smaller. */
const SCALED: Bound = { mean: 6 };

/**
 * Where five rows become three, an edge between two of them falls into a new one, and each scaler has its own share of both in that row: up to
 * half of what lies between black and white, in one row or column of all.
 */
function mixed({ width, height }: Size): number {
	return 255 / 2 / Math.min(width, height);
}

function different(
	{ one, other, difference, frame }: Verdict,
	[api, size]: readonly [Size, Size],
	bound: Bound,
): readonly string[] {
	if (!one) return ["a browser does not show the master"];
	if (!other) return ["a browser does not show it"];
	if (!isSame(one, api)) return [`the API says ${told(api)} of ${told(one)}`];
	if (!isSame(other, size)) return [`${told(other)} for ${told(size)}`];
	const faults = hasSameTimes(one.delays, other.delays) ? [] : [`times ${other.delays} for ${one.delays}`];
	if (difference && (difference.mean > bound.mean || difference.most > (bound.most ?? 255)))
		faults.push(`frame ${frame} is ${difference.most} off, ${difference.mean.toFixed(2)} in the mean`);
	return faults;
}

const told = ({ width, height }: Size) => `${width}×${height}`;
const isSame = (one: Size, other: Size) => one.width === other.width && one.height === other.height;

/** As long as an encoder can say. */
const LONGEST_MS = 65_535;

/** Frames that are alike may have become one; what is to be shown for no time is shown for a tenth of a second. */
function hasSameTimes(one: readonly number[], other: readonly number[]): boolean {
	const shown = (ms: number) => (ms <= 10 ? 100 : Math.min(ms, LONGEST_MS));
	const ends = (delays: readonly number[]) =>
		delays.map((_, at) => delays.slice(0, at + 1).reduce((sum, ms) => sum + shown(ms), 0));
	const [theirs, ours] = [new Set(ends(one)), ends(other)];
	return ours.length < 2 || (ours.every((end) => theirs.has(end)) && ours.at(-1) === ends(one).at(-1));
}

/** What differs by a decision, which docs/decisions/0166 names. */
const DECIDED: readonly (readonly [name: RegExp, fault: string])[] = [
	[/^(?:corrupted_camera|truncated)\.jpg/, "422 although a browser shows it"],
	// Its size is a lie, so that a script can be made to look like a picture.
	[/^polyglot_js\.gif/, "422 although a browser shows it"],
	[/^jpeg_cmyk_noprofile\.jpg/, "?format=webp&lossless=true"],
	// A WebP that is turned by EXIF is upright in its renditions alone.
	[/^f1-/, "the API says 48×64 of 64×48"],
	// Chromium mixes into halved colours what stands below the one row that there is; libheif does not.
	[/^AVIF \d+×1, .*"4:2:0"/, " off, "],
	// What browsers refuse it for is left out of what is served.
	[/^g3-/, "a browser does not show the master"],
];

/** Whether a fault is such a one. */
function isDecided(fault: string): boolean {
	return DECIDED.some(([name, kind]) => name.test(fault) && fault.includes(kind));
}

test.skipIf(withoutChromium)(
	`${FILES} files by chance: a browser shows the same at an address with parameters as without${libheifNote}${chromiumNote}`,
	async () => {
		const faults: string[] = [];
		for (let turn = 0; turn < FILES; turn++) {
			const picture = await pictureFile(new Dice(seed, turn), turn);
			const { animated, isNoise = false } = picture;
			faults.push(...(await faultsOf(picture, turn % SCALED_ONE_IN === 0 && !animated && !isNoise)));
		}
		expect({ seed, faults: faults.filter((fault) => !isDecided(fault)) }).toEqual({ seed, faults: [] });
	},
	600_000,
);

test.skipIf(withoutChromium || withoutCorpus)(
	`real files: a browser shows the same at an address with parameters as without${corpusNote}${chromiumNote}`,
	async () => {
		const faults: string[] = [];
		for (const folder of ["", "real"]) {
			const names = (await readdir(join(corpusDir ?? "", folder))).filter((name) => SHOWN.test(name));
			for (const name of names.sort()) {
				const bytes = await corpus(join(folder, name));
				const animated = /anim|gif$/.test(name) && !/avif$/.test(name);
				const isHeic = /hei[cf]$/.test(name);
				// What it cannot read either is no picture.
				const shownAs = isHeic ? await shownByLibheif(bytes).catch(() => undefined) : undefined;
				faults.push(...(await faultsOf({ name, bytes, animated, bound: { mean: 6 }, shownAs })));
			}
		}
		expect(faults.filter((fault) => !isDecided(fault))).toEqual([]);
	},
	600_000,
);

/** What is large beyond reason is left to tests of its own. */
const SHOWN = withoutLibheif
	? /^(?!bomb).*\.(?:jpg|png|gif|webp|avif)$/
	: /^(?!bomb).*\.(?:jpg|png|gif|webp|avif|heic|heif)$/;
