import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { chromiumNote, withoutChromium } from "../support/chromium.ts";
import { corpus, corpusDir, corpusNote, withoutCorpus } from "../support/corpus.ts";
import { upload } from "../support/requests.ts";
import { serviceFor } from "../support/service.ts";
import { type Bound, type PictureFile, pictureFile } from "./picture-files.ts";
import { type Judge, openJudge, type Verdict } from "./picture-judge.ts";
import { Dice, seed } from "./seed.ts";

/*
 * What an address shows with parameters is what it shows without: renditions beside their masters, both as Chromium shows them, whose decoders,
 * colours and canvas have nothing to do with ours. SVC_TEST_PICTURES says how many files are made.
 */

const FILES = Number(process.env.SVC_TEST_PICTURES ?? "520");

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

/** What is wrong with a picture's renditions, in words; nothing where all is well. */
async function faultsOf({ name, bytes, animated, bound }: PictureFile): Promise<readonly string[]> {
	const answer = await upload(service, new Blob([bytes]), "picture");
	if (answer.status !== 201) {
		const { one } = await judge.compare(bytes, bytes, animated);
		return one ? [`${name}: ${answer.status} although a browser shows it: ${await answer.text()}`] : [];
	}
	const { url, width, height } = (await answer.json()) as { url: string; width: number; height: number };
	const faults: string[] = [];
	const look = async (query: string, size: Size, within: Bound) => {
		const rendition = await service.open(`${url}${query}`);
		if (rendition.status !== 200) return void faults.push(`${query}: ${rendition.status}`);
		const verdict = await judge.compare(bytes, await rendition.bytes(), animated);
		faults.push(...different(verdict, [{ width, height }, size], within).map((fault) => `${query}: ${fault}`));
	};
	await look("", { width, height }, bound);
	const isLarge = width * height > WIDTH ** 2 * 2;
	const size = isLarge ? { width: WIDTH, height: Math.round((height * WIDTH) / width) } : { width, height };
	await look(`?format=webp&lossless=true${isLarge ? `&w=${WIDTH}` : ""}`, size, isLarge ? SCALED : bound);
	if (animated) await look("?format=gif", size, GIF);
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

/** Frames that are alike may have become one; what is to be shown for no time is shown for a tenth of a second. */
function hasSameTimes(one: readonly number[], other: readonly number[]): boolean {
	const shown = (ms: number) => (ms <= 10 ? 100 : ms);
	const ends = (delays: readonly number[]) =>
		delays.map((_, at) => delays.slice(0, at + 1).reduce((sum, ms) => sum + shown(ms), 0));
	const [theirs, ours] = [new Set(ends(one)), ends(other)];
	return ours.length < 2 || (ours.every((end) => theirs.has(end)) && ours.at(-1) === ends(one).at(-1));
}

/** What differs by decision. */
const DECIDED: Readonly<Record<string, string>> = {
	"corrupted_camera.jpg": "422 although a browser shows it: what is damaged is refused",
	"truncated.jpg": "422 although a browser shows it: what ends early is refused",
	"polyglot_js.gif":
		"422 although a browser shows it: its size is a lie, so that a script can be made to look like a picture",
	"a1-gif-frame-65540ms.gif": "times 65535,100 for 65540,100: no encoder says more",
	"jpeg_cmyk_noprofile.jpg":
		"?format=webp&lossless=true: inks without a profile are taken for those of a press, as colour management does",
};

/** What is known, and not mended yet. */
const KNOWN = /^(?:f1|g[123])\b/;

/** Whether a fault is of a kind that a file is known for. */
function isDecided(fault: string): boolean {
	if (KNOWN.test(fault)) return true;
	const [, kind = ""] = Object.entries(DECIDED).find(([name]) => fault.startsWith(name)) ?? [];
	const [what = ""] = kind.split(": ");
	return what !== "" && fault.includes(what);
}

test.skipIf(withoutChromium)(
	`${FILES} files by chance: a browser shows the same at an address with parameters as without${chromiumNote}`,
	async () => {
		const faults: string[] = [];
		for (let turn = 0; turn < FILES; turn++) faults.push(...(await faultsOf(await pictureFile(new Dice(seed, turn)))));
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
				faults.push(...(await faultsOf({ name, bytes, animated, bound: { mean: 6 } })));
			}
		}
		expect(faults.filter((fault) => !isDecided(fault))).toEqual([]);
	},
	600_000,
);

/** What is large beyond reason is left to tests of its own. */
const SHOWN = /^(?!bomb).*\.(?:jpg|png|gif|webp|avif)$/;
