import type { OutputFormat } from "@svc/base/enumerations";
import type { RenderAids, Renderer } from "@svc/images/ports";
import type { Mask } from "@svc/images/transform/facts";
import { LONGEST_SIDES, type Plan, planOf, type Turn, turnOf } from "@svc/images/transform/geometry";
import { outputFormat, type Transform } from "@svc/images/transform/transform";
import type { Sharp } from "sharp";
import { sharp } from "../sharp-settings.ts";
import { type Descriptions, described } from "./container.ts";
import { coversCanvas, type Encoding, encoded, framed, type Ground, grounded, groundOf, isGrey } from "./encode.ts";
import { blurred, type Frames, joined, mapFrames, readFrames, sharpened } from "./frames.ts";
import { descriptionsOf } from "./metadata.ts";
import { decode, openSource, type Source, smallest, turned } from "./source.ts";
import { maskOf, withSubject } from "./subject.ts";
import { tileOver } from "./tile.ts";
import { applyTone, toneOf } from "./tone.ts";

interface RendererOptions {
	/** Bounds each pass of libvips; a rendition takes a few at most. */
	readonly timeoutSeconds?: number;
}

/** One rendition on its way. */
interface Job {
	readonly source: Source;
	readonly transform: Transform;
	readonly aids: RenderAids;
	readonly plan: Plan;
	readonly turn: Turn;
	readonly ground: Ground;
	readonly signal: AbortSignal;
	readonly timeoutSeconds: number;
}

const LIMITS: Readonly<Partial<Record<OutputFormat, number>>> = LONGEST_SIDES;

/**
 * Of an animation, faces, focus and border are those of its first frame, and cut every frame alike; the tile lies on every frame.
 * `segment` and `fx` have no effect on it: a mask of one frame fits no other. Nor have they where there is no subject, since then
 * nothing says what the background is.
 */
export function sharpRenderer({ timeoutSeconds = 20 }: RendererOptions = {}): Pick<Renderer, "render"> {
	return {
		async render(master, transform, aids, signal) {
			signal.throwIfAborted();
			const format = outputFormat(transform, master.format);
			const whole = await openSource(master.blob.path ?? (await master.blob.read()), {
				animated: isAnimated(master.format) && isAnimated(format),
				ownColours: transform.metadata === "keep",
			});
			const plan = planOf({ ...aids, width: whole.width, height: whole.height }, transform, LIMITS[format]);
			const turn = turnOf(transform);
			const source = await smallest(whole, plan, turn, master.reductions ?? []);
			signal.throwIfAborted();
			const job: Job = {
				source,
				transform,
				aids,
				plan,
				turn,
				ground: groundOf(transform, format),
				signal,
				timeoutSeconds,
			};
			const image = needsPixels(job) ? await onPixels(job) : framed(decode(source, plan, turn), plan, job.ground);
			return { bytes: await written(await finished(image, job), format, job), format };
		},
	};
}

function isAnimated(format: string): boolean {
	return format === "gif" || format === "webp";
}

/** Whether a step has to see decoded pixels. All else is one pass of libvips from file to file, which nothing can beat. */
function needsPixels(job: Job): boolean {
	const { source, transform, turn } = job;
	const turnsFrames = source.frames > 1 && (turn.mirrored || turn.degrees !== 0);
	return (
		turnsFrames ||
		paintsOnGreys(job) ||
		subjectOf(job) !== undefined ||
		toneOf(transform) !== undefined ||
		Boolean(transform.blur ?? transform.sharp)
	);
}

/** Whether there is a colour to come that libvips would turn into a grey, as the picture's own are. */
function paintsOnGreys({ source, aids, ground }: Job): boolean {
	if (source.metadata.space !== "b-w" && source.metadata.space !== "grey16") return false;
	return aids.tile !== undefined || (ground.kind !== "none" && !isGrey(ground.colour));
}

/** Undefined where the subject makes no difference. */
function subjectOf({ source, transform, aids }: Job): Mask | undefined {
	if (source.frames > 1 || !(transform.segment || transform.fx)) return undefined;
	return aids.subject ?? undefined;
}

