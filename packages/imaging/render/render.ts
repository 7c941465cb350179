import type { OutputFormat } from "@svc/base/enumerations";
import { boundsOf } from "@svc/images/layout/bounds";
import { layoutOf } from "@svc/images/layout/geometry";
import { turnOf } from "@svc/images/layout/turn";
import type { Master, RenderAids } from "@svc/images/ports";
import type { ParameterName } from "@svc/images/transform/parameters";
import { isAnimatable, isStill, outputFormat, type Transform } from "@svc/images/transform/transform";
import { scanBytes } from "../inspect/gate.ts";
import { type CarriedGainMap, withGainMap } from "../metadata/carried-gain-map.ts";
import { backdropOf } from "./backdrop.ts";
import { announcing, gainMapFor } from "./gain-map.ts";
import { KeptPixels } from "./kept-pixels.ts";
import { descriptionsOf } from "./metadata.ts";
import { PIPELINE } from "./pipeline.ts";
import { isExact } from "./reading.ts";
import { decode, openSource, type Source, smallest } from "./source.ts";
import { imageOf, type Picture, type RenderJob, type RenderStep } from "./step.ts";
import { overBackdrop } from "./steps/canvas.ts";
import { encode, writtenBytes } from "./steps/encode.ts";
import { decodeOnce, layOut } from "./steps/lay-out.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Steps that leave an opaque picture in the strips in which it was resized, where nothing lies over it. */
const PLAIN: ReadonlySet<RenderStep> = new Set([layOut, overBackdrop, encode]);

/** What the header of a master says about the work that it will be. */
export interface HeaderFacts {
	readonly frames: number;
	readonly scanBytes: number;
	readonly sampleBytes: number;
	readonly hasAlpha: boolean;
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
		): Promise<{ readonly bytes: Bytes; readonly format: OutputFormat }> {
			signal.throwIfAborted();
			const job = await jobOf(master, transform, { aids, signal, timeoutSeconds }, opened);
			const proven = oncePerCall(ownPixels);
			// What is kept of the metadata is the master's own as well.
			if (!job.source.isCopy || transform.metadata === "keep") await proven();
			const map = await gainMapFor(job, master, kept, proven);
			const picture = await drawn(job, kept, master.blob.path ?? "");
			return { bytes: await finished(picture, job, map), format: job.format };
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
		isExact: isExact(format, transform),
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

function oncePerCall(work: RendererOptions["ownPixels"]): () => Promise<void> {
	let done: Promise<void> | undefined;
	return async () => {
		done ??= work?.();
		await done;
	};
}

/** @param master the path of the file that is shown */
async function drawn(job: RenderJob, kept: KeptPixels, master: string): Promise<Picture> {
	const due = PIPELINE.filter((step) => isDue(step, job));
	const isPlain = !job.aids.tile && !job.aids.overlay && due.every((step) => PLAIN.has(step));
	let picture: Picture = { image: isPlain ? await decodeOnce(job, kept, master) : decode(job.source) };
	for (const step of due) {
		job.signal.throwIfAborted();
		picture = await step.run(picture, job);
	}
	return picture;
}

/** With its gain map behind it, where its descriptions can say that there is one. */
async function finished(picture: Picture, job: RenderJob, map: CarriedGainMap | undefined): Promise<Bytes> {
	const descriptions = map && announcing(job.descriptions, map);
	if (!map || !descriptions) return await writtenBytes(imageOf(picture), job);
	return withGainMap(await writtenBytes(imageOf(picture), { ...job, descriptions }), map);
}

function factsOf({ frames, metadata }: Source): HeaderFacts {
	const sampleBytes = metadata.depth === "ushort" ? 2 : 1;
	return { frames, scanBytes: scanBytes(metadata), sampleBytes, hasAlpha: metadata.hasAlpha };
}

function isDue({ of, when }: RenderStep, job: RenderJob): boolean {
	return when ? when(job) : (Object.keys(of) as ParameterName[]).some((name) => job.transform[name] !== undefined);
}
