import type { Mask } from "@svc/images/transform/analysis";

/** Of the analysis picture. */
export interface SubjectMask extends Mask {
	/** The subject's share of the area, 0 to 1. */
	readonly share: number;
}

export function maskOf(alpha: Uint8Array, width: number, height: number): SubjectMask {
	const sum = alpha.reduce((total, value) => total + value, 0);
	return { width, height, alpha, share: sum / (255 * alpha.length) };
}
