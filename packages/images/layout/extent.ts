/** A size in pixels. Both sides are whole numbers and at least 1. */
export interface Extent {
	readonly width: number;
	readonly height: number;
}

/** What of a picture decides over what an address means. */
export interface Shape extends Extent {
	/** Undefined where nobody has counted them. */
	readonly frames?: number | undefined;
}

/** A box in whole pixels. It lies inside of the picture that it belongs to. */
export interface Box extends Extent {
	readonly left: number;
	readonly top: number;
}
