/** The largest `w` and `h`; no picture is enlarged beyond it on either axis. */
export const MAX_SIDE = 4_096;

/** The largest radius of a blur. */
export const MAX_BLUR = 250;

/** The largest radius of corners that is said as a number. */
export const MAX_RADIUS = 2_048;

/** With `q=auto`, a picture of more pixels is judged by a sample of it. */
export const JUDGED_PIXELS = 4_000_000;

/** What the short side becomes. */
export const SHORT_SIDES = { s: 320, m: 640, l: 1_080 } as const;

/**
 * The radius of the blur, and how much of its light the background keeps. `usual` goes without `strength`, `none` changes nothing,
 * and an effect without an entry takes no strength.
 */
export const EFFECTS = {
	"blur-bg": { min: 0, max: MAX_BLUR, usual: 60, none: 0 },
	"darken-bg": { min: 0.05, max: 1, usual: 0.5, none: 1 },
	"color-pop": undefined,
	"blur-faces": undefined,
} as const;
