import type { AnalysisKind } from "@svc/base/enumerations";
import type { Extent } from "../layout/extent.ts";
import { layoutOf } from "../layout/geometry.ts";
import { pieceOf } from "../layout/piece.ts";
import type { Analysis } from "./analysis.ts";
import type { Transform } from "./transform.ts";

/** The facts that a rendition of this form requires, in the order in which they may make others superfluous. */
export function analysisNeeded(transform: Transform, master: Extent): readonly AnalysisKind[] {
	const { trim, fx } = transform;
	const follows = followsSubject(transform) && mayCut(transform, master);
	const needed: AnalysisKind[] = [];
	if (trim) needed.push("content");
	if (follows) needed.push("faces");
	if (follows || showsSubject(transform)) needed.push("subject");
	if (follows) needed.push("focus");
	if (fx === "blur-faces") needed.push("every_face");
	return needed;
}

/** Whether a fact that a rendition of this form requires says nothing beside those that have been found. */
export function isSuperfluous(
	kind: AnalysisKind,
	{ faces = [], subject }: Partial<Analysis>,
	form: Transform,
): boolean {
	if (kind === "subject") return faces.length > 0 && !showsSubject(form);
	return kind === "focus" && (faces.length > 0 || Boolean(subject));
}

/** Whether what is in the picture decides what of it is shown. */
export function followsSubject({ size, w, h, fit, gravity, focus }: Transform): boolean {
	const fills = size === "social" || (w !== undefined && h !== undefined && (fit === "cover" || fit === "crop"));
	return fills && !focus && (gravity === undefined || gravity === "face");
}

/** Whether something is done to the subject, or to what is behind it. */
export function showsSubject({ segment, fx }: Transform): boolean {
	return segment !== undefined || (fx !== undefined && fx !== "blur-faces");
}

/** Whether anything is cut away from a picture that fills a box. */
function mayCut(transform: Transform, { width, height }: Extent): boolean {
	const { zoom, trim } = transform;
	// Trimming a border or zooming to a face cuts away more than can be known before.
	if (trim || zoom !== undefined) return true;
	const { crop, ...others } = transform;
	const piece = (crop && pieceOf(crop, { width, height })) ?? { width, height };
	const { read, keep } = layoutOf(piece, others);
	return read !== undefined || keep !== undefined;
}
