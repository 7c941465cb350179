import type { ImageFormat } from "@svc/base/enumerations";
import { isAnimatable, isStill, type Transform } from "./transform.ts";

/*
 * A form that is asked for often is made once more, by dearer settings of its encoder: the same picture at the same quality in a tenth to a
 * fifth fewer bytes. Which forms those are is kept with the picture, so that all machines show the same.
 */

/** How many forms of one picture may be made so. */
export const COMPACT_MAX = 16;
/** How much of a form's digest names it there: among so few, no other one has the same. */
const NAME_LENGTH = 16;

/** What the settings of a release make is not what those of the next make, and has another name. */
export const COMPACT_SETTINGS = "1";

const WORTH_IT: ReadonlySet<ImageFormat> = new Set(["jpg", "webp", "avif"]);

/** What a form, by its digest, is called in what is kept of its picture. */
export function compactName(form: string): string {
	return form.slice(0, NAME_LENGTH);
}

/** Whether the encoder of a form has dearer settings at the same quality: `q=auto` asks it for several files, and an animation has hundreds of pictures. */
export function canBeCompact(transform: Transform | undefined, format: ImageFormat, master: ImageFormat): boolean {
	if (!transform || transform.q === "auto" || transform.lossless || !WORTH_IT.has(format)) return false;
	return isStill(transform) || !isAnimatable(format) || !isAnimatable(master);
}
