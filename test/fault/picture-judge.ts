import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";

/* How Chromium shows pictures: a decoder, colours and a canvas that have nothing to do with ours. */

const ORIGIN = "https://judge.test";

/** How far two pictures are from each other, on black and on white, in 255ths. */
interface Difference {
	readonly mean: number;
	readonly most: number;
}

interface Shown {
	readonly width: number;
	readonly height: number;
	/** Milliseconds; one for each frame. Empty for what does not move. */
	readonly delays: readonly number[];
}

export interface Verdict {
	/** Undefined where Chromium does not show it. */
	readonly one: Shown | undefined;
	readonly other: Shown | undefined;
	/** The farthest of all frames that both have; undefined where their shapes differ. */
	readonly difference: Difference | undefined;
	/** Which frame that is. */
	readonly frame: number;
}

export interface Judge extends AsyncDisposable {
	/** @param moving whether frames are compared one by one; pictures of one shape are compared at the size of the smaller, and at 800 pixels at most */
	compare(one: Uint8Array, other: Uint8Array, moving: boolean): Promise<Verdict>;
}

export async function openJudge(): Promise<Judge> {
	const browser: Browser = await launchChromium(["--force-color-profile=srgb"]);
	const page: Page = await browser.newPage();
	const files = new Map<string, Uint8Array>();
	await page.route(`${ORIGIN}/**`, async (route) => {
		const name = new URL(route.request().url()).pathname.slice(1);
		const file = files.get(name);
		if (file) await route.fulfill({ body: Buffer.from(file) });
		else await route.fulfill({ body: "<!doctype html>", contentType: "text/html" });
	});
	await page.goto(`${ORIGIN}/`);
	await page.addScriptTag({ content: PROGRAM });
	let count = 0;
	return {
		async compare(one, other, moving) {
			const names = [`file-${count++}`, `file-${count++}`];
			files.set(names[0] ?? "", one);
			files.set(names[1] ?? "", other);
			const verdict = await page.evaluate<Verdict>(`judged(${JSON.stringify(names)}, ${moving})`);
			for (const name of names) files.delete(name);
			return verdict;
		},
		async [Symbol.asyncDispose]() {
			await browser.close();
		},
	};
}

/* What follows runs in the page, and is handed to it as text. */

interface Seen extends Shown {
	readonly frames: readonly CanvasImageSource[];
}

async function seenStill(name: string): Promise<Seen> {
	const image = new Image();
	image.src = `/${name}`;
	await image.decode();
	return { width: image.naturalWidth, height: image.naturalHeight, delays: [], frames: [image] };
}

async function seenMoving(name: string): Promise<Seen> {
	const bytes = await (await fetch(`/${name}`)).arrayBuffer();
	const head = new TextDecoder("latin1").decode(bytes.slice(0, 12));
	const type = head.startsWith("GIF") ? "image/gif" : head.startsWith("RIFF") ? "image/webp" : "image/avif";
	const decoder = new ImageDecoder({ data: bytes, type, preferAnimation: true });
	await Promise.all([decoder.completed, decoder.tracks.ready]);
	const frames: ImageBitmap[] = [];
	const delays: number[] = [];
	for (let frameIndex = 0; frameIndex < (decoder.tracks.selectedTrack?.frameCount ?? 0); frameIndex++) {
		const { image } = await decoder.decode({ frameIndex });
		frames.push(await createImageBitmap(image));
		delays.push(Math.round((image.duration ?? 0) / 1000));
		image.close();
	}
	const { width, height } = frames[0] as ImageBitmap;
	return { width, height, delays, frames };
}

function drawn(frame: CanvasImageSource, width: number, height: number, ground: string): Uint8ClampedArray {
	const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
	if (!context) throw new Error("there is no canvas");
	context.fillStyle = ground;
	context.fillRect(0, 0, width, height);
	context.imageSmoothingQuality = "high";
	context.drawImage(frame, 0, 0, width, height);
	return context.getImageData(0, 0, width, height).data;
}

function differenceOf(one: CanvasImageSource, other: CanvasImageSource, width: number, height: number): Difference {
	let [sum, most] = [0, 0];
	for (const ground of ["#000", "#fff"]) {
		const [left, right] = [drawn(one, width, height, ground), drawn(other, width, height, ground)];
		for (let at = 0; at < left.length; at++) {
			const far = Math.abs((left[at] ?? 0) - (right[at] ?? 0));
			sum += far;
			if (far > most) most = far;
		}
	}
	// Three colours on two grounds; the canvas itself is never transparent.
	return { mean: sum / (6 * width * height), most };
}

/** Each frame beside what the other shows at that time: frames that are alike may have become one that is shown for as long as all of them. */
function farthest(one: Seen, other: Seen, width: number, height: number): Pick<Verdict, "difference" | "frame"> {
	let [difference, frame, atMs, there, untilMs] = [{ mean: 0, most: 0 }, 0, 0, 0, other.delays[0] ?? 1];
	for (const [at, image] of one.frames.entries()) {
		while (atMs >= untilMs && there < other.frames.length - 1) untilMs += other.delays[++there] ?? 0;
		const found = differenceOf(image, other.frames[there] as CanvasImageSource, width, height);
		if (found.most > difference.most) [difference, frame] = [found, at];
		atMs += one.delays[at] ?? 0;
	}
	return { difference, frame };
}

async function judged(names: readonly string[], moving: boolean): Promise<Verdict> {
	const see = (name = "") => (moving ? seenMoving(name) : seenStill(name)).catch(() => undefined);
	const [one, other] = [await see(names[0]), await see(names[1])];
	const told = (seen: Seen | undefined) => seen && { width: seen.width, height: seen.height, delays: seen.delays };
	const verdict = { one: told(one), other: told(other), difference: undefined, frame: 0 };
	if (!one || !other) return verdict;
	const scale = Math.min(1, 800 / Math.max(other.width, other.height));
	const [width, height] = [Math.round(other.width * scale), Math.round(other.height * scale)];
	// Turned, or of another shape.
	const isOther = Math.abs(one.width * height - one.height * width) > Math.max(one.width, one.height);
	return isOther ? verdict : { ...verdict, ...farthest(one, other, width, height) };
}

const PROGRAM = [seenStill, seenMoving, drawn, differenceOf, farthest, judged].map(String).join("\n");
