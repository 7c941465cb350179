import type { OutputFormat } from "@svc/base/enumerations";
import { boundsOf } from "@svc/images/layout/bounds";
import { layoutOf } from "@svc/images/layout/geometry";
import { turnOf } from "@svc/images/layout/turn";
import type { Master, RenderAids } from "@svc/images/ports";
import type { ParameterName } from "@svc/images/transform/parameters";
import { isAnimatable, isStill, outputFormat, type Transform } from "@svc/images/transform/transform";
import { backdropOf } from "./backdrop.ts";
import { KeptPixels } from "./kept-pixels.ts";
import { descriptionsOf } from "./metadata.ts";
import { PIPELINE } from "./pipeline.ts";
import { decode, openSource, type Source, smallest } from "./source.ts";
import { imageOf, type Picture, type RenderJob, type RenderStep } from "./step.ts";
import { overBackdrop } from "./steps/canvas.ts";
import { encode, writtenBytes } from "./steps/encode.ts";
import { decodeOnce, layOut } from "./steps/lay-out.ts";

/** Steps that leave an opaque picture in the strips in which it was resized, where nothing lies over it. */
const PLAIN: ReadonlySet<RenderStep> = new Set([layOut, overBackdrop, encode]);

/** What the header of a master says about the work that it will be. */
export interface HeaderFacts {
	readonly frames: number;
	readonly progressive: boolean;
	readonly sampleBytes: number;
}

interface RendererOptions {
	/** Called before anything is decoded; a throw ends the work. */
	readonly opened?: (facts: HeaderFacts) => void;
	/** Awaited before more than the header is read from the master itself, and not from a copy; a throw ends the work. */
	readonly ownPixels?: () => Promise<void>;
	/** Bounds each pass of libvips; a rendition takes a few at most. */
	readonly timeoutSeconds?: number;
	/** Pixels that renditions before this one have read. */
	readonly kept?: KeptPixels;
}

/**
 * Of an animation, faces, focus and border are those of its first frame, and cut every frame alike; the tile lies on every frame.
 * `segment` and `fx` have no effect on it: a mask of one frame fits no other. Nor have they where there is no subject, since then
 * nothing says what the background is.
 */
export function sharpRenderer(options: RendererOptions = {}) {
	const { timeoutSeconds = 20, opened, ownPixels, kept = new KeptPixels() } = options;
	return {
		async render(
			master: Master,
			transform: Transform,
			aids: RenderAids,
			signal: AbortSignal,
		): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly format: OutputFormat }> {
			signal.throwIfAborted();
			const job = await jobOf(master, transform, { aids, signal, timeoutSeconds }, opened);
			// What is kept of the metadata is the master's own as well.
			if (!job.source.isCopy || transform.metadata === "keep") await ownPixels?.();
			const due = PIPELINE.filter((step) => isDue(step, job));
			const isPlain = !job.aids.tile && !job.aids.overlay && due.every((step) => PLAIN.has(step));
			const image = isPlain ? await decodeOnce(job, kept, master.blob.path ?? "") : decode(job.source);
			let picture: Picture = { image };
			for (const step of due) {
				signal.throwIfAborted();
				picture = await step.run(picture, job);
			}
			return { bytes: await writtenBytes(imageOf(picture), job), format: job.format };
		},
	};
}

async function jobOf(
	master: Master,
	transform: Transform,
	given: Pick<RenderJob, "aids" | "signal" | "timeoutSeconds">,
	opened?: (facts: HeaderFacts) => void,
): Promise<RenderJob> {
	const format = outputFormat(transform, master.format);
	const whole = await openSource(master.blob.path ?? (await master.blob.read()), {
		format: master.format,
		animated: isAnimatable(master.format) && isAnimatable(format) && !isStill(transform),
		frame: transform.frame,
		name: master.blob.sha256,
		ownColours: transform.metadata === "keep",
	});
	opened?.(factsOf(whole));
	const picture = { ...given.aids, width: whole.width, height: whole.height };
	const layout = layoutOf(picture, transform, boundsOf(format, whole.frames, transform));
	const turn = turnOf(transform);
	const source = await smallest(whole, layout, turn, master);
	const descriptions = descriptionsOf(source, transform);
	const backdrop = backdropOf(transform, format);
	return { ...given, source, transform, format, layout, turn, backdrop, descriptions };
}

function factsOf({ frames, metadata }: Source): HeaderFacts {
	return { frames, progressive: metadata.isProgressive, sampleBytes: metadata.depth === "ushort" ? 2 : 1 };
}

function isDue({ of, when }: RenderStep, job: RenderJob): boolean {
	return when ? when(job) : (Object.keys(of) as ParameterName[]).some((name) => job.transform[name] !== undefined);
}
