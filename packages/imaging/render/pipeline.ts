import type { ParameterName } from "@svc/images/transform/parameters";
import type { Transform } from "@svc/images/transform/transform";
import type { RenderStep } from "./step.ts";
import { canvas, colours, overBackdrop } from "./steps/canvas.ts";
import { corners } from "./steps/corners.ts";
import { encode } from "./steps/encode.ts";
import { blur, sharpen } from "./steps/filters.ts";
import { hiddenFaces } from "./steps/hidden-faces.ts";
import { layOut, turnFrames } from "./steps/lay-out.ts";
import { subject } from "./steps/subject.ts";
import { tone } from "./steps/tone.ts";

/** The steps of a rendition, in this order. A step without anything to do is left out. */
const STEPS = [
	layOut,
	colours,
	hiddenFaces,
	subject,
	tone,
	turnFrames,
	blur,
	sharpen,
	canvas,
	overBackdrop,
	corners,
	encode,
] as const satisfies readonly RenderStep[];

/** The parameters that change a picture. */
type OfPictures = { [N in ParameterName]: Transform[N] extends undefined ? never : N }[ParameterName];

type Answered<S extends RenderStep> = S extends RenderStep ? keyof S["of"] : never;

type Unanswered = Exclude<OfPictures, Answered<(typeof STEPS)[number]>>;

/** Does not compile while there is a parameter in the table that no step answers for. */
export const PIPELINE: [Unanswered] extends [never]
	? readonly RenderStep[]
	: { readonly noStepAnswersFor: Unanswered } = STEPS;