async function onPixels(job: Job): Promise<Sharp> {
	const { transform, plan, turn, ground, signal, timeoutSeconds } = job;
	const frames = await readPixels(job);
	const tone = toneOf(transform);
	if (tone) await applyTone(frames.pixels, frames.channels, tone);
	const steps: ((frame: Frames) => Promise<Frames>)[] = [];
	if (frames.count > 1) steps.push((frame) => readFrames(turned(joined(frame), turn), 1, timeoutSeconds));
	const { blur, sharp: amount } = transform;
	if (blur) steps.push((frame) => blurred(frame, blur, timeoutSeconds));
	if (amount) steps.push((frame) => sharpened(frame, amount, timeoutSeconds));
	if (frames.count > 1) steps.push((frame) => readFrames(framed(joined(frame), plan, ground), 1, timeoutSeconds));
	const done = await mapFrames(frames, async (frame) => {
		let current = frame;
		for (const step of steps) {
			signal.throwIfAborted();
			current = await step(current);
		}
		return current;
	});
	return frames.count > 1 ? joined(done) : framed(joined(done), plan, ground);
}

/** With the subject set apart from its background, as asked. */
async function readPixels(job: Job): Promise<Frames> {
	const { source, transform, plan, turn, signal, timeoutSeconds } = job;
	const frames = await readFrames(decode(source, plan, turn), source.frames, timeoutSeconds);
	const subject = subjectOf(job);
	if (!subject) return frames;
	signal.throwIfAborted();
	const weights = await maskOf(subject, source, plan, turn, timeoutSeconds);
	return await withSubject(frames, weights, transform, timeoutSeconds);
}

async function finished(
	image: Sharp,
	{ source, transform, aids, plan, ground, signal, timeoutSeconds }: Job,
): Promise<Sharp> {
	if (!aids.tile) return grounded(image, ground);
	signal.throwIfAborted();
	const tile = await tileOver(aids.tile, plan.output, source.frames, timeoutSeconds);
	const tiled = grounded(image, ground, tile);
	// Laying one picture over another gives it an alpha channel, which costs bytes and time where it says nothing.
	const isSolid = !source.metadata.hasAlpha && !transform.segment && coversCanvas(plan);
	return ground.kind === "opaque" || isSolid ? tiled.removeAlpha() : tiled;
}

async function written(image: Sharp, format: OutputFormat, job: Job): Promise<Uint8Array<ArrayBuffer>> {
	const { source, transform, plan, timeoutSeconds } = job;
	const { delay, loop } = source.frames > 1 ? source.metadata : {};
	const encoding: Encoding = { format, quality: transform.q, size: plan.output, delay, loop };
	const descriptions = descriptionsOf(source, transform);
	const timed = image.timeout({ seconds: timeoutSeconds });
	if (descriptions && format === "avif") return await describedAvif(timed, encoding, descriptions, timeoutSeconds);
	const bytes = await encoded(timed, encoding).toBuffer();
	return owned(descriptions ? described(bytes, format, descriptions, plan.output) : bytes);
}

/** By way of a PNG that carries the descriptions: nothing but libvips puts them into an AVIF. */
async function describedAvif(
	image: Sharp,
	encoding: Encoding,
	descriptions: Descriptions,
	timeoutSeconds: number,
): Promise<Uint8Array<ArrayBuffer>> {
	const plain = await image.png({ compressionLevel: 0 }).toBuffer();
	const carrier = sharp(described(plain, "png", descriptions, encoding.size), { limitInputPixels: false });
	if (descriptions.exif) carrier.keepExif();
	if (descriptions.xmp) carrier.keepXmp();
	if (descriptions.icc) carrier.keepIccProfile();
	return owned(await encoded(carrier.timeout({ seconds: timeoutSeconds }), encoding).toBuffer());
}

/** Buffers come with a type that allows shared memory, which sharp never hands out. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	return bytes.buffer instanceof ArrayBuffer
		? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
		: new Uint8Array(bytes);
}
