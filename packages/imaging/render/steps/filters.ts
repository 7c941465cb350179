import { densityOf } from "@svc/images/transform/beside";
import type { Transform } from "@svc/images/transform/transform";
import { type Frames, joined, readFrames } from "../frames.ts";
import { eachFrame, type RenderStep } from "../step.ts";

/** Below this a blur changes nothing, and libvips refuses it. */
const MIN_SIGMA = 0.3;
/** Above this a blur costs more the wider it is, and a smaller picture blurred and enlarged looks the same. */
const MAX_PLAIN_SIGMA = 60;
/** The sigma that is left of a wide blur after shrinking. */
const SHRUNK_SIGMA = 20;

export const blur = {
	of: { blur: { bytes: 0, ms: 35, decodes: true } },
	run: (picture, job) =>
		eachFrame(picture, job, (frame) => blurred(frame, radiusOf(job.transform), job.timeoutSeconds)),
} as const satisfies RenderStep;

export const sharpen = {
	of: { sharp: { bytes: 0, ms: 85, decodes: true } },
	run: (picture, job) =>
		eachFrame(picture, job, (frame) => sharpened(frame, job.transform.sharp ?? 0, job.timeoutSeconds)),
} as const satisfies RenderStep;

function radiusOf({ blur = 0, ...transform }: Transform): number {
	return Math.round(blur * densityOf({ ...transform, blur }));
}

/** A Gaussian blur of one frame; `radius` is two standard deviations. */
export async function blurred(frame: Frames, radius: number, timeoutSeconds: number): Promise<Frames> {
	const sigma = radius / 2;
	if (sigma < MIN_SIGMA) return frame;
	if (sigma <= MAX_PLAIN_SIGMA) return await readFrames(joined(frame).blur(sigma), 1, timeoutSeconds);
	const factor = sigma / SHRUNK_SIGMA;
	const width = Math.max(1, Math.round(frame.width / factor));
	const height = Math.max(1, Math.round(frame.height / factor));
	const small = await readFrames(joined(frame).resize(width, height, { fit: "fill" }), 1, timeoutSeconds);
	const soft = await readFrames(joined(small).blur(SHRUNK_SIGMA), 1, timeoutSeconds);
	const full = joined(soft).resize(frame.width, frame.height, { fit: "fill", kernel: "cubic" });
	return await readFrames(full, 1, timeoutSeconds);
}

/** `amount` is 0 to 10. */
async function sharpened(frame: Frames, amount: number, timeoutSeconds: number): Promise<Frames> {
	const image = joined(frame).sharpen({ sigma: 1, m1: amount / 2, m2: amount });
	return await readFrames(image, 1, timeoutSeconds);
}
