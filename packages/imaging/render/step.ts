import type { OutputFormat } from "@svc/base/enumerations";
import type { Layout } from "@svc/images/layout/geometry";
import type { Turn } from "@svc/images/layout/turn";
import type { RenderAids } from "@svc/images/ports";
import type { ParameterName } from "@svc/images/transform/parameters";
import type { Transform } from "@svc/images/transform/transform";
import type { Sharp } from "sharp";
import type { Backdrop } from "./backdrop.ts";
import type { Descriptions } from "./container.ts";
import type { Cost } from "./cost.ts";
import { type Frames, joined, mapFrames, readFrames } from "./frames.ts";
import type { Source } from "./source.ts";

/** One rendition that is being made. */
export interface RenderJob {
	readonly source: Source;
	readonly transform: Transform;
	readonly format: OutputFormat;
	readonly aids: RenderAids;
	readonly layout: Layout;
	readonly turn: Turn;
	readonly backdrop: Backdrop;
	/** The descriptions that the rendition will have. */
	readonly descriptions: Descriptions | undefined;
	/** Aborted when no request waits for the rendition any more. */
	readonly signal: AbortSignal;
	/** Bounds each pass of libvips; a rendition takes a few at most. */
	readonly timeoutSeconds: number;
}

/**
 * A picture between two steps. As long as no step has to see decoded pixels all of them become one pass of libvips from file to file,
 * which nothing can beat.
 */
export type Picture = { readonly image: Sharp } | { readonly frames: Frames };

/** One operation on a picture. */
export interface RenderStep {
	/** The parameters of the table that this step answers for, each with what it costs. Where several steps name one, the dearest counts. */
	readonly of: Readonly<Partial<Record<ParameterName, Cost>>>;
	/** Whether there is something to do. A step without this function is run when one of its parameters is there. */
	readonly when?: (job: RenderJob) => boolean;
	readonly run: (picture: Picture, job: RenderJob) => Picture | Promise<Picture>;
}

export function imageOf(picture: Picture): Sharp {
	return "image" in picture ? picture.image : joined(picture.frames);
}

export async function framesOf(picture: Picture, { source, timeoutSeconds }: RenderJob): Promise<Frames> {
	return "frames" in picture ? picture.frames : await readFrames(picture.image, source.frames, timeoutSeconds);
}

/** Does the same to each frame alone. The work stops between two frames when no request waits any more: there may be hundreds. */
export async function eachFrame(
	picture: Picture,
	job: RenderJob,
	operation: (frame: Frames) => Promise<Frames>,
): Promise<Picture> {
	const frames = await mapFrames(await framesOf(picture, job), async (frame) => {
		job.signal.throwIfAborted();
		return await operation(frame);
	});
	return { frames };
}
